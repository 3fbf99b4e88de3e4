/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Series and their trend. The trend looks at the smallest value of each span: a
 * loop that allocates and frees moves the values up and down as it likes,
 * memory that it forgets moves the floor. Ranks instead of squares
 * (Mann-Kendall, Theil-Sen), because neither steps nor outliers then need
 * assumptions.
 */
#include "model/picture/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SPAN 1024		/* ns */
#define POINTS 96		/* that a trend looks at: 4560 pairs */
#define MIN_POINTS 24

static void halve_series(struct xpt_series *s)
{
	unsigned i, to = 0;

	for (i = 0; i < s->nr; i += 2, to++) {
		struct xpt_span a = s->span[i], b = s->span[i + 1 < s->nr ? i + 1 : i];

		s->span[to] = (struct xpt_span){
			.min = a.min < b.min ? a.min : b.min,
			.max = a.max > b.max ? a.max : b.max,
			.last = b.last,
		};
	}
	s->nr = to;
	s->span_ns *= 2;
}

void xpt_series__extend(struct xpt_series *s, uint64_t ts_ns)
{
	uint64_t i;

	if (!s->nr || ts_ns <= s->end_ns)
		return;
	s->end_ns = ts_ns;
	while ((i = (ts_ns - s->start_ns) / s->span_ns) >= XPT_SERIES_MAX)
		halve_series(s);
	for (; s->nr <= i; s->nr++) {
		uint64_t v = s->span[s->nr - 1].last;

		s->span[s->nr] = (struct xpt_span){ v, v, v };
	}
}

void xpt_series__add(struct xpt_series *s, uint64_t ts_ns, uint64_t v)
{
	struct xpt_span *at;

	if (!s->nr) {
		*s = (struct xpt_series){ .start_ns = ts_ns, .end_ns = ts_ns,
					  .span_ns = FIRST_SPAN, .nr = 1 };
		s->span[0] = (struct xpt_span){ v, v, v };
		return;
	}
	xpt_series__extend(s, ts_ns);
	at = &s->span[s->nr - 1];
	at->min = v < at->min ? v : at->min;
	at->max = v > at->max ? v : at->max;
	at->last = v;
}

/* The smallest values after the warm-up, at most POINTS of them. */
static unsigned floor_of(const struct xpt_series *s, double *y, double *ret_step_s)
{
	unsigned from = s->nr / 4, left = s->nr - from, n = left < POINTS ? left : POINTS;

	for (unsigned i = 0; i < n; i++) {
		unsigned a = from + left * i / n, b = from + left * (i + 1) / n;
		uint64_t min = s->span[a].min;

		for (; a < b; a++)
			min = s->span[a].min < min ? s->span[a].min : min;
		y[i] = (double)min;
	}
	*ret_step_s = (double)s->span_ns * left / n / 1e9;
	return n;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Variance of Mann-Kendall's sum, equal values taken into account. */
static double variance_of(const double *y, unsigned n)
{
	double sorted[POINTS], v = (double)n * (n - 1) * (2.0 * n + 5);
	unsigned run = 1;

	memcpy(sorted, y, n * sizeof(*y));
	qsort(sorted, n, sizeof(*sorted), by_value);
	for (unsigned i = 1; i <= n; i++) {
		if (i < n && sorted[i] <= sorted[i - 1]) {
			run++;
			continue;
		}
		v -= (double)run * (run - 1) * (2.0 * run + 5);
		run = 1;
	}
	return v / 18;
}

static double pick_rank(const double *sorted, unsigned n, double rank)
{
	double i = rank < 0 ? 0 : rank > n - 1.0 ? n - 1.0 : rank;

	return sorted[(unsigned)i];
}

/* Replaces each point by the part that was never given back: the smallest value from it to
 * the end. */
static void count_rises(double *y, unsigned n, uint64_t last, struct xpt_trend *t)
{
	double kept = (double)last, grown;

	for (unsigned i = n; i-- > 0; y[i] = kept)
		kept = y[i] < kept ? y[i] : kept;
	grown = y[n - 1] - y[0];
	t->grown = grown < 0x1p64 ? (uint64_t)grown : UINT64_MAX;	/* values near 2^64 are rounded up to it */
	for (unsigned i = 0; i < XPT_TREND_PARTS; i++)
		t->rises += y[(n - 1) * (i + 1) / XPT_TREND_PARTS] >
			    y[(n - 1) * i / XPT_TREND_PARTS];
}

bool xpt_series__trend(const struct xpt_series *s, struct xpt_trend *ret_t)
{
	double y[POINTS], step, sum = 0, var, half;
	unsigned n = s->nr ? floor_of(s, y, &step) : 0, nr = 0;
	struct xpt_trend t = { 0 };
	double *slope;

	if (n < MIN_POINTS)
		return false;
	slope = malloc((size_t)n * (n - 1) / 2 * sizeof(*slope));
	if (!slope)
		return false;
	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = i + 1; k < n; k++) {
			sum += (y[k] > y[i]) - (y[k] < y[i]);
			slope[nr++] = (y[k] - y[i]) / (step * (k - i));
		}
	}
	qsort(slope, nr, sizeof(*slope), by_value);
	var = variance_of(y, n);
	t.z = var > 0 && sum != 0 ? (sum - (sum > 0 ? 1 : -1)) / sqrt(var) : 0;
	half = 1.96 * sqrt(var > 0 ? var : 0);
	t.rate = pick_rank(slope, nr, nr / 2.0);
	t.low = pick_rank(slope, nr, (nr - half) / 2);
	t.high = pick_rank(slope, nr, (nr + half) / 2);
	free(slope);
	count_rises(y, n, s->span[s->nr - 1].last, &t);
	*ret_t = t;
	return true;
}
