/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A quantity over time in fixed space: at most XPT_SERIES_MAX spans of equal
 * length, each with the smallest, largest and last value in it. When the time
 * no longer fits, neighbours are merged and the spans become twice as long.
 */
#ifndef XPT_MODEL_PICTURE_SERIES_H
#define XPT_MODEL_PICTURE_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#define XPT_SERIES_MAX 512	/* a power of two */

struct xpt_span {
	uint64_t min, max, last;
};

struct xpt_series {
	uint64_t start_ns, span_ns;	/* span i begins at start_ns + i * span_ns */
	uint64_t end_ns;		/* of the newest value */
	unsigned nr;
	struct xpt_span span[XPT_SERIES_MAX];
};

/* Steady growth of the smallest values, without the first quarter of the time. */
struct xpt_trend {
	double rate;		/* per second: the median of all slopes (Theil-Sen) */
	double low, high;	/* its 95 % interval */
	double z;		/* Mann-Kendall: 0 no trend, above 3.3 chance is below 1:1000 */
	uint64_t grown;		/* growth of the part that was never given back */
	unsigned rises;		/* parts of XPT_TREND_PARTS in which it did */
};

#define XPT_TREND_PARTS 12

/* The quantity is v from ts_ns on. Time that goes back counts as the newest. */
void xpt_series__add(struct xpt_series *s, uint64_t ts_ns, uint64_t v);
/* The last value holds until ts_ns. */
void xpt_series__extend(struct xpt_series *s, uint64_t ts_ns);
/* False if there is too little to say anything. */
bool xpt_series__trend(const struct xpt_series *s, struct xpt_trend *ret_t);

#endif
