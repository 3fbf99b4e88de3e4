// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts, by function, the calls that did not return because an exception, a forced unwind (cancellation of a
 * thread) or longjmp left them. No total counts them, because they have neither a duration nor a result.
 */
#include "model/output/analyzer.h"

#define MAX_ROWS 256

struct rec_left {
	const char *function;
	uint64_t calls;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_left, function, STR, NONE, "function"),
	XPT_FIELD(struct rec_left, calls, U64, COUNT, "calls"),
};

static const struct xpt_schema schema = {
	.name = "left", .title = "Calls that did not return",
	.help = "Calls that an exception, the cancellation of their thread or longjmp left; they are in no "
		"total. The loss cut_longjmp has their number also where events were left out",
	.layout = XPT_LAYOUT_TABLE, .brief = 5, .order = 81, XPT_RECORD(struct rec_left, fields),
};

static const struct xpt_schema *const emits[] = { &schema, NULL };

struct left {
	struct { const struct xpt_fn *fn; uint64_t calls; } row[MAX_ROWS];
	unsigned nr;
};

static void on_left(struct left *l, const struct xpt_fn *fn, struct xpt_out *out)
{
	unsigned i;

	for (i = 0; i < l->nr && l->row[i].fn != fn; i++)
		;
	if (i == MAX_ROWS) {
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, 1);
		return;
	}
	l->nr += i == l->nr;
	l->row[i].fn = fn;
	l->row[i].calls++;
}

static void left__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct left *l = st;

	if (ev->kind == XPT_EV_INFLIGHT && ev->u.call.flags & XPT_CALL_LEFT)
		on_left(l, ev->u.call.fn, out);
	if (ev->kind != XPT_EV_END)
		return;
	for (unsigned i = 0; i < l->nr; i++) {
		struct rec_left rec = { .function = l->row[i].fn->name, .calls = l->row[i].calls };

		xpt_out__emit(out, &schema, &rec);
	}
}

const struct xpt_analyzer xpt_analyzer_left = {
	.name = "left",
	.help = "calls that exceptions, cancelled threads or longjmp left",
	.emits = emits,
	.state_size = sizeof(struct left),
	.event = left__event,
};
