/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When a file is tried again on which no probe could be set: a process that maps it keeps its pages from being copied, or
 * its owner has no time left. Each time it rests for twice as long.
 */
#ifndef XPT_ENGINE_ATTACH_AGAIN_H
#define XPT_ENGINE_ATTACH_AGAIN_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#define XPT_AGAIN_NS 500000000ull	/* before the first time, */
#define XPT_AGAIN_MAX_NS 64000000000ull	/* and at most */

struct xpt_again {
	uint64_t at_ns, rest_ns;	/* at_ns 0: it is not tried again */
};

/* Whether an error of setting probes can be gone the next time. */
static inline bool xpt_again__may_help(int err)
{
	return err == -EFAULT || err == -EDQUOT;
}

/* Notes how a try at now_ns (CLOCK_MONOTONIC) has ended: 0 or -errno. */
static inline void xpt_again__note(struct xpt_again *a, int err, uint64_t now_ns)
{
	if (!xpt_again__may_help(err)) {
		*a = (struct xpt_again){ 0, 0 };
		return;
	}
	a->rest_ns = a->rest_ns ? a->rest_ns * 2 : XPT_AGAIN_NS;
	if (a->rest_ns > XPT_AGAIN_MAX_NS)
		a->rest_ns = XPT_AGAIN_MAX_NS;
	a->at_ns = now_ns + a->rest_ns;
}

/* Returns whether it is time; if so, the next time comes late, for perhaps nobody maps the file any more. */
static inline bool xpt_again__take_due(struct xpt_again *a, uint64_t now_ns)
{
	if (!a->at_ns || now_ns < a->at_ns)
		return false;
	a->at_ns = now_ns + XPT_AGAIN_MAX_NS;
	return true;
}

#endif
