// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See wall_clock.h. A reading that contains the offset, whatever it took, is no reason for another one. */
#include "base/wall_clock.h"

#include "base/time.h"

#define STEP_NS 1000000
enum { TRIES = 5 };

static struct xpt_wall_reading read_clocks(void)
{
	struct xpt_wall_reading r;

	r.before = xpt_now_ns();
	r.wall = xpt_clock_ns(CLOCK_REALTIME);
	r.after = xpt_now_ns();
	return r;
}

/* Returns the reading that took least of a few: a reader that loses its CPU in between knows little. */
static struct xpt_wall_reading read_exactly(void)
{
	struct xpt_wall_reading best = read_clocks(), r;
	int i;

	for (i = 1; i < TRIES; i++) {
		r = read_clocks();
		if (r.after - r.before < best.after - best.before)
			best = r;
	}
	return best;
}

bool xpt_wall_clock__apply(struct xpt_wall_clock *c, const struct xpt_wall_reading *r)
{
	int64_t least = (int64_t)(r->wall - r->after), most = (int64_t)(r->wall - r->before);

	if (c->is_read && c->offset_ns > least - STEP_NS && c->offset_ns < most + STEP_NS)
		return false;
	c->offset_ns = least + (most - least) / 2;
	c->is_read = true;
	return true;
}

void xpt_wall_clock__update(struct xpt_wall_clock *c)
{
	struct xpt_wall_reading r = read_clocks();
	struct xpt_wall_clock asked = *c;

	if (!xpt_wall_clock__apply(&asked, &r))
		return;
	r = read_exactly();
	xpt_wall_clock__apply(c, &r);
}

uint64_t xpt_wall_clock__at(const struct xpt_wall_clock *c, uint64_t monotonic_ns)
{
	return monotonic_ns + (uint64_t)c->offset_ns;
}
