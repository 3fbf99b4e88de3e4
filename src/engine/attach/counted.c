// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See counted.h. The counts never fall below those before the try, since a loss that was reported stays one. */
#include "engine/attach/counted.h"

#include "engine/priv.h"

struct xpt_counted xpt_counted__now(const struct xpt_engine *e)
{
	return (struct xpt_counted){
		.nr_failed = e->stats.nr_failed, .nr_unsafe = e->stats.nr_unsafe, .nr_unseen = e->stats.nr_unseen,
		.nr_refused = e->stats.nr_refused, .nr_slow = e->stats.nr_slow, .nr_unnamed = e->stats.nr_unnamed,
	};
}

/* Returns how many of the places counted since `before` had been counted by an earlier try. */
static uint32_t take_back(uint32_t *count, uint32_t before, uint32_t *earlier)
{
	uint32_t now = *count - before, twice = now < *earlier ? now : *earlier;

	*count -= twice;
	*earlier = now > *earlier ? now : *earlier;
	return twice;
}

void xpt_counted__once(struct xpt_engine *e, const struct xpt_counted *before, struct xpt_counted *of_file)
{
	take_back(&e->stats.nr_failed, before->nr_failed, &of_file->nr_failed);
	take_back(&e->stats.nr_unsafe, before->nr_unsafe, &of_file->nr_unsafe);
	take_back(&e->stats.nr_unseen, before->nr_unseen, &of_file->nr_unseen);
	take_back(&e->stats.nr_refused, before->nr_refused, &of_file->nr_refused);
	take_back(&e->stats.nr_slow, before->nr_slow, &of_file->nr_slow);
	e->lost[XPT_LOSS_NAMES_FULL] -= take_back(&e->stats.nr_unnamed, before->nr_unnamed, &of_file->nr_unnamed);
}

void xpt_counted__add(struct xpt_counted *a, const struct xpt_counted *b)
{
	a->nr_failed += b->nr_failed;
	a->nr_unsafe += b->nr_unsafe;
	a->nr_unseen += b->nr_unseen;
	a->nr_refused += b->nr_refused;
	a->nr_slow += b->nr_slow;
	a->nr_unnamed += b->nr_unnamed;
}
