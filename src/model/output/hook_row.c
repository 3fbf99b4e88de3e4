// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rows of hooks: reading their records, bounds of buckets, text in the form
 * that users of tracers know: @map[key]: value.
 */
#include "model/output/hook_row.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"

#define LABEL 20		/* columns of a bucket's bounds, at least */
#define MIN_BAR 8

static const char *const actions[] = {
#define X(e, n, s) [n] = s,
	XPT_HOOK_ACTIONS(X)
#undef X
};

static const char *next_string(const char **at, const char *end)
{
	const char *s = *at, *nul = s < end ? memchr(s, 0, (size_t)(end - s)) : NULL;

	if (nul)
		*at = nul + 1;
	return nul ? s : NULL;
}

enum { LOG2_BUCKETS = 66 };	/* below 0, 0, and one for each power of two */

bool xpt_hook_row__read(const void *rec, size_t size, struct xpt_hook_row *ret_row)
{
	const struct xpt_rec_hook *r = rec;
	struct xpt_hook_row row = { .rec = r };
	const char *at, *end = (const char *)rec + size;

	if (size < sizeof(*r) || r->action == XPT_HOOK_EVENT || r->action >= XPT_HOOK_ACTION__MAX ||
	    r->nr_keys > XPT_HOOK_KEYS || r->first + r->nr_buckets > XPT_HOOK_BUCKETS ||
	    sizeof(*r) + r->nr_buckets * 8u > size || (r->action == XPT_HOOK_LINEAR && (!r->step || r->step > INT64_MAX)))
		return false;
	if (r->action == XPT_HOOK_LOG2 && r->first + r->nr_buckets > LOG2_BUCKETS)
		return false;
	row.bucket = (const uint64_t *)(r + 1);
	at = (const char *)(row.bucket + r->nr_buckets);
	row.name = next_string(&at, end);
	if (!row.name)
		return false;
	for (unsigned i = 0; i < r->nr_keys; i++) {
		row.key_name[i] = next_string(&at, end);
		row.key[i] = row.key_name[i] ? next_string(&at, end) : NULL;
		if (!row.key[i])
			return false;
	}
	*ret_row = row;
	return true;
}

const char *xpt_hook_row__action(const struct xpt_hook_row *row)
{
	return actions[row->rec->action];
}

/* Finds the begin of bucket b; false if it has none, or if it is outside of int64_t. */
static bool begin_of(const struct xpt_rec_hook *r, unsigned b, int64_t *ret_v)
{
	int64_t steps;

	if (!b)
		return false;
	if (r->action == XPT_HOOK_LOG2) {
		if (b >= LOG2_BUCKETS - 1)
			return false;
		*ret_v = b == 1 ? 0 : (int64_t)(1ULL << (b - 2));
		return true;
	}
	return !__builtin_mul_overflow((int64_t)(b - 1), (int64_t)r->step, &steps) &&
	       !__builtin_add_overflow(r->low, steps, ret_v);
}

bool xpt_hook_row__low(const struct xpt_hook_row *row, unsigned i, int64_t *ret_low)
{
	return begin_of(row->rec, row->rec->first + i, ret_low);
}

bool xpt_hook_row__high(const struct xpt_hook_row *row, unsigned i, int64_t *ret_high)
{
	if (row->rec->action == XPT_HOOK_LINEAR && row->rec->first + i > row->rec->steps)
		return false;
	return begin_of(row->rec, row->rec->first + i + 1, ret_high);
}

void xpt_hook_row__add_key(const struct xpt_hook_row *row, struct xpt_strbuf *sb)
{
	for (unsigned i = 0; i < row->rec->nr_keys; i++) {
		xpt_strbuf__add(sb, i ? ", " : "");
		xpt_strbuf__add(sb, row->key[i]);
	}
}

static int64_t average_of(const struct xpt_rec_hook *r)
{
	return !r->count || r->count > INT64_MAX ? 0 : r->sum / (int64_t)r->count;
}

static void add_number(const struct xpt_rec_hook *r, int64_t v, struct xpt_strbuf *sb)
{
	char buf[32];

	if (r->is_time && v >= 0)
		xpt_strbuf__add(sb, xpt_fmt_ns((uint64_t)v, buf, sizeof(buf)));
	else
		xpt_strbuf__addf(sb, "%" PRId64, v);
}

/* 4096 is 4K: bounds of powers of two are short so. */
static void add_bound(const struct xpt_rec_hook *r, int64_t v, struct xpt_strbuf *sb)
{
	static const char units[] = " KMGTPE";
	unsigned u = 0;

	if (r->is_time || r->action == XPT_HOOK_LINEAR) {
		add_number(r, v, sb);
		return;
	}
	while (v && v % 1024 == 0) {
		v /= 1024;
		u++;
	}
	xpt_strbuf__addf(sb, "%" PRId64, v);
	if (u)
		xpt_strbuf__addc(sb, units[u]);
}

static void add_label(const struct xpt_hook_row *row, unsigned i, struct xpt_strbuf *sb)
{
	int64_t low = 0, high = 0;
	bool has_low = xpt_hook_row__low(row, i, &low), has_high = xpt_hook_row__high(row, i, &high);
	size_t from = sb->len;

	if (has_low && has_high && high - 1 == low && !row->rec->is_time) {
		xpt_strbuf__addc(sb, '[');
		add_bound(row->rec, low, sb);
		xpt_strbuf__addc(sb, ']');
	} else {
		xpt_strbuf__add(sb, has_low ? "[" : "(...");
		if (has_low)
			add_bound(row->rec, low, sb);
		xpt_strbuf__add(sb, ", ");
		if (has_high)
			add_bound(row->rec, high, sb);
		xpt_strbuf__add(sb, has_high ? ")" : "...)");
	}
	while (!xpt_strbuf__err(sb) && sb->len - from < LABEL)
		xpt_strbuf__addc(sb, ' ');
}

static void add_buckets(const struct xpt_hook_row *row, unsigned columns, struct xpt_strbuf *sb)
{
	unsigned bar = columns > LABEL + 14 + MIN_BAR ? columns - LABEL - 14 : MIN_BAR;
	uint64_t max = 1;

	for (unsigned i = 0; i < row->rec->nr_buckets; i++)
		max = row->bucket[i] > max ? row->bucket[i] : max;
	for (unsigned i = 0; i < row->rec->nr_buckets; i++) {
		unsigned n = (unsigned)((double)row->bucket[i] / (double)max * bar);

		xpt_strbuf__addc(sb, '\n');
		add_label(row, i, sb);
		xpt_strbuf__addf(sb, " %9" PRIu64 " |", row->bucket[i]);
		for (unsigned k = 0; k < bar; k++)
			xpt_strbuf__addc(sb, k < n ? '@' : ' ');
		xpt_strbuf__addc(sb, '|');
	}
}

void xpt_hook_row__add_text(const struct xpt_hook_row *row, unsigned columns, struct xpt_strbuf *sb)
{
	const struct xpt_rec_hook *r = row->rec;

	xpt_strbuf__addf(sb, "@%s", row->name);
	if (r->nr_keys) {
		xpt_strbuf__addc(sb, '[');
		xpt_hook_row__add_key(row, sb);
		xpt_strbuf__addc(sb, ']');
	}
	xpt_strbuf__add(sb, ": ");
	switch (r->action) {
	case XPT_HOOK_COUNT:
		xpt_strbuf__addf(sb, "%" PRIu64, (uint64_t)r->count);
		return;
	case XPT_HOOK_SUM:
		add_number(r, r->sum, sb);
		return;
	case XPT_HOOK_MIN:
		add_number(r, r->min, sb);
		return;
	case XPT_HOOK_MAX:
		add_number(r, r->max, sb);
		return;
	case XPT_HOOK_AVG:
		add_number(r, average_of(r), sb);
		return;
	}
	xpt_strbuf__addf(sb, "%" PRIu64 " values, average ", (uint64_t)r->count);
	add_number(r, average_of(r), sb);
	xpt_strbuf__add(sb, ", largest ");
	add_number(r, r->max, sb);
	add_buckets(row, columns, sb);
}
