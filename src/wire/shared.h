/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes that several functions of the trace share. Nothing of this is stored in recordings.
 */
#ifndef XPT_WIRE_SHARED_H
#define XPT_WIRE_SHARED_H

#include <linux/types.h>

/*
 * Functions of the trace that share one probe: a domain's, and those of hooks. The attach
 * cookie is XPT_MAX_FNS + the index of this. Places are only ever filled, never moved.
 */
#define XPT_SHARED_FNS 8u	/* places; those beyond get another list and probe at the same places */
#define XPT_SHARED_MAX 8192u	/* of one trace at most; functions beyond have probes of their own */

struct xpt_wire_shared {
	__u32 fn[XPT_SHARED_FNS];	/* [0]: the domain's, 0: none; after it the others, then 0 */
	__u32 stack;		/* 1: some after the first want the caller's stack */
	__u32 first;		/* cookie of the first list of the same function; it may be this one */
};

#define XPT_CLS_NONE 0xffff	/* of a frame: its call is neither inside nor around others */

_Static_assert(sizeof(struct xpt_wire_shared) == 8 + 4 * XPT_SHARED_FNS, "functions of one probe");

#endif
