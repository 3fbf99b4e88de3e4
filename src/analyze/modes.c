// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Changes by --budget: which function sent less, or all again, from when on,
 * and the cost of tracing at that time. Exact totals are not touched by it.
 */
#include "model/output/analyzer.h"
#include "model/vocab.h"

#define MAX_ROWS 200

struct rec_mode {
	uint64_t at_ns;
	const char *function, *from, *to;
	double cost, budget;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_mode, at_ns, U64, AT, "at"),
	XPT_FIELD(struct rec_mode, function, STR, NONE, "function"),
	XPT_FIELD(struct rec_mode, from, STR, NONE, "from"),
	XPT_FIELD(struct rec_mode, to, STR, NONE, "to"),
	XPT_FIELD(struct rec_mode, cost, F64, RATIO, "cost"),
	XPT_FIELD(struct rec_mode, budget, F64, RATIO, "budget"),
};

static const struct xpt_schema schema = {
	.name = "budget", .title = "Detail given up for the budget",
	.help = "Functions whose calls were only counted for a time, so that tracing cost less "
		"than --budget; totals stay exact. A line without a function: everything was "
		"only counted, and that still cost more",
	.layout = XPT_LAYOUT_TABLE, .brief = 6, .order = 63, XPT_RECORD(struct rec_mode, fields),
};

static const struct xpt_schema *const emits[] = { &schema, NULL };

struct modes {
	unsigned rows;
	struct rec_mode row[MAX_ROWS];	/* at_ns: of the clock, until the start is known */
};

static void on_mode(struct modes *m, const struct xpt_event *ev, struct xpt_out *out)
{
	const struct xpt_rec_mode *r = ev->u.mode.rec;

	if (m->rows >= MAX_ROWS) {
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, 1);
		return;
	}
	m->row[m->rows++] = (struct rec_mode){
		.at_ns = ev->ts_ns,
		.function = ev->u.mode.fn ? ev->u.mode.fn->name : "(all)",
		.from = xpt_mode_name(r->from), .to = xpt_mode_name(r->to),
		.cost = (double)r->cost_ppm / 1e6, .budget = (double)r->budget_ppm / 1e6,
	};
}

static void modes__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct modes *m = st;

	if (ev->kind == XPT_EV_MODE)
		on_mode(m, ev, out);
	if (ev->kind != XPT_EV_END)
		return;
	for (unsigned i = 0; i < m->rows; i++) {
		struct rec_mode *r = &m->row[i];

		r->at_ns = xpt_out__since(out, r->at_ns);
		xpt_out__emit(out, &schema, r);
	}
}

const struct xpt_analyzer xpt_analyzer_modes = {
	.name = "modes",
	.help = "which functions were only counted for the budget",
	.emits = emits,
	.state_size = sizeof(struct modes),
	.event = modes__event,
};
