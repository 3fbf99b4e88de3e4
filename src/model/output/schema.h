/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Schemas: field tables for the records that analyzers emit, so that each
 * sink is written once for all of them.
 *
 * A record is a plain C struct; a field has the offset of a value, its type and
 * its name for people. Strings are `const char *` and live for the callback.
 * JSON uses `name` with the plain number in the unit given; text output uses
 * `title` and human units.
 */
#ifndef XPT_MODEL_OUTPUT_SCHEMA_H
#define XPT_MODEL_OUTPUT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A U64 value that does not apply to this record: "-" in text, null in JSON. */
#define XPT_ABSENT UINT64_MAX

enum xpt_type { XPT_T_U64, XPT_T_I64, XPT_T_F64, XPT_T_STR };
enum xpt_unit {
	XPT_U_NONE,	/* a plain number or text */
	XPT_U_COUNT,	/* 1,234 */
	XPT_U_NS,	/* nanoseconds; text 12.3 us */
	XPT_U_AT,	/* a moment, nanoseconds since the start; text 12.3 us, or the time of day */
	XPT_U_WALL,	/* a moment, nanoseconds of the UNIX epoch; text only where times of day are shown */
	XPT_U_BYTES,
	XPT_U_RATIO,	/* F64, 0..1; text 12.3 % */
	XPT_U_HEX,	/* an address: text and JSON as "0x7f..." */
	XPT_U_RATE,	/* F64 per second */
	XPT_U_BPS,	/* F64 bytes per second */
	XPT_U_PROCESS,	/* the id of a process; text tables have the column only where there are several */
	XPT_U_MARK,	/* 1: text tables have a * there; a column only where a row has one */
};

struct xpt_field {
	const char *name;	/* snake_case, stable: key in JSON, column in CSV */
	const char *title;	/* column head or label, short; "": not in text output */
	enum xpt_type type;
	enum xpt_unit unit;
	size_t offset;
	bool quiet;		/* text lists leave it out while it is 0 */
};

enum xpt_layout {
	XPT_LAYOUT_TABLE,	/* one line a record under column heads */
	XPT_LAYOUT_LIST,	/* one record, one "label value" line a field */
	XPT_LAYOUT_LINES,	/* text output prints "text" as it is */
	XPT_LAYOUT_TEXT,	/* sentences: text output prints "text", and "advice" below it */
};

struct xpt_schema {
	const char *name;	/* "leaks": key in JSON, stable */
	const char *title;	/* "Memory not freed" */
	const char *help;	/* one line for documentation: its meaning and how it is computed */
	enum xpt_layout layout;
	int order;		/* place in the summary, small first */
	size_t size;		/* sizeof the record */
	const struct xpt_field *fields;
	size_t nr_fields;
	bool detail;		/* for JSON and scripts: the summary leaves it out */
	bool two_columns;	/* a list of short values: two of them a line if there is room */
	unsigned brief;		/* rows that the summary shows if there are more; 0: all */
};

/* The record of a schema: its struct, and the array of its fields. */
#define XPT_RECORD(type_, fields_) \
	.size = sizeof(type_), .fields = fields_, .nr_fields = sizeof(fields_) / sizeof((fields_)[0])
#define XPT_FIELD(type_, member, T, U, title_) \
	{ #member, title_, XPT_T_##T, XPT_U_##U, offsetof(type_, member), false }
#define XPT_FIELD_QUIET(type_, member, T, U, title_) \
	{ #member, title_, XPT_T_##T, XPT_U_##U, offsetof(type_, member), true }

#endif
