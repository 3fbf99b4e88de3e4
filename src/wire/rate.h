/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What limits how many calls are sent (--rate, --budget): tables with rows of XPT_MAX_FNS.
 */
#ifndef XPT_WIRE_RATE_H
#define XPT_WIRE_RATE_H

#include <linux/types.h>

/* xpt_hits has rows of XPT_MAX_FNS; CPUs that share one lose nothing, only time. */
#define XPT_HIT_ROWS 16u	/* a power of two */

#define XPT_RATE_ROWS 16u	/* of users; a power of two */

struct xpt_bpf_bucket {		/* of one function, with a cache line for itself */
	__u64 full_ns;
	__u64 pad[7];
};

#endif
