/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A store for the records that analyzers emit (schema.h), in sections: all records
 * of one schema. Sinks that write sections at the end of a trace keep copies of the
 * records here until then. Bounded by bytes; records that do not fit are counted per
 * section. Also the text and JSON form of one field.
 */
#ifndef XPT_MODEL_OUTPUT_RECORDS_H
#define XPT_MODEL_OUTPUT_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/strbuf.h"
#include "model/output/schema.h"

struct xpt_records;

struct xpt_section {
	const struct xpt_schema *schema;
	void **rec;		/* copies in order of arrival, each with its strings */
	size_t nr, cap;
	uint64_t dropped;	/* records beyond the store's limit */
};

/* max_bytes: the limit of all copies together. 0 or -ENOMEM. */
int xpt_records__new(size_t max_bytes, struct xpt_records **ret_r);
void xpt_records__free(struct xpt_records *r);	/* NULL is fine */
/* Copies rec with its strings. 0 (also when dropped and counted) or -ENOMEM. */
int xpt_records__add(struct xpt_records *r, const struct xpt_schema *schema, const void *rec);
/* All sections by schema order, then name; valid until the next add. */
const struct xpt_section *xpt_records__sections(struct xpt_records *r, size_t *ret_nr);

/* True for a value that does not apply: "-" in text, null in JSON, empty in CSV. */
bool xpt_field__is_absent(const struct xpt_field *f, const void *rec);
/* Text of a field; control characters in strings stay. raw: plain numbers in the field's unit. */
void xpt_field__add_text(const struct xpt_field *f, const void *rec, bool raw,
			 struct xpt_strbuf *sb);
/* JSON value of a field: number, "0x..." for addresses, string, or null. */
void xpt_field__add_json(const struct xpt_field *f, const void *rec, struct xpt_strbuf *sb);
/* The string of a STR field, "" for NULL or another type. */
const char *xpt_field__str(const struct xpt_field *f, const void *rec);

#endif
