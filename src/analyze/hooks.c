// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The sums of hooks in the kernel: a record a row, as numbers and as the text
 * that users of tracers know; histograms also bucket by bucket.
 */
#include "base/strbuf.h"
#include "model/output/analyzer.h"
#include "model/output/hook_row.h"

#define TEXT_MAX (64u << 10)

struct rec_hook {
	const char *hook, *action, *key, *text;
	uint64_t hits;
	double sum, min, max, avg;	/* not a number: the action has none */
};

struct rec_bucket {
	const char *hook, *key;
	double low, high;		/* not a number: no bound */
	uint64_t hits;
};

struct hooks {		/* texts of the row that is emitted */
	struct xpt_strbuf key, text;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_hook, hook, STR, NONE, "hook"),
	XPT_FIELD(struct rec_hook, action, STR, NONE, ""),
	XPT_FIELD(struct rec_hook, key, STR, NONE, ""),
	XPT_FIELD(struct rec_hook, hits, U64, COUNT, ""),
	XPT_FIELD(struct rec_hook, sum, F64, NONE, ""),
	XPT_FIELD(struct rec_hook, min, F64, NONE, ""),
	XPT_FIELD(struct rec_hook, max, F64, NONE, ""),
	XPT_FIELD(struct rec_hook, avg, F64, NONE, ""),
	XPT_FIELD(struct rec_hook, text, STR, NONE, "text"),
};

static const struct xpt_field bucket_fields[] = {
	XPT_FIELD(struct rec_bucket, hook, STR, NONE, "hook"),
	XPT_FIELD(struct rec_bucket, key, STR, NONE, "key"),
	XPT_FIELD(struct rec_bucket, low, F64, NONE, "from"),
	XPT_FIELD(struct rec_bucket, high, F64, NONE, "below"),
	XPT_FIELD(struct rec_bucket, hits, U64, COUNT, "hits"),
};

static const struct xpt_schema schema = {
	.name = "hooks", .title = "Hooks",
	.help = "what hooks added up in the kernel, a record for each key; times are in nanoseconds",
	.layout = XPT_LAYOUT_LINES, .order = 14, XPT_RECORD(struct rec_hook, fields),
};

static const struct xpt_schema buckets = {
	.name = "hook_buckets", .title = "Histograms of hooks",
	.help = "buckets of histograms that hooks made: from low up to, but not including, high",
	.layout = XPT_LAYOUT_TABLE, .order = 16, XPT_RECORD(struct rec_bucket, bucket_fields),
	.detail = true,
};

static const struct xpt_schema *const emits[] = { &schema, &buckets, NULL };

static void emit_buckets(const struct xpt_hook_row *row, const char *key, struct xpt_out *out)
{
	for (unsigned i = 0; i < row->rec->nr_buckets; i++) {
		struct rec_bucket b = { .hook = row->name, .key = key, .hits = row->bucket[i] };
		int64_t v;

		b.low = xpt_hook_row__low(row, i, &v) ? (double)v : __builtin_nan("");
		b.high = xpt_hook_row__high(row, i, &v) ? (double)v : __builtin_nan("");
		xpt_out__emit(out, &buckets, &b);
	}
}

static void hooks__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	const struct xpt_hook_row *row = ev->kind == XPT_EV_HOOK ? ev->u.hook : NULL;
	struct hooks *s = st;
	struct rec_hook r;
	bool values;

	if (!row)
		return;
	xpt_strbuf__reset(&s->key);
	xpt_strbuf__reset(&s->text);
	xpt_hook_row__add_key(row, &s->key);
	xpt_hook_row__add_text(row, 80, &s->text);
	values = row->rec->action != XPT_HOOK_COUNT && row->rec->count;
	r = (struct rec_hook){
		.hook = row->name, .action = xpt_hook_row__action(row),
		.key = row->rec->nr_keys ? xpt_strbuf__str(&s->key) : NULL,
		.text = xpt_strbuf__str(&s->text), .hits = row->rec->count,
		.sum = values ? (double)row->rec->sum : __builtin_nan(""),
		.min = values ? (double)row->rec->min : __builtin_nan(""),
		.max = values ? (double)row->rec->max : __builtin_nan(""),
		.avg = values ? (double)row->rec->sum / (double)row->rec->count : __builtin_nan(""),
	};
	xpt_out__emit(out, &schema, &r);
	emit_buckets(row, r.key, out);
}

static int hooks__open(void *st)
{
	struct hooks *s = st;

	xpt_strbuf__init(&s->key, TEXT_MAX);
	xpt_strbuf__init(&s->text, TEXT_MAX);
	return 0;
}

static void hooks__close(void *st)
{
	struct hooks *s = st;

	xpt_strbuf__free(&s->key);
	xpt_strbuf__free(&s->text);
}

const struct xpt_analyzer xpt_analyzer_hooks = {
	.name = "hooks",
	.help = "what hooks added up in the kernel",
	.emits = emits,
	.state_size = sizeof(struct hooks),
	.open = hooks__open,
	.event = hooks__event,
	.close = hooks__close,
};
