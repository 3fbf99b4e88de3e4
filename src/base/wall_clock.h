/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The wall clock as an offset of CLOCK_MONOTONIC. The kernel lets both run at one rate, so the offset changes only
 * when somebody sets the wall clock. Reading both takes time, in which the reader may lose its CPU: an offset that is
 * read anew for each event differs each time, and events would swap their order.
 */
#ifndef XPT_BASE_WALL_CLOCK_H
#define XPT_BASE_WALL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct xpt_wall_clock {		/* zeroed before */
	int64_t offset_ns;	/* to be added to a time of CLOCK_MONOTONIC */
	bool is_read;
};

struct xpt_wall_reading {	/* ns; the wall clock was read between the two others */
	uint64_t before, wall, after;
};

/* Reads the clocks. The offset stays the same unless the wall clock was set. */
void xpt_wall_clock__update(struct xpt_wall_clock *c);
/* Applies a reading. Returns whether it gave a new offset: the first one, or the wall clock was set by 1 ms or more. */
bool xpt_wall_clock__apply(struct xpt_wall_clock *c, const struct xpt_wall_reading *r);
/* Converts a time of CLOCK_MONOTONIC to nanoseconds since 1970. */
uint64_t xpt_wall_clock__at(const struct xpt_wall_clock *c, uint64_t monotonic_ns);

#endif
