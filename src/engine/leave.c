// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See leave.h. Each link takes the kernel some time to close, so that many of them are left
 * to a child process.
 */
#include "engine/leave.h"

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/fds.h"
#include "base/log.h"
#include "engine/cost/calibrate.h"
#include "engine/priv.h"
#include "engine/reading.h"
#include "engine/source.h"
#include "call.skel.h"

#define SLOW_LINKS 24u		/* that take some 0.1 s each: more than these close in the background */
#define PARENT_US 5000
#define PARENT_WAITS 1000	/* times that: 5 s for a summary that somebody reads slowly */

bool xpt_leave__is_slow(const struct xpt_engine *e)
{
	return xpt_sources__slow_links(e) > SLOW_LINKS;
}

/*
 * Links close one by one, those of perf events each after a wait of about 0.1 s in the
 * kernel: minutes for a whole library, a second for the tracepoints of system calls. A child
 * that holds them too does that, and our user gets the prompt back at once. Their programs are
 * told to do nothing. False: no child could be made.
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
		usleep(PARENT_US);	/* whoever closes an event last waits */
	call_bpf__detach(e->skel);
	xpt_sources__detach(e);
	_exit(0);
}

void xpt_leave__detach(struct xpt_engine *e)
{
	if (!xpt_leave__is_slow(e) || !detach_in_background(e))
		xpt_sources__detach(e);
}

static void drain(struct xpt_engine *e)
{
	while (xpt_reading__consume(e, UINT64_MAX) == -EAGAIN)
		;
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
		xpt_sources__detach(e);
		e->skel->bss->xpt_stopping = 0;
		xpt_calibration__go_on(e);
		drain(e);
		if (e->stats.nr_probes)
			xpt_calibration__end(e);
	}
	drain(e);
}
