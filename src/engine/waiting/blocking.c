// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* System calls in a child that shares the descriptors, while the rings are emptied; see blocking.h. */
#include "engine/waiting/blocking.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time.h"
#include "engine/priv.h"
#include "engine/waiting/reading.h"

#define WAIT_MS 10		/* between two looks at the rings */
/* The value of the eventfd: result in the low 32 bits, this bit (the value must not be 0), then the time in us. */
#define RESULT (1ull << 32)
#define TOOK_SHIFT 33
#define TOOK_MAX ((1ull << 30) - 1)
#define WALL_PART 10		/* of the time by the clock that counts beside that of the processor */

/* The parent's answer to the result: the child waits for it. */
enum answer { ANSWER_TAKEN = 1, ANSWER_LEFT };

struct job {
	int (*run)(const void *arg);
	const void *arg;
	bool makes_fd;
	int done_fd, answer_fd;		/* eventfds */
	pid_t parent;
};

/* Like fork(2), with one table of descriptors for both. 0 in the child, -1: there is none. */
static int fork_with_files(void)
{
	return (int)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);
}

/*
 * Runs run(arg), and measures the call's own time: processor time, and a part of the time that it waited, for a lock
 * of a stranger's or because the machine is busy, which no user caused.
 */
static int run_timed(int (*run)(const void *arg), const void *arg, uint64_t *ret_ns)
{
	uint64_t began_ns = xpt_now_ns(), cpu_ns = xpt_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int result = run(arg);

	*ret_ns = xpt_clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns + (xpt_now_ns() - began_ns) / WALL_PART;
	return result;
}

/* Runs the job. If the parent takes no result, the child closes the links: the last process to close one waits. */
static void run_in_child(const struct job *j)
{
	uint64_t result, answer = 0, took_ns;
	int value;

	prctl(PR_SET_PDEATHSIG, SIGKILL);	/* it has the descriptors as well, and closes them then */
	if (getppid() != j->parent)
		_exit(0);
	value = run_timed(j->run, j->arg, &took_ns);
	took_ns = took_ns / 1000 < TOOK_MAX ? took_ns / 1000 : TOOK_MAX;
	result = RESULT | (uint32_t)value | took_ns << TOOK_SHIFT;
	if (write(j->done_fd, &result, sizeof(result)) != (ssize_t)sizeof(result) ||
	    read(j->answer_fd, &answer, sizeof(answer)) != (ssize_t)sizeof(answer) || answer == ANSWER_LEFT)
		if (j->makes_fd && value >= 0)
			close(value);
	_exit(0);
}

/* Whether the child has written its result, and the time that the call took. */
static bool is_done(const struct job *j, int *ret_result, uint64_t *took_ns)
{
	struct pollfd p = { .fd = j->done_fd, .events = POLLIN };
	uint64_t result;

	if (poll(&p, 1, WAIT_MS) <= 0 || read(j->done_fd, &result, sizeof(result)) != (ssize_t)sizeof(result))
		return false;
	*ret_result = (int)(uint32_t)result;
	*took_ns += (result >> TOOK_SHIFT) * 1000;
	return true;
}

/* Empties the rings until the child is done, or the trace is to end: -ECANCELED. */
static int wait_for_result(struct xpt_engine *e, const struct job *j, int pid)
{
	int result;

	while (!is_done(j, &result, &e->reading->blocked_ns)) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return -EIO;	/* the child was killed */
		xpt_reading__pause(e);
		if (e->cfg.waiting)
			e->cfg.waiting();
		if (xpt_reading__is_stopped(e)) {
			eventfd_write(j->answer_fd, ANSWER_LEFT);
			return -ECANCELED;
		}
	}
	eventfd_write(j->answer_fd, ANSWER_TAKEN);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return result;
}

int xpt_blocking__run(struct xpt_engine *e, int (*run)(const void *arg), const void *arg, bool makes_fd)
{
	struct job j = { run, arg, makes_fd, -1, -1, getpid() };
	uint64_t took_ns = 0;
	int pid = -1, result;
	sigset_t all, had;

	if (e->start_ns && xpt_engine__is_open(e)) {
		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, &had);
		j.done_fd = eventfd(0, EFD_CLOEXEC);
		j.answer_fd = eventfd(0, EFD_CLOEXEC);
		if (j.done_fd >= 0 && j.answer_fd >= 0)
			pid = fork_with_files();
		if (!pid)
			run_in_child(&j);	/* with all signals blocked: none of ours is for it */
		sigprocmask(SIG_SETMASK, &had, NULL);
	}
	result = pid < 0 ? run_timed(run, arg, &took_ns) : wait_for_result(e, &j, pid);
	e->reading->blocked_ns += took_ns;
	if (result == -ECANCELED)
		return result;		/* the child still uses both */
	if (j.done_fd >= 0)
		close(j.done_fd);
	if (j.answer_fd >= 0)
		close(j.answer_fd);
	return result;
}

struct closing {
	const int *fds;
	size_t nr;
};

static int close_fds(const void *arg)
{
	const struct closing *c = arg;

	for (size_t i = 0; i < c->nr; i++)
		close(c->fds[i]);
	return 0;
}

void xpt_blocking__close(struct xpt_engine *e, const int *fds, size_t nr)
{
	const struct closing c = { fds, nr };

	xpt_blocking__run(e, close_fds, &c, false);
}
