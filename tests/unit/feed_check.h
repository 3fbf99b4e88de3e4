/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Looks at what an analyzer emitted: rows of a schema, their fields by name,
 * sentences by what they contain. Part of feed.h.
 */
#ifndef TESTS_UNIT_FEED_CHECK_H
#define TESTS_UNIT_FEED_CHECK_H

#include "feed.h"

static inline const struct xpt_section *feed_section(struct feed *f, const char *schema)
{
	size_t nr;
	const struct xpt_section *s = xpt_records__sections(f->out.recs, &nr);

	for (size_t i = 0; i < nr; i++)
		if (strcmp(s[i].schema->name, schema) == 0)
			return &s[i];
	return NULL;
}

/* Records of a schema that were emitted; 0 if none. */
static inline size_t feed_rows(struct feed *f, const char *schema)
{
	const struct xpt_section *s = feed_section(f, schema);

	return s ? s->nr : 0;
}

/* Where a field of row i lies; fails the test if there is no such field or row. */
static inline const void *feed_value(struct feed *f, const char *schema, size_t i,
				     const char *field)
{
	const struct xpt_section *s = feed_section(f, schema);

	assert_true(s && i < s->nr);
	for (size_t k = 0; k < s->schema->nr_fields; k++)
		if (strcmp(s->schema->fields[k].name, field) == 0)
			return (const char *)s->rec[i] + s->schema->fields[k].offset;
	fail_msg("%s has no field %s", schema, field);
	return NULL;
}

#define feed_u64(f, schema, i, field) (*(const uint64_t *)feed_value(f, schema, i, field))
#define feed_f64(f, schema, i, field) (*(const double *)feed_value(f, schema, i, field))
#define feed_str(f, schema, i, field) (*(const char *const *)feed_value(f, schema, i, field))

/* The row of a table whose STR field has this value; fails if there is none. */
static inline size_t feed_row(struct feed *f, const char *schema, const char *field,
			      const char *value)
{
	for (size_t i = 0; i < feed_rows(f, schema); i++)
		if (strcmp(feed_str(f, schema, i, field), value) == 0)
			return i;
	fail_msg("%s has no row with %s %s", schema, field, value);
	return 0;
}

/* True if any sentence of a TEXT schema contains this. */
static inline bool feed_says(struct feed *f, const char *schema, const char *words)
{
	for (size_t i = 0; i < feed_rows(f, schema); i++)
		if (strstr(feed_str(f, schema, i, "text"), words))
			return true;
	return false;
}

#endif
