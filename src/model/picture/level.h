/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A sum that goes up and down, and its peak. A decrease may be reported late,
 * when the call that made it returns, and counts from the time at which that
 * call began: the peak is that of the sum in order of time, not of arrival.
 *
 * For that the highest values so far are kept, each higher than the one before:
 * a decrease lowers those after its time, and values no longer higher than an
 * earlier one are removed. Of more than XPT_LEVEL_MAX the lowest becomes the
 * floor, which is not lowered any more: a decrease from before it is counted as
 * late, and the peak may be too high by it.
 */
#ifndef XPT_MODEL_PICTURE_LEVEL_H
#define XPT_MODEL_PICTURE_LEVEL_H

#include <stdint.h>

#define XPT_LEVEL_MAX 32

struct xpt_high {
	uint64_t ns, value;
};

struct xpt_level {
	uint64_t now;		/* the sum of the changes so far */
	uint64_t late;		/* decreases from before the floor */
	struct xpt_high floor;	/* the highest value that was kept once */
	unsigned nr;
	struct xpt_high high[XPT_LEVEL_MAX];
};

/* Increases come in order of time. */
void xpt_level__add(struct xpt_level *l, uint64_t ts_ns, uint64_t n);
/* The sum is smaller by n after ts_ns, never below zero. */
void xpt_level__sub(struct xpt_level *l, uint64_t ts_ns, uint64_t n);

/* The highest value and when it was reached first; zeros if there is none. */
static inline struct xpt_high xpt_level__peak(const struct xpt_level *l)
{
	return l->nr ? l->high[l->nr - 1] : l->floor;
}

#endif
