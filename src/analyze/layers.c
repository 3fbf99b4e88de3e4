/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The time between a library's call and the device, by layer: for each layer the own time of its calls, which is
 * their time without that of traced calls inside them, in any layer. Printed only if a trace has several layers.
 *
 * A call's event comes when the call returns, nested calls first. So the time of nested calls of a thread is summed
 * up by depth until the event of the enclosing call comes. Only events are used, no counters.
 */
#include "base/hashmap.h"
#include "model/output/analyzer.h"
#include "model/vocab.h"

#define MAX_THREADS 4096

struct rec_layer {
	const char *layer;
	uint64_t calls, failed, self_ns;
	double share;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_layer, layer, STR, NONE, "layer"),
	XPT_FIELD(struct rec_layer, calls, U64, COUNT, "calls"),
	XPT_FIELD(struct rec_layer, failed, U64, COUNT, "failed"),
	XPT_FIELD(struct rec_layer, self_ns, U64, NS, "own time"),
	XPT_FIELD(struct rec_layer, share, F64, RATIO, "share"),
};

static const struct xpt_schema schema = {
	.name = "layers", .title = "Time by layer",
	.help = "Time that the calls of each layer spent themselves, without calls inside them",
	.layout = XPT_LAYOUT_TABLE, .order = 41, XPT_RECORD(struct rec_layer, fields),
};

static const struct xpt_schema *const emits[] = { &schema, NULL };

/* Sums of calls whose outer call has not ended; first_ns: start of the first one. */
struct thread {
	struct { uint64_t first_ns, ns; } inner[XPT_MAX_DEPTH];	/* calls inside one of that depth */
};

struct layers {
	struct xpt_hashmap *threads;	/* tid -> struct thread */
	struct rec_layer sum[XPT_LAYER__MAX];
	uint64_t lost;
};

/* Returns the time of the calls inside this one, and resets that sum. */
static uint64_t take_inner(struct thread *t, const struct xpt_call *c)
{
	uint64_t ns = t->inner[c->depth].ns;
	bool own = t->inner[c->depth].first_ns >= c->start_ns;	/* else they were in a call whose event was lost */

	t->inner[c->depth].ns = 0;
	return own && ns <= c->dur_ns ? ns : 0;
}

/* Returns the entry of a thread. A full table is emptied first: most of its threads have ended. */
static struct thread *thread_of(struct layers *s, uint32_t tid)
{
	struct thread *t = xpt_hashmap__get(s->threads, &tid, NULL);

	if (t)
		return t;
	s->lost += xpt_hashmap__len(s->threads);
	xpt_hashmap__clear(s->threads);
	return xpt_hashmap__get(s->threads, &tid, NULL);
}

static void on_call(struct layers *s, const struct xpt_call *c)
{
	struct rec_layer *sum = &s->sum[c->fn->layer];
	uint64_t inside = 0;
	struct thread *t;

	if (c->depth >= XPT_MAX_DEPTH)
		return;
	t = thread_of(s, c->tid);
	if (t) {
		inside = take_inner(t, c);
		if (c->depth && !t->inner[c->depth - 1].ns)
			t->inner[c->depth - 1].first_ns = c->start_ns;
		if (c->depth)
			t->inner[c->depth - 1].ns += c->dur_ns;
	}
	sum->calls++;
	sum->failed += c->failed;
	sum->self_ns += c->dur_ns - inside;
}

static void emit_all(struct layers *s, struct xpt_out *out)
{
	uint64_t total = 0;
	unsigned i, n = 0;

	for (i = 0; i < XPT_LAYER__MAX; i++) {
		n += s->sum[i].calls > 0;
		total += s->sum[i].self_ns;
	}
	for (i = 0; n > 1 && i < XPT_LAYER__MAX; i++) {
		struct rec_layer *r = &s->sum[i];

		if (!r->calls)
			continue;
		r->layer = xpt_layer_name(i);
		r->share = total ? (double)r->self_ns / (double)total : 0;
		xpt_out__emit(out, &schema, r);
	}
	if (n > 1 && s->lost)
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, s->lost);
}

static void layers__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct layers *s = st;

	if (ev->kind == XPT_EV_CALL)
		on_call(s, &ev->u.call);
	if (ev->kind == XPT_EV_END)
		emit_all(s, out);
}

const struct xpt_analyzer xpt_analyzer_layers = {
	.name = "layers",
	.help = "the time that each layer takes itself",
	.emits = emits,
	.state_size = sizeof(struct layers),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct layers, threads, uint32_t, struct thread, MAX_THREADS, 0),
		{ 0 }
	},
	.event = layers__event,
};
