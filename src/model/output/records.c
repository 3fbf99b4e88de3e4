/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A bounded store of record copies by schema, and fields as text and JSON.
 * One allocation holds a copy and its strings, to which the pointers in the copy
 * point, so that a copy is read like the original.
 */
#include "model/output/records.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/fmt.h"
#include "model/value.h"

#define MAX_SECTIONS 256	/* schemas of all analyzers together are a few dozen */

struct xpt_records {
	struct xpt_section sec[MAX_SECTIONS];
	size_t nr;
	size_t bytes, max_bytes;
};

int xpt_records__new(size_t max_bytes, struct xpt_records **ret_r)
{
	struct xpt_records *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->max_bytes = max_bytes;
	*ret_r = r;
	return 0;
}

void xpt_records__free(struct xpt_records *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->nr; i++) {
		for (size_t k = 0; k < r->sec[i].nr; k++)
			free(r->sec[i].rec[k]);
		free(r->sec[i].rec);
	}
	free(r);
}

static struct xpt_section *section_of(struct xpt_records *r, const struct xpt_schema *schema)
{
	for (size_t i = 0; i < r->nr; i++)
		if (r->sec[i].schema == schema)
			return &r->sec[i];
	if (r->nr == MAX_SECTIONS)
		return NULL;
	r->sec[r->nr].schema = schema;
	return &r->sec[r->nr++];
}

static const char *str_at(const struct xpt_field *f, const void *rec)
{
	const char *s;

	memcpy(&s, (const char *)rec + f->offset, sizeof(s));
	return s;
}

static size_t copy_size(const struct xpt_schema *schema, const void *rec)
{
	size_t n = schema->size;

	for (size_t i = 0; i < schema->nr_fields; i++) {
		const struct xpt_field *f = &schema->fields[i];

		if (f->type == XPT_T_STR && str_at(f, rec))
			n += strlen(str_at(f, rec)) + 1;
	}
	return n;
}

static void *copy_of(const struct xpt_schema *schema, const void *rec, size_t size)
{
	char *copy = malloc(size ? size : 1), *end;

	if (!copy)
		return NULL;
	memcpy(copy, rec, schema->size);
	end = copy + schema->size;
	for (size_t i = 0; i < schema->nr_fields; i++) {
		const struct xpt_field *f = &schema->fields[i];
		const char *s = f->type == XPT_T_STR ? str_at(f, rec) : NULL;

		if (!s)
			continue;
		memcpy(copy + f->offset, &end, sizeof(end));
		end = (char *)memcpy(end, s, strlen(s) + 1) + strlen(s) + 1;
	}
	return copy;
}

int xpt_records__add(struct xpt_records *r, const struct xpt_schema *schema, const void *rec)
{
	struct xpt_section *sec = section_of(r, schema);
	size_t size = copy_size(schema, rec);
	void *copy;

	if (!sec)
		return -ENOMEM;
	if (size + sizeof(void *) > r->max_bytes - r->bytes) {
		sec->dropped++;
		return 0;
	}
	if (sec->nr == sec->cap) {
		size_t cap = sec->cap ? 2 * sec->cap : 8;
		void **grown = realloc(sec->rec, cap * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		sec->rec = grown;
		sec->cap = cap;
	}
	copy = copy_of(schema, rec, size);
	if (!copy)
		return -ENOMEM;
	sec->rec[sec->nr++] = copy;
	r->bytes += size + sizeof(void *);
	return 0;
}

static int by_order(const void *a, const void *b)
{
	const struct xpt_schema *x = ((const struct xpt_section *)a)->schema;
	const struct xpt_schema *y = ((const struct xpt_section *)b)->schema;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return strcmp(x->name, y->name);
}

const struct xpt_section *xpt_records__sections(struct xpt_records *r, size_t *ret_nr)
{
	qsort(r->sec, r->nr, sizeof(r->sec[0]), by_order);
	*ret_nr = r->nr;
	return r->sec;
}

const char *xpt_field__str(const struct xpt_field *f, const void *rec)
{
	const char *s = f->type == XPT_T_STR ? str_at(f, rec) : NULL;

	return s ? s : "";
}

static void add_u64(uint64_t v, enum xpt_unit unit, bool raw, struct xpt_strbuf *sb)
{
	char buf[32];

	if (unit == XPT_U_HEX)
		xpt_value__add_hex(sb, v);
	else if (!raw && (unit == XPT_U_NS || unit == XPT_U_AT))
		xpt_strbuf__add(sb, xpt_fmt_ns(v, buf, sizeof(buf)));
	else if (!raw && unit == XPT_U_BYTES)
		xpt_strbuf__add(sb, xpt_fmt_bytes(v, buf, sizeof(buf)));
	else if (!raw && unit == XPT_U_COUNT)
		xpt_strbuf__add(sb, xpt_fmt_count(v, buf, sizeof(buf)));
	else
		xpt_strbuf__addu64(sb, v);
}

/* Rounds. The limit is the largest double below 2^64. */
static uint64_t clamp_value(double v)
{
	if (!(v > 0))
		return 0;
	return v >= 18446744073709549568.0 ? UINT64_MAX : (uint64_t)(v + 0.5);
}

static void add_f64(double v, enum xpt_unit unit, bool raw, struct xpt_strbuf *sb)
{
	char buf[32];

	if (!isfinite(v))
		xpt_strbuf__addc(sb, '-');
	else if (raw)
		xpt_strbuf__addf(sb, "%.12g", v);
	else if (unit == XPT_U_RATIO)
		xpt_strbuf__addf(sb, "%.1f %%", v * 100);
	else if (unit == XPT_U_BPS)
		xpt_strbuf__addf(sb, "%s/s", xpt_fmt_bytes(clamp_value(v), buf, sizeof(buf)));
	else if (unit == XPT_U_RATE && v >= 100)
		xpt_strbuf__addf(sb, "%s/s", xpt_fmt_count(clamp_value(v), buf, sizeof(buf)));
	else if (unit == XPT_U_RATE)
		xpt_strbuf__addf(sb, "%.3g/s", v);
	else if (unit == XPT_U_NONE || v < 0)
		xpt_strbuf__addf(sb, "%.3g", v);
	else
		add_u64(clamp_value(v), unit, raw, sb);
}

void xpt_field__add_text(const struct xpt_field *f, const void *rec, bool raw,
			 struct xpt_strbuf *sb)
{
	const char *at = (const char *)rec + f->offset;
	uint64_t u;
	int64_t i;
	double d;

	switch (f->type) {
	case XPT_T_U64:
		memcpy(&u, at, sizeof(u));
		if (u == XPT_ABSENT)
			xpt_strbuf__addc(sb, '-');
		else
			add_u64(u, f->unit, raw, sb);
		return;
	case XPT_T_I64:
		memcpy(&i, at, sizeof(i));
		if (i < 0)
			xpt_strbuf__addc(sb, '-');
		add_u64(i < 0 ? 0 - (uint64_t)i : (uint64_t)i, f->unit, raw, sb);
		return;
	case XPT_T_F64:
		memcpy(&d, at, sizeof(d));
		add_f64(d, f->unit, raw, sb);
		return;
	case XPT_T_STR:
		xpt_strbuf__add(sb, xpt_field__str(f, rec));
		return;
	}
}

bool xpt_field__is_absent(const struct xpt_field *f, const void *rec)
{
	uint64_t u = 0;
	double d = 0;

	if (f->type == XPT_T_U64)
		memcpy(&u, (const char *)rec + f->offset, sizeof(u));
	if (f->type == XPT_T_F64)
		memcpy(&d, (const char *)rec + f->offset, sizeof(d));
	return u == XPT_ABSENT || !isfinite(d) || (f->type == XPT_T_STR && !str_at(f, rec));
}

void xpt_field__add_json(const struct xpt_field *f, const void *rec, struct xpt_strbuf *sb)
{
	if (xpt_field__is_absent(f, rec)) {
		xpt_strbuf__add(sb, "null");
	} else if (f->type == XPT_T_STR) {
		xpt_strbuf__add_json(sb, str_at(f, rec));
	} else if (f->unit == XPT_U_HEX) {
		xpt_strbuf__addc(sb, '"');
		xpt_field__add_text(f, rec, true, sb);
		xpt_strbuf__addc(sb, '"');
	} else {
		xpt_field__add_text(f, rec, true, sb);
	}
}
