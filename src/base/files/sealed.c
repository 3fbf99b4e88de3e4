// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See sealed.h. A received descriptor may be of a file whose server never answers (FUSE). Only files in memory have
 * seals, so these are checked first. */
#include "base/files/sealed.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"

#define SEALS (F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define BLOCK 65536

union control {
	char buf[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

static int write_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -EIO;
		bytes += done;
		n -= (size_t)done;
	}
	return 0;
}

int xpt_sealed__make(const char *name, const void *bytes, size_t n)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING), err;

	if (fd < 0)
		return -errno;
	err = write_all(fd, bytes, n);
	if (!err && fcntl(fd, F_ADD_SEALS, SEALS))
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}

int xpt_sealed__send(int socket, const void *message, size_t n, int fd)
{
	struct iovec iov = { (void *)message, n };
	union control control;
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.buf,
			      .msg_controllen = sizeof(control.buf) };
	struct cmsghdr *c;

	memset(&control, 0, sizeof(control));
	c = CMSG_FIRSTHDR(&msg);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
	return sendmsg(socket, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

/* Returns the descriptor of a message, or -1: if there are several, all are closed. */
static int take_descriptor(struct msghdr *msg)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	size_t n, i;
	int fd = -1;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS || c->cmsg_len < CMSG_LEN(0))
		return -1;
	n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(fd);
	for (i = 0; i < n; i++) {
		memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
		if (n > 1)
			close(fd);
	}
	return n == 1 ? fd : -1;
}

int xpt_sealed__receive(int socket, void *ret_message, size_t n, int *ret_fd)
{
	struct iovec iov = { ret_message, n };
	union control control;
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.buf,
			      .msg_controllen = sizeof(control.buf) };
	ssize_t got;
	int fd;

	memset(&control, 0, sizeof(control));
	got = recvmsg(socket, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (got < 0)
		return errno == EINTR ? -EAGAIN : errno == ECONNRESET ? -EPIPE : -errno;
	fd = take_descriptor(&msg);
	if (got == (ssize_t)n && fd >= 0 && !(msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
		*ret_fd = fd;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	return !got && fd < 0 ? -EPIPE : -EBADMSG;
}

int xpt_sealed__read(int fd, size_t n, struct xpt_strbuf *sb)
{
	int seals = fcntl(fd, F_GET_SEALS);
	char block[BLOCK];
	struct stat st;
	off_t at = 0;

	if (seals < 0 || (seals & SEALS) != SEALS || fstat(fd, &st) || (size_t)st.st_size != n)
		return -EBADMSG;
	while ((size_t)at < n) {
		ssize_t got = pread(fd, block, sizeof(block), at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -EBADMSG;
		xpt_strbuf__addn(sb, block, (size_t)got);
		at += got;
	}
	return xpt_strbuf__err(sb);
}

bool xpt_sealed__has_unread(int socket)
{
	int bytes = 0;

	return !ioctl(socket, SIOCOUTQ, &bytes) && bytes;
}
