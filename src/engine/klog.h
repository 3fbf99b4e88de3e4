/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The latest lines of the kernel's log, each with the time at which it was read:
 * the log's own clock is not that of a trace. What was there before is passed over.
 */
#ifndef XPT_ENGINE_KLOG_H
#define XPT_ENGINE_KLOG_H

#include <stdint.h>

#define XPT_KLOG_LINES 64	/* that are kept */
#define XPT_KLOG_LEN 256	/* of a line; longer ones are cut */

struct xpt_klog;

/* -errno: the log cannot be read. */
int xpt_klog__new(struct xpt_klog **ret_l);
void xpt_klog__free(struct xpt_klog *l);	/* NULL is fine */
int xpt_klog__fd(const struct xpt_klog *l);	/* for poll() */
void xpt_klog__step(struct xpt_klog *l);	/* reads what is there */
/* The last lines since a time, at most max, oldest first, until the next step; their number. */
unsigned xpt_klog__since(const struct xpt_klog *l, uint64_t from_ns, const char **ret_v, unsigned max);

#endif
