/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The latest lines of the kernel's log, on the clock of traces. Lines from before the start are passed over. */
#ifndef XPT_PROC_KLOG_H
#define XPT_PROC_KLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XPT_KLOG_LINES 256	/* that are kept */
#define XPT_KLOG_LEN 256	/* of a line; longer ones are cut */

struct xpt_klog;

/* path: NULL for the kernel's. -errno: it cannot be read. */
int xpt_klog__new(const char *path, struct xpt_klog **ret_l);
void xpt_klog__free(struct xpt_klog *l);	/* NULL is fine */
int xpt_klog__fd(const struct xpt_klog *l);	/* for poll() */
void xpt_klog__step(struct xpt_klog *l);	/* reads the lines that have arrived */
/*
 * Lines of a time (CLOCK_MONOTONIC), the last max of them, oldest first, until the next step; how many. With
 * drivers only those that may be a driver's report, see below.
 */
unsigned xpt_klog__between(const struct xpt_klog *l, uint64_t from_ns, uint64_t to_ns, bool drivers,
			   const char **ret_v, unsigned max);
/*
 * May a record ("PRIORITY,NUMBER,...") be a driver's report of something that went wrong? Those are of the kernel
 * (facility 0) and warnings at least. Most of its lines about programs that crash are info, not all: "NAME invoked
 * oom-killer" is a warning, and NAME any user's choice, so the text has to be looked at as well. Facility 1 is for
 * lines that are written into /dev/kmsg: by root by hand, as tests do, and by journald where it forwards what any
 * user logs (ForwardToKMsg=); that has the name that the user chose and "[PID]: " before the text. Services have
 * others.
 */
bool xpt_klog__may_be_driver(const char *record, size_t n);	/* n: its bytes; no NUL is needed */
/* A record as the kernel gives it, read at now_ns; for tests. */
void xpt_klog__take(struct xpt_klog *l, const char *record, size_t n, uint64_t now_ns);

#endif
