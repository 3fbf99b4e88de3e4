// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The server's side of local.h. It lives in the loop of a trace, so nothing here waits for a client. */
#include "snapshot/local.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/files/sealed.h"

#define UNREAD_NS 60000000000ull	/* a client that has not read for that long is dropped */

struct client {
	int fd;				/* -1: a free place */
	uint64_t read_ns;		/* when it had read all that was sent */
};

struct xpt_local_server {
	int fd;
	const char *path;
	dev_t dev;			/* of the socket in the file system */
	ino_t ino;
	struct client client[XPT_LOCAL_CLIENTS];
};

/* --- the socket ------------------------------------------------------------------------------------------ */

static int make_address(const char *path, struct sockaddr_un *ret_a)
{
	*ret_a = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (path[0] != '/')
		return -EINVAL;
	if ((size_t)snprintf(ret_a->sun_path, sizeof(ret_a->sun_path), "%s", path) >= sizeof(ret_a->sun_path))
		return -ENAMETOOLONG;
	return 0;
}

/* Nobody else can put a socket of his own into the folder, or take ours away. */
static int prepare_folder(const char *path)
{
	char folder[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	struct stat st;

	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
	if (mkdir(folder, 0755) && errno != EEXIST)
		return -errno;
	if (lstat(folder, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	return (st.st_uid && st.st_uid != geteuid()) || st.st_mode & (S_IWGRP | S_IWOTH) ? -EPERM : 0;
}

static bool does_answer(const struct sockaddr_un *a)
{
	int32_t pid;
	int fd = xpt_local_client__connect(a->sun_path, &pid);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || fd == -EAGAIN;
}

/* Under a name of its own until it listens: a socket that is there answers. */
static int listen_at(struct xpt_local_server *s, const struct sockaddr_un *a)
{
	struct sockaddr_un own = *a;
	struct stat st;
	mode_t mask;
	int err;

	if ((size_t)snprintf(own.sun_path, sizeof(own.sun_path), "%s.%d", a->sun_path, (int)getpid()) >= sizeof(own.sun_path))
		return -ENAMETOOLONG;
	s->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0)
		return -errno;
	unlink(own.sun_path);
	mask = umask(0177);
	err = bind(s->fd, (const struct sockaddr *)&own, sizeof(own)) ? -errno : 0;
	umask(mask);
	if (err)
		return err;
	if (listen(s->fd, XPT_LOCAL_CLIENTS) || lstat(own.sun_path, &st) || rename(own.sun_path, a->sun_path)) {
		err = -errno;
		unlink(own.sun_path);
		return err;
	}
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	return 0;
}

int xpt_local_server__open(const char *path, struct xpt_local_server **ret_s)
{
	struct xpt_local_server *s;
	struct sockaddr_un a;
	struct stat st;
	int err = make_address(path, &a);

	err = err ? err : prepare_folder(path);
	if (!err && !lstat(path, &st) && !S_ISSOCK(st.st_mode))
		err = -EEXIST;		/* another program's file, which must stay */
	if (!err && does_answer(&a))
		err = -EADDRINUSE;
	if (err)
		return err;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->fd = -1;
	for (unsigned i = 0; i < XPT_LOCAL_CLIENTS; i++)
		s->client[i].fd = -1;
	err = listen_at(s, &a);
	if (err) {
		xpt_local_server__close(s);
		return err;
	}
	s->path = path;
	*ret_s = s;
	return 0;
}

void xpt_local_server__close(struct xpt_local_server *s)
{
	struct stat st;

	if (!s)
		return;
	if (s->path && !lstat(s->path, &st) && st.st_dev == s->dev && st.st_ino == s->ino)
		unlink(s->path);
	for (unsigned i = 0; i < XPT_LOCAL_CLIENTS; i++)
		if (s->client[i].fd >= 0)
			close(s->client[i].fd);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

/* --- clients ----------------------------------------------------------------------------------------------- */

static void drop_client(struct client *c)
{
	close(c->fd);
	c->fd = -1;
}

static bool may_see(int fd)
{
	struct ucred peer = { .uid = 0 };
	socklen_t n = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) && (!peer.uid || peer.uid == geteuid());
}

static void take_client(struct xpt_local_server *s, int fd, uint64_t now_ns)
{
	for (unsigned i = 0; i < XPT_LOCAL_CLIENTS && may_see(fd); i++) {
		if (s->client[i].fd >= 0)
			continue;
		s->client[i] = (struct client){ .fd = fd, .read_ns = now_ns };
		return;
	}
	close(fd);
}

/* A client that sends something is none. */
static bool has_gone(const struct client *c)
{
	char byte;

	return recv(c->fd, &byte, sizeof(byte), MSG_DONTWAIT) >= 0 || (errno != EAGAIN && errno != EINTR);
}

bool xpt_local_server__step(struct xpt_local_server *s, uint64_t now_ns)
{
	bool any = false;
	int fd;

	for (unsigned i = 0; i < XPT_LOCAL_CLIENTS; i++) {
		struct client *c = &s->client[i];

		if (c->fd < 0)
			continue;
		if (!xpt_sealed__has_unread(c->fd))
			c->read_ns = now_ns;
		if (has_gone(c) || now_ns - c->read_ns > UNREAD_NS)
			drop_client(c);
	}
	for (unsigned i = 0; i < XPT_LOCAL_CLIENTS; i++) {	/* more wait for the next time */
		fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0)
			break;
		take_client(s, fd, now_ns);
	}
	for (unsigned i = 0; i < XPT_LOCAL_CLIENTS; i++)
		any |= s->client[i].fd >= 0;
	return any;
}

int xpt_local_server__send(struct xpt_local_server *s, const struct xpt_strbuf *document, uint64_t now_ns)
{
	const struct xpt_local_message m = { XPT_LOCAL_MAGIC, 0, document->len };
	int fd;

	if (!xpt_local_server__step(s, now_ns))
		return 0;
	fd = xpt_sealed__make("xputrace-snapshot", document->s, document->len);
	if (fd < 0)
		return fd;
	for (unsigned i = 0; i < XPT_LOCAL_CLIENTS; i++) {
		struct client *c = &s->client[i];

		if (c->fd < 0 || xpt_sealed__has_unread(c->fd))
			continue;
		if (xpt_sealed__send(c->fd, &m, sizeof(m), fd))
			drop_client(c);
	}
	close(fd);
	return 0;
}
