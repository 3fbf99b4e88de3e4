// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Overhead, split: the cost of tracing each function, and the cost for each
 * process. Calls are exact; the cost of a call is calibrated for the type of
 * its probe, once for calls that are sent and once for those only counted. How
 * many were sent is known for each function, and shared out by calls to
 * processes.
 */
#include <math.h>
#include <stdlib.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "base/numbers/mean.h"
#include "model/forget.h"
#include "model/output/analyzer.h"

#define MAX_PAIRS 65536
#define TOP 10

struct rec_fn {
	const char *function;
	uint64_t calls, sent, call_ns;
	const char *probe;
	uint64_t total_ns;
	double wall_share;
};

static const struct xpt_field fn_fields[] = {
	XPT_FIELD(struct rec_fn, function, STR, NONE, "function"),
	XPT_FIELD(struct rec_fn, calls, U64, COUNT, "calls"),
	XPT_FIELD(struct rec_fn, sent, U64, COUNT, "sent"),
	XPT_FIELD(struct rec_fn, call_ns, U64, NS, "a call"),
	XPT_FIELD(struct rec_fn, probe, STR, NONE, ""),
	XPT_FIELD(struct rec_fn, total_ns, U64, NS, "total"),
	XPT_FIELD(struct rec_fn, wall_share, F64, RATIO, "of time"),
};

static const struct xpt_schema fn_schema = {
	.name = "overhead_functions", .title = "Cost of tracing by function",
	.help = "The ten functions whose tracing cost their callers most: exact calls times the "
		"calibrated cost of one, and that as a share of the processes' wall time",
	.layout = XPT_LAYOUT_TABLE, .detail = true, .order = 61, XPT_RECORD(struct rec_fn, fn_fields),
};

struct rec_proc {
	uint64_t pid;
	const char *process;
	uint64_t calls, total_ns, lived_ns;
	double wall_share;
};

static const struct xpt_field proc_fields[] = {
	XPT_FIELD(struct rec_proc, pid, U64, NONE, "pid"),
	XPT_FIELD(struct rec_proc, process, STR, NONE, "process"),
	XPT_FIELD(struct rec_proc, calls, U64, COUNT, "calls"),
	XPT_FIELD(struct rec_proc, total_ns, U64, NS, "cost"),
	XPT_FIELD(struct rec_proc, lived_ns, U64, NS, "of"),
	XPT_FIELD(struct rec_proc, wall_share, F64, RATIO, "share"),
};

static const struct xpt_schema proc_schema = {
	.name = "overhead_processes", .title = "Cost of tracing by process",
	.help = "The ten processes that tracing cost most, and that as a share of the time that "
		"each lived during the trace",
	.layout = XPT_LAYOUT_TABLE, .detail = true, .order = 62, XPT_RECORD(struct rec_proc, proc_fields),
};

static const struct xpt_schema *const emits[] = { &fn_schema, &proc_schema, NULL };

struct pair {
	const struct xpt_proc *proc;
	uint64_t fn;
};

struct fn_cost {
	const struct xpt_fn *fn;
	uint64_t calls, sent, event_ns, count_ns, total_ns;
	uint32_t kind;		/* enum xpt_cost_kind */
};

struct proc_cost {
	const struct xpt_proc *proc;
	uint64_t calls, total_ns;
};

struct split {
	struct xpt_hashmap *pairs;	/* struct pair -> calls */
	struct fn_cost *fns;		/* XPT_MAX_FNS, by id */
	uint64_t lost;
	uint64_t gone_ns;		/* that forgotten processes lived since then */
	bool seen;
};

static void on_counter(struct split *s, const struct xpt_event *ev)
{
	const struct xpt_proc *proc = ev->u.counter.proc;
	struct pair key = { proc && proc->pid ? proc : NULL, ev->u.counter.fn->id };
	uint64_t *calls = xpt_hashmap__get(s->pairs, &key, NULL);

	s->fns[key.fn % XPT_MAX_FNS].calls += ev->u.counter.count->calls;
	if (calls)
		*calls += ev->u.counter.count->calls;
	else
		s->lost++;
}

static void on_fncost(struct split *s, const struct xpt_event *ev)
{
	const struct xpt_rec_fncost *r = ev->u.fncost.rec;
	struct fn_cost *f = &s->fns[ev->u.fncost.fn->id % XPT_MAX_FNS];

	f->fn = ev->u.fncost.fn;
	f->event_ns = r->event_ns;
	f->count_ns = r->count_ns;
	f->sent = r->events < f->calls ? r->events : f->calls;
	f->kind = r->kind;
	f->total_ns = f->sent * f->event_ns + (f->calls - f->sent) * f->count_ns;
	s->seen = true;
}

static double ratio_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : (double)NAN;
}

static int by_fn_cost(const void *a, const void *b)
{
	const struct fn_cost *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns < y->total_ns ? 1 : -1;
	return (x->fn ? x->fn->id : 0) < (y->fn ? y->fn->id : 0) ? -1 : 1;
}

static int by_proc_cost(const void *a, const void *b)
{
	const struct proc_cost *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns < y->total_ns ? 1 : -1;
	return x->proc->pid < y->proc->pid ? -1 : x->proc->pid > y->proc->pid;
}

/* Sums by process; the caller frees. Their number. */
static size_t sum_processes(const struct split *s, struct proc_cost **ret)
{
	struct xpt_hashmap *sums = NULL;
	const struct pair *key;
	const void *k;
	size_t pos = 0, n = 0;
	struct proc_cost *c;
	void *v;

	*ret = NULL;
	if (xpt_hashmap__new(sizeof(void *), sizeof(*c), MAX_PAIRS, &sums))
		return 0;
	while (xpt_hashmap__next(s->pairs, &pos, &k, &v)) {
		const struct fn_cost *f;

		key = k;
		f = &s->fns[key->fn % XPT_MAX_FNS];
		c = key->proc && f->calls ? xpt_hashmap__get(sums, &key->proc, NULL) : NULL;
		if (!c)
			continue;
		c->proc = key->proc;
		c->calls += *(uint64_t *)v;
		c->total_ns += xpt_u64_of((double)f->total_ns * (double)*(uint64_t *)v /
					  (double)f->calls);
	}
	*ret = calloc(xpt_hashmap__len(sums) + 1, sizeof(**ret));
	for (pos = 0; *ret && xpt_hashmap__next(sums, &pos, &k, &v); n++)
		(*ret)[n] = *(struct proc_cost *)v;
	xpt_hashmap__free(sums);
	return n;
}

static int by_calls(const void *a, const void *b)
{
	const struct proc_cost *x = a, *y = b;

	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	return x->proc->pid < y->proc->pid ? -1 : x->proc->pid > y->proc->pid;
}

/* Processes with most calls stay: the cost of a call is only known at the end. */
static void forget_gone(struct split *s, const struct xpt_out *out)
{
	struct proc_cost *p;
	size_t n = sum_processes(s, &p), i;

	if (n)
		qsort(p, n, sizeof(*p), by_calls);
	for (i = 0; i < n; i++) {
		if (i < TOP)
			xpt_proc__keep(p[i].proc);
		if (p[i].proc->forgotten)
			s->gone_ns += xpt_out__wall_ns(out, p[i].proc);
	}
	free(p);
}

static uint64_t emit_processes(struct proc_cost *p, size_t n, struct xpt_out *out)
{
	uint64_t wall = 0;
	size_t i;

	qsort(p, n, sizeof(*p), by_proc_cost);
	for (i = 0; i < n; i++) {
		struct rec_proc rec = {
			.pid = p[i].proc->pid, .process = p[i].proc->comm, .calls = p[i].calls,
			.total_ns = p[i].total_ns, .lived_ns = xpt_out__wall_ns(out, p[i].proc),
		};

		wall += rec.lived_ns;
		rec.wall_share = ratio_of(rec.total_ns, rec.lived_ns);
		if (i < TOP)
			xpt_out__emit(out, &proc_schema, &rec);
	}
	return wall;
}

static const char *kind_name(uint32_t kind)
{
	static const char *const name[XPT_COST__KINDS] = {
		[XPT_COST_EMULATED] = "emulated",
		[XPT_COST_STEPPED] = "single-stepped",
		[XPT_COST_RETURNS] = "return instructions",
		[XPT_COST_STEPPED | XPT_COST_RETURNS] = "single-stepped, return instructions",
	};

	return kind < XPT_COST__KINDS ? name[kind] : "";
}

static void on_end(struct split *s, struct xpt_out *out)
{
	struct proc_cost *procs;
	uint64_t wall;
	size_t n = sum_processes(s, &procs), i;

	wall = s->gone_ns + (procs ? emit_processes(procs, n, out) : 0);
	free(procs);
	qsort(s->fns, XPT_MAX_FNS, sizeof(*s->fns), by_fn_cost);
	for (i = 0; i < TOP && s->fns[i].total_ns && s->fns[i].fn; i++) {
		const struct fn_cost *f = &s->fns[i];
		struct rec_fn rec = {
			.function = f->fn->name, .calls = f->calls, .sent = f->sent,
			.call_ns = xpt_mean(f->total_ns, f->calls),
			.probe = kind_name(f->kind),
			.total_ns = f->total_ns, .wall_share = ratio_of(f->total_ns, wall),
		};

		xpt_out__emit(out, &fn_schema, &rec);
	}
	if (s->lost)
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, s->lost);
}

static void split__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct split *s = st;

	if (ev->kind == XPT_EV_COUNTER)
		on_counter(s, ev);
	else if (ev->kind == XPT_EV_FNCOST)
		on_fncost(s, ev);
	else if (ev->kind == XPT_EV_FORGET)
		forget_gone(s, out);
	else if (ev->kind == XPT_EV_END && s->seen)
		on_end(s, out);
}

const struct xpt_analyzer xpt_analyzer_cost_split = {
	.name = "cost_split",
	.help = "what tracing cost, by function and by process",
	.emits = emits,
	.state_size = sizeof(struct split),
	.tables = (const struct xpt_table[]){
		XPT_ARRAY(struct split, fns, XPT_MAX_FNS),
		XPT_MAP(struct split, pairs, struct pair, uint64_t, MAX_PAIRS, XPT_TABLE_OF_PROCESSES),
		{ 0 }
	},
	.event = split__event,
};
