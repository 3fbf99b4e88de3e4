/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lanes: memory that the BPF programs write and the engine maps. As the rest
 * of wire/, fixed width and the same on both sides.
 */
#ifndef XPT_WIRE_LANE_H
#define XPT_WIRE_LANE_H

#include "wire/wire.h"

/*
 * A lane: the records of one busy thread, written without a lock and without a
 * call into the kernel. The data follows, and after it room for a record that
 * begins just before the end. Positions only grow; a record starts at its
 * position modulo lane_bytes.
 */
struct xpt_lane {
	__u64 head;		/* written up to: the thread's */
	__u64 pad[7];
	__u64 tail;		/* read up to: the reader's, in a cache line of its own */
	__u64 pad2[7];
};

#define XPT_LANES 32u
#define XPT_LANE_RECORD 256u	/* more than a call without a string takes */
#define XPT_LANE_SIZE(data) (sizeof(struct xpt_lane) + (data) + XPT_LANE_RECORD)

_Static_assert(sizeof(struct xpt_lane) == 128, "lane");

#endif
