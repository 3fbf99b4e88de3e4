/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Merges two rings into one stream, in the order of time: calls by the time of
 * their return, tasks by their own time. The first ring has every record as
 * long as there is room; the second ring has the records that must not be lost
 * when there is none.
 */
#ifndef XPT_ENGINE_READ_MERGE_H
#define XPT_ENGINE_READ_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpt_thread_lanes;
struct xpt_ring;

/* Non-zero ends this round of reading; the record counts as read. */
typedef int (*xpt_merge_fn)(void *ctx, const void *rec, size_t size);

/*
 * How long a record of the second ring waits for older ones of the first, ns.
 * A probe has taken the time of a call before its record is in the ring; the
 * code between the two takes less than 2 us, or a time slice where it was
 * preempted.
 */
#define XPT_MERGE_WINDOW_NS 5000000u

struct xpt_merge {
	struct xpt_ring *ring, *urgent;
	struct xpt_thread_lanes *lanes;	/* NULL: none */
	xpt_merge_fn fn;
	void *ctx;
	uint64_t ring_ns;	/* time of the last record of the first ring, */
	uint64_t waited_ns;	/* of the last of the second that had waited long enough */
	uint64_t late;		/* records that came after one which they precede */
	uint64_t limit_ns;	/* this round takes ordinary calls that ended until then */
	bool from_lane;		/* the ordinary record found last is in a lane */
};

/*
 * Hands over all records that are there, but for records of the second ring
 * that are younger than the window at now_ns (CLOCK_MONOTONIC); UINT64_MAX
 * hands over all. Returns 0, or the result of fn.
 */
int xpt_merge__consume(struct xpt_merge *m, uint64_t now_ns);

#endif
