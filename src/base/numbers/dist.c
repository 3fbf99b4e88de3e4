/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A log-linear histogram: the exponent and the five bits below it choose the
 * bucket, so adding costs a shift and no search.
 */
#include "base/numbers/dist.h"

#define SUB_BITS 5
#define SUB (1u << SUB_BITS)

static unsigned slot_of(uint64_t v)
{
	unsigned e, slot;

	if (v < SUB)
		return (unsigned)v;
	e = 63u - (unsigned)__builtin_clzll(v);
	slot = (e - SUB_BITS + 1) * SUB + (unsigned)(v >> (e - SUB_BITS) & (SUB - 1));
	return slot < XPT_DIST_SLOTS ? slot : XPT_DIST_SLOTS - 1;
}

/* The middle of a bucket. */
static uint64_t value_of(unsigned slot)
{
	unsigned shift = slot / SUB - 1;

	if (slot < SUB)
		return slot;
	return ((uint64_t)(SUB + slot % SUB) << shift) + ((1ull << shift) >> 1);
}

void xpt_dist__add(struct xpt_dist *d, uint64_t v)
{
	uint32_t *n = &d->slot[slot_of(v)];

	*n += *n < UINT32_MAX;
	d->count++;
	d->sum += v;
	if (v > d->max)
		d->max = v;
}

uint64_t xpt_dist__quantile(const struct xpt_dist *d, double q)
{
	double below = 0, want = q * (double)d->count;
	uint64_t v;

	if (!d->count || q >= 1)
		return d->max;
	for (unsigned i = 0; i < XPT_DIST_SLOTS; i++) {
		below += d->slot[i];
		if (d->slot[i] && below >= want) {
			v = value_of(i);
			return v < d->max && i + 1 < XPT_DIST_SLOTS ? v : d->max;
		}
	}
	return d->max;
}

uint64_t xpt_dist__mean(const struct xpt_dist *d)
{
	return d->count ? d->sum / d->count : 0;
}
