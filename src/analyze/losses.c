/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Losses: each counter of losses above 0, with its number and its meaning.
 * Nothing is shown where nothing was lost. Losses are running totals.
 *
 * Losses that make results unreliable are findings: those in the table doubts, from one lost call in a thousand on.
 * Calls that the user's options exclude are no loss.
 */
#include <stdio.h>
#include "base/fmt.h"
#include "model/output/analyzer.h"
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
	.layout = XPT_LAYOUT_TABLE, .order = 70, XPT_RECORD(struct rec_loss, fields),
};

static const struct xpt_schema *const emits[] = { &schema, NULL };

#define TEXT_LEN 240
#define ONE_IN 1000

/* effect: the second half of the sentence. */
static const struct {
	enum xpt_loss loss;
	const char *effect, *advice;
} doubts[] = {
	{ XPT_LOSS_RING_FULL, "totals are exact, but leaks, churn, slowest calls and names rest on "
	  "single calls and may be wrong.",
	  "Give the buffer more room (--ring 64M), trace fewer functions (-f), or count only "
	  "(--counters)." },
	{ XPT_LOSS_THREADS_FULL, "these threads are missing everywhere, also in totals.",
	  "Trace fewer processes at once (-p)." },
	{ XPT_LOSS_TARGETS_FULL, "these processes are missing everywhere, also in totals.",
	  "Trace fewer processes at once (-p), or all of them (--all)." },
	{ XPT_LOSS_DECODE_REJECTED, "what they told is missing everywhere.",
	  "The recording is damaged, or of another version: record again." },
	{ XPT_LOSS_TABLE_EVICTED, "tables that follow single blocks, calls and processes are "
	  "incomplete.", "Trace fewer processes at once (-p), or a shorter time." },
};

struct losses {
	uint64_t count[XPT_LOSS__MAX];
	uint64_t calls, counted;	/* as events and in the counters */
};

static void report_one(const struct losses *l, struct xpt_out *out)
{
	uint64_t all = l->calls > l->counted ? l->calls : l->counted;
	char text[TEXT_LEN], n[16], m[16];
	struct xpt_finding f = { .kind = "loss", .weight = XPT_WEIGHT_DOUBT, .text = text };

	for (size_t i = 0; i < sizeof(doubts) / sizeof(doubts[0]); i++) {
		uint64_t count = l->count[doubts[i].loss];

		if (!count || count < all / ONE_IN)
			continue;
		snprintf(text, sizeof(text), "%s %s, in a trace of %s calls; %s",
			 xpt_fmt_count(count, n, sizeof(n)), xpt_loss_text(doubts[i].loss),
			 xpt_fmt_count(all, m, sizeof(m)), doubts[i].effect);
		f.advice = doubts[i].advice;
		xpt_out__finding(out, &f);
	}
}

static void losses__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct losses *l = st;

	if (ev->kind == XPT_EV_LOSS && ev->u.loss.loss < XPT_LOSS__MAX)
		l->count[ev->u.loss.loss] = ev->u.loss.count;
	if (ev->kind == XPT_EV_CALL)
		l->calls++;
	if (ev->kind == XPT_EV_COUNTER)
		l->counted += ev->u.counter.count->calls;
	if (ev->kind != XPT_EV_END)
		return;
	for (unsigned i = 0; i < XPT_LOSS__MAX; i++) {
		struct rec_loss rec = {
			.loss = xpt_loss_name(i), .count = l->count[i], .meaning = xpt_loss_text(i),
		};

		if (rec.count)
			xpt_out__emit(out, &schema, &rec);
	}
	report_one(l, out);
}

const struct xpt_analyzer xpt_analyzer_losses = {
	.name = "losses",
	.help = "what the trace lost, where and how much",
	.emits = emits,
	.state_size = sizeof(struct losses),
	.event = losses__event,
};
