// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The report of the time that requests spend in each state (request_states.h): a table and a histogram for each
 * state, or all of it as JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "model/text.h"
#include "spdk/latency_by.h"
#include "spdk/latency_rows.h"
#include "spdk/lives_priv.h"
#include "spdk/request_states.h"

#define BAR 40

/* --- text ------------------------------------------------------------------------------- */

static void add_bars(struct xpt_strbuf *sb, const char *name, const struct xpt_dist *d)
{
	uint64_t bucket[XPT_SPDK_LATENCY_BUCKETS], most = 0;
	char from[32], to[32], count[32];
	unsigned first, last = 0;

	xpt_spdk_latency__fold(d, bucket);
	if (!xpt_spdk_latency__span(bucket, &first, &last))
		return;
	for (unsigned k = first; k <= last; k++)
		most = bucket[k] > most ? bucket[k] : most;
	xpt_strbuf__add(sb, "\n  ");
	xpt_spdk_add_clean(sb, name);
	xpt_strbuf__addc(sb, '\n');
	for (unsigned k = first; k <= last; k++) {
		unsigned bar = (unsigned)(bucket[k] * BAR / most);

		xpt_strbuf__addf(sb, "  %8s to %8s %10s ", xpt_fmt_ns(k ? 1ull << k : 0, from, sizeof(from)),
				 xpt_fmt_ns(2ull << k, to, sizeof(to)),
				 xpt_fmt_count(bucket[k], count, sizeof(count)));
		for (unsigned i = 0; i < bar || (!i && bucket[k]); i++)
			xpt_strbuf__addc(sb, '#');
		xpt_strbuf__addc(sb, '\n');
	}
}

static void add_kind(const struct xpt_spdk_states *s, const struct xpt_spdk_kind *kind,
		     struct xpt_strbuf *sb)
{
	const struct xpt_spdk_state *st;
	char name[160], count[32];
	uint64_t total = 0;

	for (unsigned i = 0; i < XPT_SPDK_MAX_TPOINTS; i++) {
		st = xpt_spdk_states__state(s, i);
		total += st && st->kind == kind ? st->ns.sum : 0;
	}
	xpt_strbuf__add(sb, "Where requests spend their time: ");
	xpt_spdk_add_clean(sb, xpt_spdk_kind_name(kind->first, name, sizeof(name)));
	xpt_strbuf__addf(sb, ", %s begun\n", xpt_fmt_count(kind->begun, count, sizeof(count)));
	xpt_spdk_latency__add_head(sb, "state");
	for (unsigned i = 0; i < XPT_SPDK_MAX_TPOINTS; i++) {
		st = xpt_spdk_states__state(s, i);
		if (st && st->kind == kind)
			xpt_spdk_latency__add_row(sb, st->tp->name, &st->ns, total);
	}
	xpt_spdk_latency__add_row(sb, "whole request", &kind->whole, kind->whole.sum);
	if (kind->begun > kind->whole.count)
		xpt_strbuf__addf(sb, "  %s did not end in the trace\n",
				 xpt_fmt_count(kind->begun - kind->whole.count, count, sizeof(count)));
	add_bars(sb, "whole request", &kind->whole);
	for (unsigned i = 0; i < XPT_SPDK_MAX_TPOINTS; i++) {
		st = xpt_spdk_states__state(s, i);
		if (st && st->kind == kind)
			add_bars(sb, st->tp->name, &st->ns);
	}
}

void xpt_spdk_states__text(const struct xpt_spdk_states *s, struct xpt_strbuf *sb)
{
	bool any = false;

	for (unsigned i = 0; i < XPT_SPDK_MAX_TPOINTS; i++) {
		const struct xpt_spdk_kind *kind = xpt_spdk_states__kind(s, i);

		if (!kind)
			continue;
		if (any)
			xpt_strbuf__addc(sb, '\n');
		add_kind(s, kind, sb);
		any = true;
	}
	if (!any)
		xpt_strbuf__add(sb, "no requests in the trace\n");
}

/* --- JSON -------------------------------------------------------------------------------- */

void xpt_spdk_states__json(const struct xpt_spdk_states *s, const struct xpt_spdk_latency_by *by, struct xpt_strbuf *sb)
{
	const char *sep = "", *inner;
	char name[160];

	xpt_strbuf__add(sb, "{\"type\":\"latency\",\"requests\":[");
	for (unsigned i = 0; i < XPT_SPDK_MAX_TPOINTS; i++) {
		const struct xpt_spdk_kind *kind = xpt_spdk_states__kind(s, i);

		if (!kind)
			continue;
		xpt_strbuf__addf(sb, "%s{\"kind\":", sep);
		xpt_strbuf__add_json(sb, xpt_spdk_kind_name(kind->first, name, sizeof(name)));
		xpt_strbuf__addf(sb, ",\"begun\":%" PRIu64 ",\"cut\":%" PRIu64 ",", kind->begun, kind->cut);
		xpt_spdk_latency__add_json(sb, &kind->whole);
		xpt_strbuf__add(sb, ",\"states\":[");
		inner = "";
		for (unsigned k = 0; k < XPT_SPDK_MAX_TPOINTS; k++) {
			const struct xpt_spdk_state *st = xpt_spdk_states__state(s, k);

			if (!st || st->kind != kind)
				continue;
			xpt_strbuf__addf(sb, "%s{\"state\":", inner);
			xpt_strbuf__add_json(sb, st->tp->name);
			xpt_strbuf__addc(sb, ',');
			xpt_spdk_latency__add_json(sb, &st->ns);
			xpt_strbuf__addc(sb, '}');
			inner = ",";
		}
		xpt_strbuf__add(sb, "]}");
		sep = ",";
	}
	xpt_strbuf__addc(sb, ']');
	if (by) {
		xpt_strbuf__add(sb, ",\"by\":");
		xpt_spdk_latency_by__json(by, sb);
	}
	xpt_strbuf__addf(sb, ",\"unknown_entries\":%" PRIu64 ",\"left_out\":%" PRIu64 "}\n",
			 xpt_spdk_states__unknown(s), xpt_spdk_states__left_out(s));
}
