/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lanes: a row of a picture for each thread. A thread's calls arrive in the
 * order in which they returned, inner ones first. In a sound trace they nest; a
 * lane makes sure that the drawn spans always do, whatever a damaged recording
 * has, and keeps calls that have not returned until the end.
 */
#ifndef XPT_MODEL_PICTURE_LANES_H
#define XPT_MODEL_PICTURE_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/event.h"

#define XPT_LANE_SPANS 32

struct xpt_span {
	uint64_t start_ns, end_ns;
	unsigned depth;
};

struct xpt_lane {
	const struct xpt_proc *proc;
	uint32_t tid;
	uint32_t nr;		/* 1, 2, ... in order of appearance */
	char comm[XPT_COMM_LEN];	/* the thread's name in the last event */
	bool renamed;		/* new, or comm has changed: for the owner to clear */
	void *user;		/* the owner's, NULL at first */
	unsigned nr_spans;
	struct xpt_span span[XPT_LANE_SPANS];	/* drawn, side by side, in order of time */
	struct xpt_open *open[XPT_MAX_DEPTH];	/* calls that have not returned */
};

struct xpt_lanes;

/* Called for each lane before it is forgotten: the table was full, or its process goes. */
typedef void (*xpt_lane_drop_t)(void *ctx, struct xpt_lane *lane);

/* Makes a table of at most max lanes; if it is full, all are dropped and begin anew. Returns 0 or -ENOMEM. */
int xpt_lanes__new(size_t max, xpt_lane_drop_t drop, void *ctx, struct xpt_lanes **ret_l);
void xpt_lanes__free(struct xpt_lanes *l);	/* NULL is fine; drops nothing */
/* The lane of a call's thread, made if it is new; NULL: out of memory. */
struct xpt_lane *xpt_lanes__get(struct xpt_lanes *l, const struct xpt_call *c);
/* NULL: that thread has no lane. */
struct xpt_lane *xpt_lanes__find(const struct xpt_lanes *l, const struct xpt_proc *proc,
				 uint32_t tid);
void xpt_lanes__forget(struct xpt_lanes *l);	/* at XPT_EV_FORGET */
/* Iteration in unspecified order from *pos = 0; NULL at the end. */
struct xpt_lane *xpt_lanes__next(const struct xpt_lanes *l, size_t *pos);

/*
 * Start and end of a call that returned, such that all spans of the lane nest.
 * False: a part that lies inside of another call without nesting was cut off.
 */
bool xpt_lane__fit(struct xpt_lane *lane, const struct xpt_call *c, struct xpt_span *ret_span);
/* Keeps n bytes that stand for a call in flight until the lane ends or the call
 * returns; later news of the same call replaces them. 0 or -ENOMEM. */
int xpt_lane__keep_open(struct xpt_lane *lane, const struct xpt_call *c, const void *data,
			size_t n);
/* The bytes kept for depth, or NULL; *ret_start_ns such that it nests. Outermost first. */
const void *xpt_lane__open(const struct xpt_lane *lane, unsigned depth, size_t *ret_n,
			   uint64_t *ret_start_ns);

#endif
