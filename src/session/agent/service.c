// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See service.h. The protocol is one datagram to a socket of Unix; libsystemd would bring four libraries along. */
#include "session/agent/service.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"

#define ALIVE_SHARE 3		/* of the time after which systemd takes us for dead: so often is enough */

static int connect_to(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	size_t n = strlen(path);
	int fd;

	if ((path[0] != '/' && path[0] != '@') || n >= sizeof(a.sun_path))
		return -1;
	memcpy(a.sun_path, path, n);
	if (path[0] == '@')
		a.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&a, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* How often we have to be heard of: 0 for never, or if that is asked of another process. */
static uint64_t read_alive_ns(void)
{
	const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
	uint64_t us, of;

	if (!usec || xpt_parse_u64(usec, 1, UINT64_MAX / 1000, &us) ||
	    (pid && (xpt_parse_u64(pid, 1, INT32_MAX, &of) || of != (uint64_t)getpid())))
		return 0;
	return us * 1000 / ALIVE_SHARE;
}

void xpt_service__open(struct xpt_service *s)
{
	const char *path = getenv("NOTIFY_SOCKET");

	*s = (struct xpt_service){ .fd = -1 };
	if (path)
		s->fd = connect_to(path);
	if (path && s->fd < 0)
		xpt_warn("the service manager cannot be told of our state: NOTIFY_SOCKET is no socket that answers");
	if (s->fd >= 0)
		s->alive_ns = read_alive_ns();
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

void xpt_service__notify(const struct xpt_service *s, const char *text)
{
	if (s->fd >= 0)		/* a manager that does not listen is no reason to stop */
		(void)!send(s->fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void xpt_service__step(struct xpt_service *s, uint64_t now_ns)
{
	if (!s->alive_ns || now_ns < s->next_ns)
		return;
	xpt_service__notify(s, "WATCHDOG=1");
	s->next_ns = now_ns + s->alive_ns;
}

void xpt_service__close(struct xpt_service *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
