// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Starts bpftrace, hands on its output and the signals, and notes how it ended: see bpftrace_run.h. */
#include "session/spdk/bpftrace_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/process/pidfd.h"
#include "base/time.h"

#define PATIENCE_NS 5000000000ull	/* from a signal to the sentence that it does not end */
#define LOOK_MS 200			/* between looks at the time, once there was a signal */

struct run {
	pid_t pid;
	int fd;				/* pidfd of bpftrace */
	int output_fd, failure_fd;	/* ends of pipes that are read; -1: closed, or none */
	int execs;			/* fanotify: who executes the command; -1: the kernel does not report it */
	uint64_t asked_ns;		/* when the first signal was seen; 0: none */
	bool warned;
	struct xpt_bpftrace_end *end;
};

static const int handed_on[] = { SIGINT, SIGTERM, SIGHUP };
enum { NR_SIGNALS = sizeof(handed_on) / sizeof(handed_on[0]) };

static volatile sig_atomic_t nr_signals;
static volatile sig_atomic_t child_fd = -1;

/* Signals of the terminal reach the whole group, bpftrace included; signals of kill(1) only reach xputrace. */
static void on_signal(int sig, siginfo_t *si, void *uc)
{
	int had = errno;

	(void)uc;
	nr_signals++;
	if (si->si_code <= 0 && child_fd >= 0)
		xpt_pidfd__send(child_fd, sig);
	errno = had;
}

static void catch_signals(struct sigaction *had)
{
	struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	for (unsigned i = 0; i < NR_SIGNALS; i++) {
		sigaction(handed_on[i], &sa, &had[i]);
		if (handed_on[i] == SIGHUP && had[i].sa_handler == SIG_IGN)	/* nohup */
			sigaction(SIGHUP, &had[i], NULL);
	}
}

static void leave_signals(const struct sigaction *had)
{
	for (unsigned i = 0; i < NR_SIGNALS; i++)
		sigaction(handed_on[i], &had[i], NULL);
}

/* --- start ------------------------------------------------------------------------------------- */

/*
 * Becomes bpftrace; an error goes to the pipe `failed`, which exec closes. out: -1: our standard output is its own.
 */
static void become_bpftrace(char *const *argv, int out, int failed, const struct sigaction *had)
{
	int err;

	leave_signals(had);
	prctl(PR_SET_PDEATHSIG, SIGTERM);	/* as root it would trace on without anybody */
	if (out < 0 || dup2(out, STDOUT_FILENO) >= 0)
		execvp(argv[0], argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

static void close_pipe(int *fds)
{
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	fds[0] = fds[1] = -1;
}

/*
 * A descriptor that is readable when somebody executes the file, or -1. Others who execute it as well must not use up
 * the room for events, so there is no limit.
 */
static int watch_execs(const char *command)
{
	unsigned flags = FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK | FAN_UNLIMITED_QUEUE;
	int fd = command ? fanotify_init(flags, O_RDONLY | O_CLOEXEC) : -1;

	if (fd >= 0 && fanotify_mark(fd, FAN_MARK_ADD, FAN_OPEN_EXEC, AT_FDCWD, command)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int start_bpftrace(struct run *r, char *const *argv, const char *command, struct sigaction *had)
{
	int out[2] = { -1, -1 }, failed[2] = { -1, -1 }, err = 0;

	if ((!command && pipe2(out, O_CLOEXEC)) || pipe2(failed, O_CLOEXEC)) {
		err = -errno;
	} else {
		r->execs = watch_execs(command);
		catch_signals(had);
		r->pid = fork();
		if (!r->pid)
			become_bpftrace(argv, out[1], failed[1], had);
		err = r->pid < 0 ? -errno : 0;
	}
	if (err) {
		close_pipe(out);
		close_pipe(failed);
		return err;
	}
	if (out[1] >= 0)
		close(out[1]);
	close(failed[1]);
	r->output_fd = out[0];
	r->failure_fd = failed[0];
	r->fd = xpt_pidfd__open(r->pid);
	child_fd = r->fd;
	return r->fd < 0 ? r->fd : 0;
}

/* --- while it runs ------------------------------------------------------------------------------- */

/* Passes on its output. Returns false at its end, or if our output is not read any more. */
static bool copy_output(struct run *r)
{
	char buf[65536];
	ssize_t n = read(r->output_fd, buf, sizeof(buf)), done, k;

	if (n < 0 && errno == EINTR)
		return true;
	for (done = 0; done < n; done += k) {
		k = write(STDOUT_FILENO, buf + done, (size_t)(n - done));
		if (k < 0 && errno == EINTR)
			k = 0;
		if (k < 0)
			return false;
	}
	r->end->printed |= n > 0;
	return n > 0;
}

static void close_output(struct run *r)
{
	if (r->output_fd >= 0)
		close(r->output_fd);
	r->output_fd = -1;
}

/* Whether a process is a child of bpftrace; one that has ended may have been. */
static bool may_be_child(const struct run *r, int pid)
{
	char path[32], buf[512];
	const char *p;
	int fd, ppid;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return true;
	buf[n] = '\0';
	p = strrchr(buf, ')');	/* "PID (NAME) S PPID" */
	return p && sscanf(p, ") %*c %d", &ppid) == 1 && ppid == r->pid;
}

static void read_execs(struct run *r)
{
	struct fanotify_event_metadata ev[16], *e = ev;
	ssize_t n = r->execs < 0 ? 0 : read(r->execs, ev, sizeof(ev));

	for (; FAN_EVENT_OK(e, n); e = FAN_EVENT_NEXT(e, n)) {
		r->end->started |= e->mask & FAN_OPEN_EXEC && may_be_child(r, e->pid);
		if (e->fd >= 0)
			close(e->fd);
	}
}

/* Handles a bpftrace that was asked to end and does not. */
static void look_at_time(struct run *r)
{
	uint64_t now = xpt_now_ns();

	if (!nr_signals)
		return;
	r->asked_ns = r->asked_ns ? r->asked_ns : now;
	if (now - r->asked_ns < PATIENCE_NS || r->end->killed)
		return;
	if (!r->warned) {
		xpt_warn("bpftrace has not ended %u s after it was asked to; another Ctrl-C kills it",
			 (unsigned)(PATIENCE_NS / 1000000000));
		r->warned = true;
		nr_signals = 1;
	} else if (nr_signals > 1) {
		r->end->killed = !xpt_pidfd__send(r->fd, SIGKILL);
	}
}

static void watch_bpftrace(struct run *r)
{
	struct pollfd p[3] = { { .fd = r->fd, .events = POLLIN }, { .events = POLLIN }, { .fd = r->execs, .events = POLLIN } };

	for (;;) {
		p[1].fd = r->output_fd;
		poll(p, 3, nr_signals ? LOOK_MS : -1);
		look_at_time(r);
		if (p[2].revents)
			read_execs(r);
		if (p[1].revents && r->output_fd >= 0 && !copy_output(r))
			close_output(r);	/* then it gets SIGPIPE */
		else if (p[0].revents && !(p[1].revents && r->output_fd >= 0))
			return;			/* and nothing is left in the pipe */
		p[0].revents = p[1].revents = p[2].revents = 0;
	}
}

int xpt_bpftrace__run(char *const *argv, const char *command, struct xpt_bpftrace_end *ret_end)
{
	struct run r = { .fd = -1, .output_fd = -1, .failure_fd = -1, .execs = -1, .end = ret_end };
	struct sigaction had[NR_SIGNALS];
	int err, failed = 0;
	ssize_t n = 0;

	*ret_end = (struct xpt_bpftrace_end){ .printed = command };
	nr_signals = 0;
	err = start_bpftrace(&r, argv, command, had);
	if (r.pid <= 0)
		return err;
	while (!err && (n = read(r.failure_fd, &failed, sizeof(failed))) < 0 && errno == EINTR)
		;
	if (!err && n == sizeof(failed))
		err = -failed;
	if (!err)
		watch_bpftrace(&r);
	else
		kill(r.pid, SIGTERM);	/* its output would not be read; it was not waited for */
	close_output(&r);
	while (waitpid(r.pid, &ret_end->status, 0) < 0 && errno == EINTR)
		;
	child_fd = -1;
	leave_signals(had);
	read_execs(&r);
	ret_end->started |= r.execs < 0;
	close(r.failure_fd);
	if (r.execs >= 0)
		close(r.execs);
	if (r.fd >= 0)
		close(r.fd);
	return err;
}
