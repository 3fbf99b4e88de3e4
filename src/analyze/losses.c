/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Losses: every place that lost something, with how much and what it means.
 * Nothing is shown where nothing was lost. Losses are running totals.
 */
#include "model/analyzer.h"
#include "model/vocab.h"

struct rec_loss {
	const char *loss;
	uint64_t count;
	const char *meaning;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_loss, loss, STR, NONE, "loss"),
	XPT_FIELD(struct rec_loss, count, U64, COUNT, "count"),
	XPT_FIELD(struct rec_loss, meaning, STR, NONE, "meaning"),
};

static const struct xpt_schema schema = {
	.name = "losses", .title = "Not seen, not sent or not kept",
	.help = "What the trace lost and where; totals counted in the kernel stay exact",
	.layout = XPT_LAYOUT_TABLE, .order = 70, .size = sizeof(struct rec_loss),
	.fields = fields, .nr_fields = sizeof(fields) / sizeof(fields[0]),
};

static const struct xpt_schema *const emits[] = { &schema, NULL };

struct losses {
	uint64_t count[XPT_LOSS__MAX];
};

static void losses__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct losses *l = st;

	if (ev->kind == XPT_EV_LOSS && ev->u.loss.loss < XPT_LOSS__MAX)
		l->count[ev->u.loss.loss] = ev->u.loss.count;
	if (ev->kind != XPT_EV_END)
		return;
	for (unsigned i = 0; i < XPT_LOSS__MAX; i++) {
		struct rec_loss rec = {
			.loss = xpt_loss_name(i), .count = l->count[i], .meaning = xpt_loss_text(i),
		};

		if (rec.count)
			xpt_out__emit(out, &schema, &rec);
	}
}

const struct xpt_analyzer xpt_analyzer_losses = {
	.name = "losses",
	.help = "what the trace lost, where and how much",
	.emits = emits,
	.state_size = sizeof(struct losses),
	.event = losses__event,
};
