/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The distribution of a number in fixed space: 32 buckets for each doubling, so
 * a quantile is at most 1/64 (1.6 %) off. Numbers from 2^45 on (10 hours in ns) share one.
 */
#ifndef XPT_BASE_NUMBERS_DIST_H
#define XPT_BASE_NUMBERS_DIST_H

#include <stdint.h>

#define XPT_DIST_SLOTS 1312	/* 32 for 0..31, then 32 for each of 40 doublings */

struct xpt_dist {
	uint64_t count, sum, max;
	uint32_t slot[XPT_DIST_SLOTS];
};

void xpt_dist__add(struct xpt_dist *d, uint64_t v);
/* The value below which q (0 to 1) of all lie, never above the largest; 0 without any. */
uint64_t xpt_dist__quantile(const struct xpt_dist *d, double q);
uint64_t xpt_dist__mean(const struct xpt_dist *d);	/* 0 without any */

#endif
