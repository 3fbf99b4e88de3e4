/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Means of whole numbers, for sums that come from a recording and may be anything.
 */
#ifndef XPT_BASE_NUMBERS_MEAN_H
#define XPT_BASE_NUMBERS_MEAN_H

#include <stdint.h>

/* Returns sum / n, or 0 where n is 0: sums of a recording may be anything, and may wrap. */
static inline uint64_t xpt_mean(uint64_t sum, uint64_t n)
{
	return n ? sum / n : 0;
}

#endif
