/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Limits on the number of calls that are sent (--rate, --budget): tables with rows of
 * XPT_MAX_FNS.
 */
#ifndef XPT_WIRE_RATE_H
#define XPT_WIRE_RATE_H

#include <linux/types.h>

/* xpt_hits has rows of XPT_MAX_FNS; CPUs that share one lose nothing, only time. */
#define XPT_HIT_ROWS 16u	/* a power of two */

/* xpt_buckets has, where there are several users, a row for each; else each function has a cache line for itself. */
#define XPT_RATE_LINE 8u

#endif
