// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See leave.h. Each link takes the kernel some time to close, so that many of them are left
 * to a child process.
 */
#include "engine/waiting/leave.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/process/fds.h"
#include "engine/cost/calibrate.h"
#include "engine/priv.h"
#include "engine/source.h"
#include "engine/waiting/reading.h"
#include "call.skel.h"

#define SLOW_LINKS 24u		/* that take some 0.1 s each: more than these close in the background */
#define PARENT_US 5000
#define CHILD_WAITS 400		/* times that: 2 s for probes that go in the foreground */
#define PARENT_WAITS 1000	/* times that: 5 s for a summary that is read slowly */

bool xpt_leave__is_slow(const struct xpt_engine *e)
{
	return xpt_sources__slow_links(e) > SLOW_LINKS;
}

/*
 * Links close one by one, those of perf events each after a wait of about 0.1 s in the
 * kernel: minutes for a whole library, a second for the tracepoints of system calls. A child
 * that holds them too does that, and our user gets the prompt back at once. A setting makes their
 * programs do nothing. Returns false if no child could be made.
 */
static bool detach_in_background(struct xpt_engine *e)
{
	int parent = getpid(), pid = fork(), i;

	if (pid > 0)
		xpt_debug("probes are taken away by process %d", pid);
	if (pid)
		return pid > 0;
	setsid();
	prctl(PR_SET_NAME, "xputrace-close");
	xpt_fds__let_go(&e->events_lock, 1);	/* it says that events are held, see perf_events.c */
	for (i = 0; i < PARENT_WAITS && getppid() == parent; i++)
		usleep(PARENT_US);	/* the last process to close an event waits */
	call_bpf__detach(e->skel);
	xpt_sources__detach(e);
	_exit(0);
}

void xpt_leave__detach(struct xpt_engine *e)
{
	if (!xpt_leave__is_slow(e) || !detach_in_background(e))
		xpt_sources__detach(e);
}

/* The child: takes the probes away once its parent holds none of them, which would be the last to close them. */
static void detach_after(struct xpt_engine *e, int parents_end)
{
	const int kept[] = { parents_end, e->events_lock };
	char c;

	setsid();
	prctl(PR_SET_NAME, "xputrace-close");
	xpt_fds__let_go(kept, 2);
	while (read(parents_end, &c, 1) < 0 && errno == EINTR)
		;
	call_bpf__detach(e->skel);
	xpt_sources__detach(e);
	_exit(0);
}

static void drain_rings(struct xpt_engine *e)
{
	while (xpt_reading__consume(e, UINT64_MAX) == -EAGAIN)
		;
}

/* Whether the child has ended within CHILD_WAITS looks; the rings are emptied meanwhile. */
static bool is_child_done(struct xpt_engine *e, int pid)
{
	for (int i = 0; i < CHILD_WAITS; i++) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return true;
		drain_rings(e);
		usleep(PARENT_US);
	}
	return false;
}

/*
 * Takes the probes away in a child, for a stranger can make that last: whoever maps a library very often, or forks
 * processes that are very large. False: it goes on in the background.
 */
static bool detach_in_child(struct xpt_engine *e)
{
	int ends[2], pid;

	if (pipe2(ends, O_CLOEXEC)) {
		xpt_sources__detach(e);
		return true;
	}
	pid = fork();
	if (!pid) {
		close(ends[1]);
		detach_after(e, ends[0]);
	}
	xpt_sources__detach(e);
	close(ends[0]);
	close(ends[1]);
	return pid < 0 || is_child_done(e, pid);
}

/*
 * Probes go one by one: a call whose return is no longer seen must not look like one that the
 * next call of its thread has cut off, so no call begins while they go.
 */
void xpt_leave__end(struct xpt_engine *e)
{
	e->skel->bss->xpt_ending = 1;
	if (xpt_leave__is_slow(e)) {	/* they go later, xpt_engine__free() */
		if (e->stats.nr_probes)
			xpt_calibration__end(e);
		e->skel->bss->xpt_stopping = 1;
	} else {
		xpt_calibration__pause(e);
		e->skel->bss->xpt_stopping = 1;
		if (xpt_engine__is_open(e))
			e->stats.leaves_late = !detach_in_child(e);
		else
			xpt_sources__detach(e);
		e->skel->bss->xpt_stopping = e->stats.leaves_late;
		xpt_calibration__go_on(e);
		drain_rings(e);
		if (e->stats.nr_probes && !e->stats.leaves_late)
			xpt_calibration__end(e);
	}
	drain_rings(e);
}
