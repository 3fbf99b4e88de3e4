/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rows of latencies. Between latency.c and latency_by.c only.
 */
#ifndef XPT_SPDK_LATENCY_PRIV_H
#define XPT_SPDK_LATENCY_PRIV_H

#include "base/dist.h"
#include "base/strbuf.h"

/* The line above rows whose first column is called so. */
void xpt_spdk_latency__add_head(struct xpt_strbuf *sb, const char *first);
/* of: ns of the whole table. A name that is too long for its column has a line of its own. */
void xpt_spdk_latency__add_row(struct xpt_strbuf *sb, const char *name, const struct xpt_dist *d, uint64_t of);
/* The members of a JSON object. */
void xpt_spdk_latency__add_json(struct xpt_strbuf *sb, const struct xpt_dist *d);

#endif
