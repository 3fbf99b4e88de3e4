// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The parent's side of reader processes, see reader.h.
 */
#include "devices/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/pidfd.h"
#include "base/utf8.h"
#include "devices/reader_message.h"

#define SECOND UINT64_C(1000000000)
#define MESSAGES_EACH 64	/* taken in one step; the rest wakes the next */

extern char **environ;

struct process {
	pid_t pid;
	int pidfd, fd;		/* fd: our end of its socket, -1: closed */
	uint64_t asked_ns;	/* 0: no request is open */
	uint64_t abandoned_ns;	/* 0: it is the one in use */
	bool has_answered, is_killed;
	uint32_t seq;
};

struct xpt_reader {
	struct xpt_reader_cfg cfg;
	int epfd;
	struct process now;	/* pid 0: there is none */
	struct process left[XPT_ABANDONED_MAX];
	uint32_t nr_left;
	uint64_t next_ns;	/* when the next request is due, */
	uint64_t start_at_ns, retry_ns;	/* or the next process, and how long the one after it has to wait */
	uint64_t silent_since_ns;	/* 0: the last request was answered */
	uint64_t starts, answers, rejected;
	uint64_t asked_ns;	/* of the last answer */
	int spawn_error;	/* -errno */
	enum xpt_reader_state state;
	struct xpt_read_result last;
	uint32_t id[XPT_READER_SLOTS];	/* of the process in use; 0: not described */
	struct xpt_reader_message message;
};

static uint64_t or_default(uint64_t v, uint64_t otherwise)
{
	return v ? v : otherwise;
}

int xpt_reader__new(const struct xpt_reader_cfg *cfg, struct xpt_reader **ret_r)
{
	struct xpt_reader *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	r->epfd = epoll_create1(EPOLL_CLOEXEC);
	if (r->epfd < 0) {
		err = -errno;
		free(r);
		return err;
	}
	r->cfg = *cfg;
	r->cfg.deadline_ns = or_default(cfg->deadline_ns, 2 * SECOND);
	r->cfg.start_ns = or_default(cfg->start_ns, 30 * SECOND);
	r->cfg.retry_ns = or_default(cfg->retry_ns, 10 * SECOND);
	r->cfg.retry_max_ns = or_default(cfg->retry_max_ns, 300 * SECOND);
	r->cfg.kill_ns = or_default(cfg->kill_ns, 600 * SECOND);
	if (!r->cfg.max_abandoned || r->cfg.max_abandoned > XPT_ABANDONED_MAX)
		r->cfg.max_abandoned = 3;
	r->retry_ns = r->cfg.retry_ns;
	*ret_r = r;
	return 0;
}

int xpt_reader__fd(const struct xpt_reader *r)
{
	return r->epfd;
}

/* --- processes ----------------------------------------------------------------------------------- */

static void watch_fd(struct xpt_reader *r, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN };

	epoll_ctl(r->epfd, EPOLL_CTL_ADD, fd, &ev);	/* without it the next step is soon enough */
}

/* A session of its own: the signals of a terminal are not for it. */
static int spawn_reader(const struct xpt_reader *r, int fd, pid_t *ret_pid)
{
	static const char *const kinds[XPT_READER__MAX] = { "nvml", "sysfs" };
	const char *from = r->cfg.from ? r->cfg.from : r->cfg.kind == XPT_READER_SYSFS ? "/sys" : "";
	char *const argv[] = { (char *)"xputrace-reader", (char *)XPT_READER_ARG, (char *)kinds[r->cfg.kind],
			       (char *)from, NULL };
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
	for (int std = 0; std < XPT_READER_FD; std++)
		posix_spawn_file_actions_addopen(&actions, std, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&actions, fd, XPT_READER_FD);
	err = -posix_spawn(ret_pid, r->cfg.exe ? r->cfg.exe : "/proc/self/exe", &actions, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

static void close_socket(struct process *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

/* Without a socket it ends, and is left until it has. There is room: none is started where there is not. */
static void keep_until_end(struct xpt_reader *r, struct process *p, uint64_t now_ns)
{
	close_socket(p);
	p->abandoned_ns = now_ns ? now_ns : 1;
	r->left[r->nr_left++] = *p;
}

/* Starts a reader process. It does nothing before its first request, so no trace has to exclude it yet. */
static int start_process(struct xpt_reader *r, uint64_t now_ns)
{
	struct process p = { .fd = -1 };
	int pair[2], err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	err = spawn_reader(r, pair[1], &p.pid);
	close(pair[1]);
	p.pidfd = err ? err : xpt_pidfd__open(p.pid);
	if (p.pidfd < 0) {	/* it ends when its socket closes */
		close(pair[0]);
		return p.pidfd;
	}
	p.fd = pair[0];
	watch_fd(r, p.pidfd);
	err = r->cfg.started ? r->cfg.started(r->cfg.ctx, p.pid) : 0;
	if (err) {
		keep_until_end(r, &p, now_ns);
		return err;
	}
	watch_fd(r, p.fd);
	memset(r->id, 0, sizeof(r->id));
	r->now = p;
	r->starts++;
	return 0;
}

/* Takes the end of a process that has ended. */
static void reap_process(struct process *p)
{
	siginfo_t si;

	waitid(P_PIDFD, (id_t)p->pidfd, &si, WEXITED | WNOHANG);
	close(p->pidfd);
	p->pid = 0;
}

static void plan_start(struct xpt_reader *r, uint64_t now_ns)
{
	r->start_at_ns = now_ns + r->retry_ns;
	r->retry_ns = r->retry_ns > r->cfg.retry_max_ns / 2 ? r->cfg.retry_max_ns : 2 * r->retry_ns;
}

/* Gives up the process in use; it is left until it has ended. */
static void leave_process(struct xpt_reader *r, uint64_t now_ns)
{
	keep_until_end(r, &r->now, now_ns);
	r->now = (struct process){ .fd = -1 };
	plan_start(r, now_ns);
}

static uint32_t nr_abandoned(const struct xpt_reader *r)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < r->nr_left; i++)
		nr += r->left[i].asked_ns != 0;
	return nr;
}

/* One that had hung and ends says that the driver answers again. */
static void look_at_left(struct xpt_reader *r, uint64_t now_ns)
{
	for (uint32_t i = 0; i < r->nr_left; ) {
		struct process *p = &r->left[i];

		if (xpt_pidfd__has_ended(p->pidfd)) {
			if (p->asked_ns && !p->is_killed) {
				r->retry_ns = r->cfg.retry_ns;
				r->start_at_ns = now_ns;
			}
			reap_process(p);
			*p = r->left[--r->nr_left];
			continue;
		}
		if (!p->is_killed && now_ns - p->abandoned_ns >= r->cfg.kill_ns && now_ns > p->abandoned_ns) {
			p->is_killed = true;
			xpt_pidfd__send(p->pidfd, SIGKILL);
		}
		i++;
	}
}

/* --- answers ---------------------------------------------------------------------------------------- */

static void clean_text(char *s, size_t n)
{
	s[n - 1] = '\0';
	xpt_utf8__clean(s, "");
}

static bool take_device(struct xpt_reader *r, struct xpt_reader_message *m)
{
	struct xpt_device_info *info = &m->device;

	if (m->slot >= XPT_READER_SLOTS || info->kind == XPT_DEVICE__NONE || info->kind >= XPT_DEVICE__MAX ||
	    (info->parent != XPT_NO_SLOT && info->parent >= XPT_READER_SLOTS))
		return false;
	clean_text(info->name, sizeof(info->name));
	clean_text(info->uuid, sizeof(info->uuid));
	clean_text(info->address, sizeof(info->address));
	clean_text(info->detail, sizeof(info->detail));
	r->id[m->slot] = r->cfg.device(r->cfg.ctx, info, info->parent == XPT_NO_SLOT ? 0 : r->id[info->parent]);
	return true;
}

static bool take_values(struct xpt_reader *r, const struct xpt_reader_message *m)
{
	if (m->slot >= XPT_READER_SLOTS || !m->nr || m->nr > XPT_VALUES_MAX)
		return false;
	if (r->id[m->slot])
		r->cfg.values(r->cfg.ctx, r->id[m->slot], m->value, m->nr);
	return true;
}

static enum xpt_reader_state state_of(uint32_t read_state)
{
	switch (read_state) {
	case XPT_READ_OK:
		return XPT_READER_ANSWERS;
	case XPT_READ_NO_LIBRARY:
		return XPT_READER_NO_LIBRARY;
	case XPT_READ_NO_DRIVER:
		return XPT_READER_NO_DRIVER;
	default:
		return XPT_READER_FAILED;
	}
}

static bool take_end(struct xpt_reader *r, struct xpt_reader_message *m)
{
	if (m->result.state >= XPT_READ__MAX)
		return false;
	clean_text(m->result.text, sizeof(m->result.text));
	if (!m->result.text[0] && m->result.state == XPT_READ_OK)	/* the versions are sent now and then */
		memcpy(m->result.text, r->last.text, sizeof(m->result.text));
	r->last = m->result;
	r->state = state_of(m->result.state);
	r->silent_since_ns = 0;
	r->asked_ns = r->now.asked_ns;
	r->now.asked_ns = 0;
	r->now.has_answered = true;
	r->answers++;
	if (m->result.state == XPT_READ_OK)
		r->retry_ns = r->cfg.retry_ns;
	if (r->cfg.end)
		r->cfg.end(r->cfg.ctx);
	return true;
}

static bool take_message(struct xpt_reader *r, ssize_t n)
{
	struct xpt_reader_message *m = &r->message;

	if (n != (ssize_t)sizeof(*m) || m->magic != XPT_READER_MAGIC || m->seq != r->now.seq || !r->now.asked_ns)
		return false;
	switch (m->kind) {
	case XPT_MESSAGE_DEVICE:
		return take_device(r, m);
	case XPT_MESSAGE_VALUES:
		return take_values(r, m);
	case XPT_MESSAGE_END:
		return take_end(r, m);
	default:
		return false;
	}
}

/* The process has closed its end, or sent an impossible message: it is left to end, and is not
 * waited for. */
static void lose_process(struct xpt_reader *r, uint64_t now_ns)
{
	if (r->state == XPT_READER_ANSWERS || r->state == XPT_READER_STARTING) {
		r->state = XPT_READER_FAILED;
		snprintf(r->last.text, sizeof(r->last.text), "the reader process has ended");
	}
	r->now.asked_ns = 0;
	leave_process(r, now_ns);
	if (r->cfg.end)
		r->cfg.end(r->cfg.ctx);
}

static void take_answers(struct xpt_reader *r, uint64_t now_ns)
{
	for (int i = 0; i < MESSAGES_EACH && r->now.pid; i++) {
		ssize_t n = recv(r->now.fd, &r->message, sizeof(r->message), MSG_DONTWAIT | MSG_TRUNC);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n > 0 && take_message(r, n))
			continue;
		r->rejected += n > 0;
		lose_process(r, now_ns);
	}
}

/* --- requests ----------------------------------------------------------------------------------------- */

static void ask_process(struct xpt_reader *r, uint64_t now_ns)
{
	struct xpt_reader_request q = { XPT_READER_MAGIC, ++r->now.seq };

	if (send(r->now.fd, &q, sizeof(q), MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)sizeof(q)) {
		lose_process(r, now_ns);
		return;
	}
	r->now.asked_ns = now_ns ? now_ns : 1;
	r->next_ns += r->cfg.period_ns;
	if (r->next_ns <= now_ns)	/* not more often after a pause */
		r->next_ns = now_ns + r->cfg.period_ns;
}

static void check_deadline(struct xpt_reader *r, uint64_t now_ns)
{
	uint64_t limit = r->now.has_answered ? r->cfg.deadline_ns : r->cfg.start_ns;

	if (!r->now.asked_ns || now_ns < r->now.asked_ns + limit)
		return;
	if (!r->silent_since_ns)
		r->silent_since_ns = r->now.asked_ns;
	r->state = XPT_READER_SILENT;
	leave_process(r, now_ns);
	if (r->cfg.end)
		r->cfg.end(r->cfg.ctx);
}

static void start_if_due(struct xpt_reader *r, uint64_t now_ns)
{
	if (now_ns < r->start_at_ns || nr_abandoned(r) >= r->cfg.max_abandoned || r->nr_left == XPT_ABANDONED_MAX)
		return;
	r->spawn_error = start_process(r, now_ns);
	if (r->spawn_error) {
		r->state = XPT_READER_FAILED;
		snprintf(r->last.text, sizeof(r->last.text), "no reader process: %s", strerror(-r->spawn_error));
		plan_start(r, now_ns);
		if (r->cfg.end)
			r->cfg.end(r->cfg.ctx);
	}
}

void xpt_reader__step(struct xpt_reader *r, uint64_t now_ns)
{
	look_at_left(r, now_ns);
	if (r->now.pid)
		take_answers(r, now_ns);
	if (r->now.pid)
		check_deadline(r, now_ns);
	if (!r->now.pid)
		start_if_due(r, now_ns);
	if (r->now.pid && !r->now.asked_ns && now_ns >= r->next_ns)
		ask_process(r, now_ns);
}

void xpt_reader__hurry(struct xpt_reader *r)
{
	r->next_ns = 0;
}

/* --- status --------------------------------------------------------------------------------------------- */

void xpt_reader__status(const struct xpt_reader *r, uint64_t now_ns, struct xpt_reader_status *ret_s)
{
	*ret_s = (struct xpt_reader_status){
		.state = r->state, .starts = r->starts, .answers = r->answers, .rejected = r->rejected,
		.abandoned = nr_abandoned(r), .asked_ns = r->asked_ns, .last = r->last,
	};
	if (r->silent_since_ns && now_ns > r->silent_since_ns)
		ret_s->silent_ns = now_ns - r->silent_since_ns;
}

const char *xpt_reader__say(const struct xpt_reader *r, uint64_t now_ns, char *buf, size_t n)
{
	static const char *const names[XPT_READER__MAX] = { "NVML", "sysfs" };
	const char *name = names[r->cfg.kind];
	struct xpt_reader_status s;

	xpt_reader__status(r, now_ns, &s);
	buf[0] = '\0';
	if (s.silent_ns)
		snprintf(buf, n, "%s has not answered for %" PRIu64 " s", name, s.silent_ns / SECOND);
	else if (s.state == XPT_READER_NO_LIBRARY)
		snprintf(buf, n, "no readings of GPUs: %s", s.last.text);
	else if (s.state == XPT_READER_NO_DRIVER)
		snprintf(buf, n, "no readings of GPUs: the NVIDIA driver is not loaded");
	else if (s.state == XPT_READER_FAILED)
		snprintf(buf, n, "%s failed: %s", name, s.last.text);
	return buf;
}

void xpt_reader__free(struct xpt_reader *r)
{
	if (!r)
		return;
	if (r->now.pid)
		leave_process(r, 0);
	look_at_left(r, 0);
	for (uint32_t i = 0; i < r->nr_left; i++)
		close(r->left[i].pidfd);
	close(r->epfd);
	free(r);
}
