// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Histograms of how long calls took, by function, for all processes together: by process as well they would be
 * fifteen lines for each line that the counters have.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/metrics_priv.h"
#include "model/domain/domain.h"
#include "model/durations.h"

#define OTHER "(other)"
struct key {				/* no padding: it is hashed */
	const char *domain;
	const struct xpt_fn *fn;	/* NULL: those without a histogram of their own */
};

struct durations {
	uint64_t calls[XPT_DURATIONS];	/* for the page: with those that took less time */
	uint64_t sum_ns;
};

static struct xpt_hashmap *add_up(const struct xpt_metrics *m, const struct xpt_hashmap *totals)
{
	struct xpt_hashmap *all = NULL;
	const void *k;
	size_t pos = 0;
	void *n;

	if (xpt_hashmap__new(sizeof(struct key), sizeof(struct durations), XPT_METRICS_HISTOGRAMS + XPT_MAX_FNS, &all))
		return NULL;
	while (xpt_hashmap__next(totals, &pos, &k, &n)) {
		const struct xpt_fn *fn = ((const struct xpt_metrics_series_key *)k)->fn;
		struct key key = { fn->domain_name, xpt_hashmap__find(m->histograms, &fn) ? fn : NULL };
		struct durations *d = xpt_hashmap__get(all, &key, NULL);

		if (!d)
			continue;
		xpt_durations__add(d->calls, n);
		d->sum_ns += ((const struct xpt_wire_count *)n)->time_ns;
	}
	return all;
}

int xpt_metrics__print_durations(const struct xpt_metrics *m, const struct xpt_hashmap *totals, struct xpt_strbuf *sb)
{
	static const struct xpt_prom_family f = {
		"xputrace_call_duration_seconds", "How long calls took, with calls inside them", XPT_PROM_HISTOGRAM, 9,
		{ "domain", "function" } };
	struct xpt_hashmap *all = add_up(m, totals);
	struct xpt_prom_histogram *h = all ? calloc(xpt_hashmap__len(all) + 1, sizeof(*h)) : NULL;
	uint64_t bound[XPT_DURATION_BOUNDS];
	const void *k;
	size_t pos = 0, n = 0;
	void *v;

	for (unsigned i = 0; i < XPT_DURATION_BOUNDS; i++)
		bound[i] = xpt_durations__bound(i);
	while (h && xpt_hashmap__next(all, &pos, &k, &v)) {
		const struct key *key = k;
		struct durations *d = v;

		for (unsigned i = 1; i < XPT_DURATIONS; i++)
			d->calls[i] += d->calls[i - 1];
		h[n++] = (struct xpt_prom_histogram){ { key->domain, key->fn ? key->fn->name : OTHER }, d->calls,
						      d->calls[XPT_DURATIONS - 1], d->sum_ns };
	}
	if (h)
		xpt_prom__add_histograms(sb, &f, bound, XPT_DURATION_BOUNDS, h, n);
	free(h);
	xpt_hashmap__free(all);
	return h ? 0 : -ENOMEM;
}
