/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The backoff before xputrace tries again to set probes on a file for which it failed. Two failures are temporary: a
 * process that maps the file keeps its pages from being copied (-EFAULT), or the files of the file's owner have used
 * up their share of time (-EDQUOT). The delay doubles after each failed try.
 */
#ifndef XPT_ENGINE_ATTACH_AGAIN_H
#define XPT_ENGINE_ATTACH_AGAIN_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#define XPT_AGAIN_NS 500000000ull	/* delay after the first failed try */
#define XPT_AGAIN_MAX_NS 64000000000ull	/* longest delay */

struct xpt_again {
	uint64_t at_ns, rest_ns;	/* time of the next try, 0: there is none; the latest delay */
};

/* Whether a later try to set probes can succeed after this error. */
static inline bool xpt_again__may_help(int err)
{
	return err == -EFAULT || err == -EDQUOT;
}

/* Notes the result err (0 or -errno) of a try at now_ns (CLOCK_MONOTONIC), and when the next one is due. */
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

/*
 * Returns whether the next try is due. If so, the one after it is set to the longest delay: if no process maps the
 * file any more, no try follows whose result xpt_again__note() would get.
 */
static inline bool xpt_again__take_due(struct xpt_again *a, uint64_t now_ns)
{
	if (!a->at_ns || now_ns < a->at_ns)
		return false;
	a->at_ns = now_ns + XPT_AGAIN_MAX_NS;
	return true;
}

#endif
