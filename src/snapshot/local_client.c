// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The client's side of local.h. Nothing here waits for the server. */
#include "snapshot/local.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/files/sealed.h"
#include "snapshot/snapshot.h"

/*
 * Whoever may make a socket there could show us anything. A server that was killed may have children that still hold
 * its socket, where nobody takes connections.
 */
static int check_server(int fd, int32_t *ret_pid)
{
	struct ucred peer = { .uid = 0 };
	socklen_t n = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n))
		return -errno;
	*ret_pid = peer.pid;
	if (peer.pid && kill(peer.pid, 0) && errno == ESRCH)
		return -ECONNREFUSED;
	return !peer.uid || peer.uid == geteuid() ? 0 : -EPERM;
}

int xpt_local_client__connect(const char *path, int32_t *ret_pid)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd, err = 0;

	if ((size_t)snprintf(a.sun_path, sizeof(a.sun_path), "%s", path) >= sizeof(a.sun_path))
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&a, sizeof(a)))
		err = -errno;
	err = err ? err : check_server(fd, ret_pid);
	if (!err)
		return fd;
	close(fd);
	return err;
}

int xpt_local_client__receive(int fd, struct xpt_strbuf *sb)
{
	struct xpt_local_message m = { .magic = 0 };
	int document = -1, err = xpt_sealed__receive(fd, &m, sizeof(m), &document);

	if (err)
		return err;
	xpt_strbuf__reset(sb);
	if (m.magic != XPT_LOCAL_MAGIC)
		err = -EBADMSG;
	else if (m.size > XPT_SNAPSHOT_BYTES)
		err = -E2BIG;
	else
		err = xpt_sealed__read(document, (size_t)m.size, sb);
	close(document);
	return err;
}
