// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The parent's side of the server process: its socket, its start, its pages. See server.h. */
#include "http/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files/sealed.h"
#include "base/parse.h"
#include "base/process/pidfd.h"
#include "http/page_message.h"

#define SECOND UINT64_C(1000000000)
#define REST_MAX (60 * SECOND)	/* before the process is started again, at most */
#define BACKLOG 128
#define START_MS 10000			/* that the first process may take until it serves */

struct xpt_server {
	int listen_fd;
	int fd, pidfd;			/* of the process; -1: there is none */
	pid_t pid;
	/* When the process was started, when it may be started again, and the delay before that. */
	uint64_t began_ns, next_ns, rest_ns;
	char problem[80];		/* "": none */
};

/* --- where it listens -------------------------------------------------------------------------- */

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static int parse_host(const char *host, uint16_t port, union address *ret_a, socklen_t *ret_n)
{
	memset(ret_a, 0, sizeof(*ret_a));
	if (!host[0] || !strcmp(host, "localhost"))
		host = "127.0.0.1";
	if (inet_pton(AF_INET, host, &ret_a->v4.sin_addr) == 1) {
		ret_a->v4.sin_family = AF_INET;
		ret_a->v4.sin_port = htons(port);
		*ret_n = sizeof(ret_a->v4);
		return 0;
	}
	if (inet_pton(AF_INET6, host, &ret_a->v6.sin6_addr) != 1)
		return -EINVAL;
	ret_a->v6.sin6_family = AF_INET6;
	ret_a->v6.sin6_port = htons(port);
	*ret_n = sizeof(ret_a->v6);
	return 0;
}

/* PORT, HOST:PORT, [HOST]:PORT */
static int parse_address(const char *text, union address *ret_a, socklen_t *ret_n)
{
	const char *colon = strrchr(text, ':');
	size_t n = colon ? (size_t)(colon - text) : 0;
	char host[XPT_SERVER_ADDRESS];
	uint64_t port;

	if (xpt_parse_u64(colon ? colon + 1 : text, 0, UINT16_MAX, &port) || n >= sizeof(host))
		return -EINVAL;
	if (n > 1 && text[0] == '[' && text[n - 1] == ']')
		snprintf(host, sizeof(host), "%.*s", (int)n - 2, text + 1);
	else if (memchr(text, ':', n))
		return -EINVAL;		/* of IPv6 without brackets the port is a part */
	else
		snprintf(host, sizeof(host), "%.*s", (int)n, text);
	return parse_host(host, (uint16_t)port, ret_a, ret_n);
}

bool xpt_server__is_address(const char *address)
{
	union address a;
	socklen_t n;

	return !parse_address(address, &a, &n);
}

static void print_address(int fd, char *buf, size_t n)
{
	union address a;
	socklen_t len = sizeof(a);
	char host[INET6_ADDRSTRLEN] = "?";

	memset(&a, 0, sizeof(a));
	getsockname(fd, &a.any, &len);
	if (a.any.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &a.v6.sin6_addr, host, sizeof(host));
		snprintf(buf, n, "[%s]:%u", host, ntohs(a.v6.sin6_port));
		return;
	}
	inet_ntop(AF_INET, &a.v4.sin_addr, host, sizeof(host));
	snprintf(buf, n, "%s:%u", host, ntohs(a.v4.sin_port));
}

static int listen_on(const char *text, int *ret_fd)
{
	union address a;
	socklen_t n;
	int err = parse_address(text, &a, &n), fd, one = 1;

	if (err)
		return err;
	fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	/* A server that ended a moment ago may still occupy the port. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (a.any.sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (bind(fd, &a.any, n) || listen(fd, BACKLOG)) {
		err = -errno;
		close(fd);
		return err;
	}
	*ret_fd = fd;
	return 0;
}

/* --- the process --------------------------------------------------------------------------------- */

static int spawn_child(int fd, int listen_fd, pid_t *ret_pid)
{
	char *const argv[] = { (char *)"xputrace-http", (char *)XPT_SERVER_ARG, NULL };
	char *const no_environment[] = { NULL };	/* no search paths of the caller's for libraries */
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int err;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	for (int std = 0; std < XPT_SERVER_FD; std++)
		posix_spawn_file_actions_addopen(&actions, std, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&actions, fd, XPT_SERVER_FD);
	posix_spawn_file_actions_adddup2(&actions, listen_fd, XPT_SERVER_LISTEN_FD);
	err = -posix_spawn(ret_pid, "/proc/self/exe", &actions, &attr, argv, no_environment);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

/* dup2() onto itself would leave a descriptor closed by exec, and onto the other one would lose that. */
static int move_up(int fd)
{
	int to = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, XPT_SERVER_LISTEN_FD + 1);

	if (fd >= 0)
		close(fd);
	return to;
}

static int start_process(struct xpt_server *s)
{
	int pair[2], err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair))
		return -errno;
	pair[1] = move_up(pair[1]);
	err = pair[1] < 0 ? -EMFILE : spawn_child(pair[1], s->listen_fd, &s->pid);
	if (pair[1] >= 0)
		close(pair[1]);
	s->pidfd = err ? err : xpt_pidfd__open(s->pid);
	if (s->pidfd < 0) {		/* it ends when its socket closes */
		err = s->pidfd;
		s->pidfd = -1;
		close(pair[0]);
		return err;
	}
	s->fd = pair[0];
	return 0;
}

static void forget_process(struct xpt_server *s)
{
	close(s->fd);
	close(s->pidfd);
	s->fd = s->pidfd = -1;
}

/* Takes the end of a process that has ended. */
static void take_end(struct xpt_server *s, uint64_t now_ns)
{
	siginfo_t si = { .si_pid = 0 };

	if (waitid(P_PIDFD, (id_t)s->pidfd, &si, WEXITED | WNOHANG) || !si.si_pid)
		return;
	if (si.si_code == CLD_EXITED)
		snprintf(s->problem, sizeof(s->problem), "exited with status %d", si.si_status);
	else
		snprintf(s->problem, sizeof(s->problem), "was ended by signal %d", si.si_status);
	forget_process(s);
	if (now_ns - s->began_ns > REST_MAX)	/* that it ended before is long ago */
		s->rest_ns = 0;
	s->rest_ns = s->rest_ns ? (s->rest_ns < REST_MAX / 2 ? 2 * s->rest_ns : REST_MAX) : SECOND;
	s->next_ns = now_ns + s->rest_ns;
}

const char *xpt_server__problem(const struct xpt_server *s)
{
	return s->problem[0] ? s->problem : NULL;
}

/* --- pages ----------------------------------------------------------------------------------------- */

int xpt_server__put(struct xpt_server *s, const char *page, size_t size, uint64_t now_ns)
{
	struct xpt_server_message m = { XPT_SERVER_MAGIC, 0, size };
	int err = 0, fd;

	if (s->pidfd >= 0)
		take_end(s, now_ns);
	if (s->pidfd < 0 && now_ns >= s->next_ns) {
		err = start_process(s);
		s->began_ns = now_ns;
	}
	/* Pages that the process has not read would stay in memory. */
	if (err || s->pidfd < 0 || xpt_sealed__has_unread(s->fd))
		return err;
	fd = xpt_sealed__make("xputrace-page", page, size);
	if (fd < 0)
		return fd;
	err = xpt_sealed__send(s->fd, &m, sizeof(m), fd);
	close(fd);
	if (!err)
		s->problem[0] = '\0';
	return err == -EAGAIN || err == -EPIPE ? 0 : err;	/* it is busy, or ends: this page is skipped */
}

/* Returns 0, or -errno of the server's failure. */
static int wait_for_start(const struct xpt_server *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	int32_t err = 0;
	int n;

	do {
		n = poll(&p, 1, START_MS);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n ? -errno : -ETIMEDOUT;
	return recv(s->fd, &err, sizeof(err), 0) == (ssize_t)sizeof(err) ? err : -ECHILD;
}

int xpt_server__open(const char *address, struct xpt_server **ret_s, char ret_where[XPT_SERVER_ADDRESS])
{
	struct xpt_server *s;
	int fd = -1, err;

	err = listen_on(address, &fd);
	if (err)
		return err;
	s = calloc(1, sizeof(*s));
	fd = move_up(fd);
	if (!s || fd < 0) {
		free(s);
		if (fd >= 0)
			close(fd);
		return fd < 0 ? -EMFILE : -ENOMEM;
	}
	s->listen_fd = fd;
	s->fd = s->pidfd = -1;
	print_address(fd, ret_where, XPT_SERVER_ADDRESS);
	err = start_process(s);
	err = err ? err : wait_for_start(s);
	if (err) {
		xpt_server__close(s);
		return err;
	}
	*ret_s = s;
	return 0;
}

void xpt_server__close(struct xpt_server *s)
{
	siginfo_t si;

	if (!s)
		return;
	if (s->pidfd >= 0) {
		xpt_pidfd__send(s->pidfd, SIGKILL);	/* it keeps nothing that could be lost */
		waitid(P_PIDFD, (id_t)s->pidfd, &si, WEXITED);
		forget_process(s);
	}
	close(s->listen_fd);
	free(s);
}
