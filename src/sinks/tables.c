/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Results as comma-separated values, for `report --csv`: a row of field names,
 * then a row a record, plain numbers. One section asked for is that and
 * nothing else; of several each stands after a line with its name, an empty
 * line between them.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include "base/formats/csv_field.h"
#include "base/strbuf.h"
#include "model/output/records.h"
#include "model/output/sink.h"

#define STORE_MAX (16u << 20)	/* bytes of kept records */
#define TEXT_MAX (1u << 20)	/* bytes of one row */

struct tables {
	struct xpt_sink_cfg cfg;
	struct xpt_records *recs;
	struct xpt_strbuf row, cell;
};

static int tables_open(void *st, const struct xpt_sink_cfg *cfg)
{
	struct tables *t = st;

	t->cfg = *cfg;
	t->cfg.all = true;
	xpt_strbuf__init(&t->row, TEXT_MAX);
	xpt_strbuf__init(&t->cell, TEXT_MAX);
	return xpt_records__new(STORE_MAX, &t->recs);
}

static int tables_record(void *st, const struct xpt_schema *schema, const void *rec)
{
	struct tables *t = st;

	return xpt_sink_cfg__wants(&t->cfg, schema) ? xpt_records__add(t->recs, schema, rec) : 0;
}

static int put_buf(struct tables *t)
{
	int err;

	xpt_strbuf__addc(&t->row, '\n');
	err = xpt_strbuf__err(&t->row);
	errno = 0;
	if (!err && fwrite(xpt_strbuf__str(&t->row), 1, t->row.len, t->cfg.file) != t->row.len)
		err = errno ? -errno : -EIO;
	xpt_strbuf__reset(&t->row);
	return err;
}

static int put_head(struct tables *t, const struct xpt_schema *schema)
{
	for (size_t i = 0; i < schema->nr_fields; i++) {
		xpt_strbuf__add(&t->row, i ? "," : "");
		xpt_csv__add(&t->row, schema->fields[i].name);
	}
	return put_buf(t);
}

static int put_record(struct tables *t, const struct xpt_schema *schema, const void *rec)
{
	for (size_t i = 0; i < schema->nr_fields; i++) {
		const struct xpt_field *f = &schema->fields[i];

		xpt_strbuf__add(&t->row, i ? "," : "");
		if (xpt_field__is_absent(f, rec))
			continue;
		xpt_strbuf__reset(&t->cell);
		xpt_field__add_text(f, rec, true, &t->cell);
		(f->type == XPT_T_STR ? xpt_csv__add_text : xpt_csv__add)(&t->row,
									     xpt_strbuf__str(&t->cell));
	}
	return put_buf(t);
}

/* A list says one thing: its last record. */
static int put_section(struct tables *t, const struct xpt_section *sec)
{
	bool list = sec->schema->layout == XPT_LAYOUT_LIST;
	int err = put_head(t, sec->schema);

	for (size_t i = list && sec->nr ? sec->nr - 1 : 0; !err && i < sec->nr; i++)
		err = put_record(t, sec->schema, sec->rec[i]);
	return err;
}

static int put_all(struct tables *t)
{
	bool single = t->cfg.sections && t->cfg.sections[0] && !t->cfg.sections[1];
	size_t nr;
	const struct xpt_section *sec = xpt_records__sections(t->recs, &nr);
	int err = single && !nr ? put_head(t, t->cfg.sections[0]) : 0;

	for (size_t i = 0; !err && i < nr; i++) {
		if (!single) {
			xpt_strbuf__add(&t->row, i ? "\n" : "");
			xpt_strbuf__add(&t->row, sec[i].schema->name);
			err = put_buf(t);
		}
		if (!err)
			err = put_section(t, &sec[i]);
	}
	return err;
}

static int tables_close(void *st)
{
	struct tables *t = st;
	int err = 0;

	if (t->recs) {
		err = put_all(t);
		if (!err && fflush(t->cfg.file) != 0)
			err = -errno;
	}
	xpt_records__free(t->recs);
	xpt_strbuf__free(&t->row);
	xpt_strbuf__free(&t->cell);
	return err;
}

const struct xpt_sink xpt_sink_tables = {
	.name = "tables",
	.help = "results as comma-separated values",
	.state_size = sizeof(struct tables),
	.open = tables_open,
	.record = tables_record,
	.close = tables_close,
};
