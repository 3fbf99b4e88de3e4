/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The slowest calls that programs made themselves. Nested calls are not listed, because their enclosing call is in
 * the list.
 */
#include <stdio.h>
#include "model/output/analyzer.h"
#include "model/call.h"

#define TOP 10
#define RESULT_LEN 40

struct rec_slow {
	const char *function;
	uint64_t duration_ns, at_ns, pid, tid, size;
	const char *result;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_slow, function, STR, NONE, "function"),
	XPT_FIELD(struct rec_slow, duration_ns, U64, NS, "took"),
	XPT_FIELD(struct rec_slow, at_ns, U64, AT, "at"),
	XPT_FIELD(struct rec_slow, pid, U64, NONE, "pid"),
	XPT_FIELD(struct rec_slow, tid, U64, NONE, "tid"),
	XPT_FIELD(struct rec_slow, size, U64, BYTES, "size"),
	XPT_FIELD(struct rec_slow, result, STR, NONE, "result"),
};

static const struct xpt_schema schema = {
	.name = "slowest", .title = "Slowest calls",
	.help = "The longest calls that were not nested in another; at is the time from the start "
		"of the trace to the start of the call",
	.layout = XPT_LAYOUT_TABLE, .detail = true, .order = 40, XPT_RECORD(struct rec_slow, fields),
};

static const struct xpt_schema *const emits[] = { &schema, NULL };

struct slow {
	const struct xpt_fn *fn;
	uint64_t dur_ns, start_ns, bytes;
	uint32_t pid, tid;
	char result[RESULT_LEN];
};

struct slowest {
	struct slow top[TOP + 1];	/* longest first; the last slot is for a call to be inserted */
	size_t nr;
};

static void on_call(struct slowest *s, const struct xpt_call *c)
{
	struct slow new = { .fn = c->fn, .dur_ns = c->dur_ns, .start_ns = c->start_ns,
			    .bytes = XPT_ABSENT, .pid = c->proc->pid, .tid = c->tid };
	char buf[RESULT_LEN];
	size_t i = s->nr;

	if (c->flags & XPT_CALL_NESTED || xpt_fn__is_point(c->fn))
		return;
	if (s->nr == TOP && c->dur_ns <= s->top[TOP - 1].dur_ns)
		return;
	xpt_call__bytes(c, &new.bytes);
	snprintf(new.result, sizeof(new.result), "%s", xpt_call__result_name(c, buf, sizeof(buf)));
	for (; i > 0 && s->top[i - 1].dur_ns < c->dur_ns; i--)
		s->top[i] = s->top[i - 1];
	s->top[i] = new;
	s->nr += s->nr < TOP;
}

static void on_end(const struct slowest *s, struct xpt_out *out)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct slow *c = &s->top[i];
		struct rec_slow rec = {
			.function = c->fn->name, .duration_ns = c->dur_ns,
			.at_ns = xpt_out__since(out, c->start_ns),
			.pid = c->pid, .tid = c->tid, .size = c->bytes, .result = c->result,
		};

		xpt_out__emit(out, &schema, &rec);
	}
}

static void slowest__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct slowest *s = st;

	if (ev->kind == XPT_EV_CALL)
		on_call(s, &ev->u.call);
	else if (ev->kind == XPT_EV_END)
		on_end(s, out);
}

const struct xpt_analyzer xpt_analyzer_slowest = {
	.name = "slowest",
	.help = "the slowest calls",
	.emits = emits,
	.state_size = sizeof(struct slowest),
	.event = slowest__event,
};
