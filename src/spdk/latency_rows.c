// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rows of latencies, see latency_rows.h.
 */
#include "spdk/latency_rows.h"

#include <inttypes.h>
#include <string.h>

#include "base/fmt.h"
#include "model/text.h"

#define NAME_COLUMNS 23

void xpt_spdk_latency__fold(const struct xpt_dist *d, uint64_t bucket[XPT_SPDK_LATENCY_BUCKETS])
{
	for (unsigned k = 0; k < XPT_SPDK_LATENCY_BUCKETS; k++)
		bucket[k] = 0;
	for (unsigned i = 0; i < XPT_DIST_SLOTS; i++)
		bucket[i < 2 ? 0 : i < 32 ? 31 - (unsigned)__builtin_clz(i) : 5 + (i - 32) / 32] +=
			d->slot[i];
}

bool xpt_spdk_latency__span(const uint64_t bucket[XPT_SPDK_LATENCY_BUCKETS], unsigned *ret_first, unsigned *ret_last)
{
	*ret_first = XPT_SPDK_LATENCY_BUCKETS;
	for (unsigned k = 0; k < XPT_SPDK_LATENCY_BUCKETS; k++) {
		if (!bucket[k])
			continue;
		if (*ret_first == XPT_SPDK_LATENCY_BUCKETS)
			*ret_first = k;
		*ret_last = k;
	}
	return *ret_first < XPT_SPDK_LATENCY_BUCKETS;
}

void xpt_spdk_latency__add_head(struct xpt_strbuf *sb, const char *first)
{
	xpt_strbuf__addf(sb, "  %-*s %9s %8s %8s %8s %8s %8s\n", NAME_COLUMNS, first, "count", "share", "mean", "p50", "p99",
			 "max");
}

void xpt_spdk_latency__add_row(struct xpt_strbuf *sb, const char *name, const struct xpt_dist *d, uint64_t of)
{
	char count[32], mean[32], p50[32], p99[32], max[32];
	bool is_long = strlen(name) > NAME_COLUMNS;

	if (is_long)
		xpt_strbuf__addf(sb, "  %s\n", name);
	xpt_strbuf__add(sb, "  ");
	xpt_text__cell(sb, is_long ? "" : name, NAME_COLUMNS, false, true);
	xpt_strbuf__addf(sb, " %9s %7.1f%% %8s %8s %8s %8s\n", xpt_fmt_count(d->count, count, sizeof(count)),
			 of ? 100.0 * (double)d->sum / (double)of : 0.0,
			 xpt_fmt_ns(xpt_dist__mean(d), mean, sizeof(mean)),
			 xpt_fmt_ns(xpt_dist__quantile(d, 0.5), p50, sizeof(p50)),
			 xpt_fmt_ns(xpt_dist__quantile(d, 0.99), p99, sizeof(p99)),
			 xpt_fmt_ns(d->max, max, sizeof(max)));
}

void xpt_spdk_latency__add_json(struct xpt_strbuf *sb, const struct xpt_dist *d)
{
	uint64_t bucket[XPT_SPDK_LATENCY_BUCKETS];
	unsigned first, last = 0;

	xpt_strbuf__addf(sb, "\"count\":%" PRIu64 ",\"total_ns\":%" PRIu64 ",\"mean_ns\":%" PRIu64
			 ",\"p50_ns\":%" PRIu64 ",\"p90_ns\":%" PRIu64 ",\"p99_ns\":%" PRIu64
			 ",\"max_ns\":%" PRIu64 ",\"histogram\":[", d->count, d->sum, xpt_dist__mean(d),
			 xpt_dist__quantile(d, 0.5), xpt_dist__quantile(d, 0.9),
			 xpt_dist__quantile(d, 0.99), d->max);
	xpt_spdk_latency__fold(d, bucket);
	if (xpt_spdk_latency__span(bucket, &first, &last))
		for (unsigned k = first; k <= last; k++)
			xpt_strbuf__addf(sb, "%s{\"from_ns\":%llu,\"count\":%" PRIu64 "}", k > first ? "," : "",
					 k ? 1ull << k : 0ull, bucket[k]);
	xpt_strbuf__addc(sb, ']');
}
