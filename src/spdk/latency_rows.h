/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rows of latencies, as text and as JSON, and the histograms below them.
 */
#ifndef XPT_SPDK_LATENCY_ROWS_H
#define XPT_SPDK_LATENCY_ROWS_H

#include <stdbool.h>
#include "base/numbers/dist.h"
#include "base/strbuf.h"

#define XPT_SPDK_LATENCY_BUCKETS 46	/* powers of two; the last holds all above */

/* Numbers by power of two: bucket 0 holds 0 and 1, bucket k [2^k, 2^(k+1)). */
void xpt_spdk_latency__fold(const struct xpt_dist *d, uint64_t bucket[XPT_SPDK_LATENCY_BUCKETS]);
/* The first and the last bucket that are not empty; false: all are. */
bool xpt_spdk_latency__span(const uint64_t bucket[XPT_SPDK_LATENCY_BUCKETS], unsigned *ret_first, unsigned *ret_last);
/* The line above rows whose first column is called so. */
void xpt_spdk_latency__add_head(struct xpt_strbuf *sb, const char *first);
/* of: ns of the whole table. A name that is too long for its column has a line of its own. */
void xpt_spdk_latency__add_row(struct xpt_strbuf *sb, const char *name, const struct xpt_dist *d, uint64_t of);
/* The members of a JSON object. */
void xpt_spdk_latency__add_json(struct xpt_strbuf *sb, const struct xpt_dist *d);

#endif
