/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For how long a process was kept waiting in the kernel, other than for a processor: a process that others leave no
 * processor is not slow by itself. Its state and /proc/PID/schedstat give the time that it waits for a processor.
 */
#ifndef XPT_PROC_REMOTE_BLOCKED_H
#define XPT_PROC_REMOTE_BLOCKED_H

#include <stdbool.h>
#include <stdint.h>

struct xpt_blocked_look {
	uint64_t ns;			/* when */
	/* Time on a processor, and time ready to run before that; 0 if the kernel does not report it. */
	uint64_t ran_ns, delayed_ns;
	bool is_runnable;		/* it runs, or could */
};

struct xpt_blocked {
	struct xpt_blocked_look last;
	uint64_t blocked_ns;		/* since the first look */
};

void xpt_blocked__begin(struct xpt_blocked *b, int pid);
/* Looks again. Returns blocked_ns. */
uint64_t xpt_blocked__look(struct xpt_blocked *b, int pid);
/* The same with a look that was taken, for tests. */
void xpt_blocked__add(struct xpt_blocked *b, const struct xpt_blocked_look *look);

#endif
