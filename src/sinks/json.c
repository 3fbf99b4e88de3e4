/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All results as one JSON object, for `report --json`: schema_version, then
 * one key a schema in the order of the summary. A list schema is an object,
 * every other an array of objects. Events are not for this sink.
 */
#include <errno.h>
#include <stdint.h>
#include "base/strbuf.h"
#include "model/output/records.h"
#include "model/output/sink.h"

#define STORE_MAX (16u << 20)	/* bytes of kept records */
#define LINE_MAX_ (1u << 20)	/* bytes of one record as JSON */

struct json {
	struct xpt_sink_cfg cfg;
	struct xpt_records *recs;
	struct xpt_strbuf line;
};

static int json_open(void *st, const struct xpt_sink_cfg *cfg)
{
	struct json *j = st;

	j->cfg = *cfg;
	j->cfg.all = true;
	xpt_strbuf__init(&j->line, LINE_MAX_);
	return xpt_records__new(STORE_MAX, &j->recs);
}

static int json_record(void *st, const struct xpt_schema *schema, const void *rec)
{
	struct json *j = st;

	return xpt_sink_cfg__wants(&j->cfg, schema) ? xpt_records__add(j->recs, schema, rec) : 0;
}

static int put_buf(struct json *j)
{
	int err = xpt_strbuf__err(&j->line);

	errno = 0;
	if (!err && fwrite(xpt_strbuf__str(&j->line), 1, j->line.len, j->cfg.file) != j->line.len)
		err = errno ? -errno : -EIO;
	xpt_strbuf__reset(&j->line);
	return err;
}

static void add_object(struct xpt_strbuf *sb, const struct xpt_schema *schema, const void *rec)
{
	xpt_strbuf__addc(sb, '{');
	for (size_t i = 0; i < schema->nr_fields; i++) {
		xpt_strbuf__add(sb, i ? ", " : "");
		xpt_strbuf__add_json(sb, schema->fields[i].name);
		xpt_strbuf__add(sb, ": ");
		xpt_field__add_json(&schema->fields[i], rec, sb);
	}
	xpt_strbuf__addc(sb, '}');
}

static int put_section(struct json *j, const struct xpt_section *sec)
{
	bool list = sec->schema->layout == XPT_LAYOUT_LIST;
	int err = 0;

	xpt_strbuf__add(&j->line, ",\n  ");
	xpt_strbuf__add_json(&j->line, sec->schema->name);
	xpt_strbuf__add(&j->line, list ? ": " : ": [");
	if (list && sec->nr)
		add_object(&j->line, sec->schema, sec->rec[sec->nr - 1]);
	else if (list)
		xpt_strbuf__add(&j->line, "null");
	for (size_t i = 0; !list && !err && i < sec->nr; i++) {
		xpt_strbuf__add(&j->line, i ? ",\n    " : "\n    ");
		add_object(&j->line, sec->schema, sec->rec[i]);
		err = put_buf(j);
	}
	xpt_strbuf__add(&j->line, list ? "" : sec->nr ? "\n  ]" : "]");
	return err ? err : put_buf(j);
}

/* Writes the number of records for which the store had no room: they are never silently absent. */
static int put_dropped(struct json *j, const struct xpt_section *sec, size_t nr)
{
	uint64_t dropped = 0;

	for (size_t i = 0; i < nr; i++)
		dropped += sec[i].dropped;
	xpt_strbuf__add(&j->line, ",\n  \"records_dropped\": ");
	xpt_strbuf__addu64(&j->line, dropped);
	xpt_strbuf__add(&j->line, "\n}\n");
	return put_buf(j);
}

static int json_close(void *st)
{
	struct json *j = st;
	const struct xpt_section *sec;
	size_t nr;
	int err = 0;

	if (j->recs) {
		sec = xpt_records__sections(j->recs, &nr);
		xpt_strbuf__add(&j->line, "{\n  \"schema_version\": 1");
		for (size_t i = 0; !err && i < nr; i++)
			err = put_section(j, &sec[i]);
		if (!err)
			err = put_dropped(j, sec, nr);
		if (!err && fflush(j->cfg.file) != 0)
			err = -errno;
	}
	xpt_records__free(j->recs);
	xpt_strbuf__free(&j->line);
	return err;
}

const struct xpt_sink xpt_sink_json = {
	.name = "json",
	.help = "all results as one JSON object at the end",
	.state_size = sizeof(struct json),
	.open = json_open,
	.record = json_record,
	.close = json_close,
};
