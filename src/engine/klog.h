/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The latest lines of the kernel's log, on the clock of traces. What was there
 * before is passed over.
 */
#ifndef XPT_ENGINE_KLOG_H
#define XPT_ENGINE_KLOG_H

#include <stddef.h>
#include <stdint.h>

#define XPT_KLOG_LINES 64	/* that are kept */
#define XPT_KLOG_LEN 256	/* of a line; longer ones are cut */

struct xpt_klog;

/* path: NULL for the kernel's. -errno: it cannot be read. */
int xpt_klog__new(const char *path, struct xpt_klog **ret_l);
void xpt_klog__free(struct xpt_klog *l);	/* NULL is fine */
int xpt_klog__fd(const struct xpt_klog *l);	/* for poll() */
void xpt_klog__step(struct xpt_klog *l);	/* reads what is there */
/* Lines of a time (CLOCK_MONOTONIC), the last max of them, oldest first, until the next step; how many. */
unsigned xpt_klog__between(const struct xpt_klog *l, uint64_t from_ns, uint64_t to_ns,
			   const char **ret_v, unsigned max);
/* A record as the kernel gives it, read at now_ns; for tests. */
void xpt_klog__take(struct xpt_klog *l, const char *record, size_t n, uint64_t now_ns);

#endif
