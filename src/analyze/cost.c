/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Overhead: the cost of tracing for the traced processes and the machine.
 *
 * The engine calibrates the cost of one call on a function of its own. The cost of all calls is compared with the
 * lifetime of the processes that made traced calls, so that the cost for ten short processes is not hidden by one
 * long trace.
 */
#include <math.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "base/numbers/mean.h"
#include "model/call.h"
#include "model/output/analyzer.h"

#define MAX_PROCS 65536

struct rec_cost {
	uint64_t traced_calls, call_cost_ns, call_cost_low_ns, call_cost_high_ns, total_cost_ns;
	uint64_t functions_below;
	const char *call_cost_note;
	double wall_share;
	uint64_t cpu_ns;
	double cpu_share;
	uint64_t rss_bytes, probes, slow_probes, attach_ns;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_cost, call_cost_ns, U64, NS, "For each call"),
	XPT_FIELD(struct rec_cost, call_cost_note, STR, NONE, "For each call"),
	XPT_FIELD(struct rec_cost, call_cost_low_ns, U64, NS, "  at least"),
	XPT_FIELD(struct rec_cost, call_cost_high_ns, U64, NS, "  at most"),
	XPT_FIELD(struct rec_cost, functions_below, U64, COUNT, ""),
	XPT_FIELD(struct rec_cost, traced_calls, U64, COUNT, ""),
	XPT_FIELD(struct rec_cost, total_cost_ns, U64, NS, "All calls"),
	XPT_FIELD(struct rec_cost, wall_share, F64, RATIO, "Share of wall time"),
	XPT_FIELD(struct rec_cost, cpu_ns, U64, NS, "CPU of xputrace"),
	XPT_FIELD(struct rec_cost, cpu_share, F64, RATIO, "Share of one core"),
	XPT_FIELD(struct rec_cost, rss_bytes, U64, BYTES, "Memory of xputrace"),
	XPT_FIELD(struct rec_cost, probes, U64, COUNT, "Probes"),
	XPT_FIELD_QUIET(struct rec_cost, slow_probes, U64, COUNT, "  that trap twice"),
	XPT_FIELD(struct rec_cost, attach_ns, U64, NS, "Time to attach"),
};

static const struct xpt_schema schema = {
	.name = "overhead", .title = "Cost of tracing",
	.help = "Calibrated cost per traced call (points are among them, as their probes cost too), how many functions took less, on average, its sum "
		"against the wall time of the processes that made calls, and what xputrace itself used",
	.layout = XPT_LAYOUT_LIST, .two_columns = true, .order = 60, XPT_RECORD(struct rec_cost, fields),
};

static const struct xpt_schema *const emits[] = { &schema, NULL };

struct sum {
	uint64_t calls, time_ns;
};

struct cost {
	struct xpt_rec_cost rec;
	struct sum *ev, *ctr;		/* by function: of events, of exact counters */
	uint64_t *own_ns;		/* by function: time that tracing adds to one of its calls; 0: not known */
	uint64_t ev_calls, ctr_calls;
	bool seen;
	struct xpt_hashmap *procs;	/* set of process pointers */
	const struct xpt_proc *last;
	uint64_t gone_ns;		/* lifetime of evicted processes since then */
};

/* Adds the calls and time of a function. Points take no time. */
static void add_calls(struct sum *sums, uint64_t *all, const struct xpt_fn *fn, uint64_t calls, uint64_t time_ns)
{
	struct sum *s = &sums[fn->id % XPT_MAX_FNS];

	*all += calls;
	if (xpt_fn__is_point(fn))
		return;
	s->calls += calls;
	s->time_ns += time_ns;
}

static uint64_t count_below(const struct cost *c)
{
	const struct sum *sums = c->ctr_calls >= c->ev_calls ? c->ctr : c->ev;
	uint64_t n = 0;

	for (size_t i = 0; i < XPT_MAX_FNS; i++)
		n += sums[i].calls && xpt_mean(sums[i].time_ns, sums[i].calls) <
				      (c->own_ns[i] ? c->own_ns[i] : c->rec.hit_ns);
	return n;
}

static void on_fncost(struct cost *c, const struct xpt_event *ev)
{
	c->own_ns[ev->u.fncost.fn->id % XPT_MAX_FNS] = xpt_fncost__call_ns(ev->u.fncost.rec);
}

static void see_proc(struct cost *c, const struct xpt_proc *proc)
{
	if (!proc || !proc->pid || proc == c->last)
		return;
	c->last = proc;
	xpt_hashmap__get(c->procs, &proc, NULL);
}

/* Returns the sum of the lifetimes of the processes during the trace, in ns. */
static uint64_t wall_sum(const struct cost *c, const struct xpt_out *out)
{
	uint64_t sum = c->gone_ns;
	const void *key;
	size_t pos = 0;

	while (xpt_hashmap__next(c->procs, &pos, &key, NULL))
		sum += xpt_out__wall_ns(out, *(const struct xpt_proc *const *)key);
	return sum;
}

static void forget_gone(struct cost *c, const struct xpt_out *out)
{
	const void *key;
	size_t pos = 0;

	while (xpt_hashmap__next(c->procs, &pos, &key, NULL)) {
		const struct xpt_proc *p = *(const struct xpt_proc *const *)key;

		c->gone_ns += p->forgotten ? xpt_out__wall_ns(out, p) : 0;
	}
	c->last = NULL;
}

/* Loading has a fixed cost however short the trace: below a second a share of
 * the time means nothing. */
#define SHARE_MIN_NS 1000000000ull

/* Returns part / whole, or NAN if whole is 0, which is shown as "-". */
static double ratio_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : (double)NAN;
}

static void on_end(const struct cost *c, struct xpt_out *out)
{
	uint64_t total = c->rec.hits * c->rec.hit_ns, wall = xpt_out__wall_ns(out, NULL);
	bool wide = xpt_fmt_is_wide(c->rec.hit_low_ns, c->rec.hit_high_ns);
	struct rec_cost rec;

	rec = (struct rec_cost){
		.traced_calls = c->rec.hits,
		.call_cost_ns = c->rec.hit_ns ? c->rec.hit_ns : XPT_ABSENT,
		.call_cost_low_ns = wide ? c->rec.hit_low_ns : XPT_ABSENT,
		.call_cost_high_ns = wide ? c->rec.hit_high_ns : XPT_ABSENT,
		.call_cost_note = c->rec.hits && !c->rec.hit_ns ? "not known" : "",
		.total_cost_ns = c->rec.hit_ns ? total : XPT_ABSENT,
		.functions_below = c->rec.hit_ns ? count_below(c) : XPT_ABSENT,
		.wall_share = ratio_of(total, wall_sum(c, out)),
		.cpu_ns = c->rec.cpu_ns,
		.cpu_share = ratio_of(c->rec.cpu_ns, wall >= SHARE_MIN_NS ? wall : 0),
		.rss_bytes = c->rec.rss_bytes, .probes = c->rec.nr_probes,
		.slow_probes = c->rec.nr_slow, .attach_ns = c->rec.attach_ns,
	};

	xpt_out__emit(out, &schema, &rec);
}

static void cost__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct cost *c = st;

	switch (ev->kind) {
	case XPT_EV_CALL:
		see_proc(c, ev->u.call.proc);
		add_calls(c->ev, &c->ev_calls, ev->u.call.fn, 1, ev->u.call.dur_ns);
		break;
	case XPT_EV_COUNTER:
		see_proc(c, ev->u.counter.proc);
		add_calls(c->ctr, &c->ctr_calls, ev->u.counter.fn, ev->u.counter.count->calls,
			  ev->u.counter.count->time_ns);
		break;
	case XPT_EV_FORGET:
		forget_gone(c, out);
		break;
	case XPT_EV_FNCOST:
		on_fncost(c, ev);
		break;
	case XPT_EV_COST:
		c->rec = *ev->u.cost;
		c->seen = true;
		break;
	case XPT_EV_END:
		if (c->seen)
			on_end(c, out);
		break;
	default:
		break;
	}
}

const struct xpt_analyzer xpt_analyzer_cost = {
	.name = "cost",
	.help = "what tracing itself cost",
	.emits = emits,
	.state_size = sizeof(struct cost),
	.tables = (const struct xpt_table[]){
		XPT_ARRAY(struct cost, ev, XPT_MAX_FNS),
		XPT_ARRAY(struct cost, ctr, XPT_MAX_FNS),
		XPT_ARRAY(struct cost, own_ns, XPT_MAX_FNS),
		XPT_MAP(struct cost, procs, void *, char, MAX_PROCS, XPT_TABLE_OF_PROCESSES),
		{ 0 }
	},
	.event = cost__event,
};
