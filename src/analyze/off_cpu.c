/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Scheduling during calls (--sched): for each function the time that its calls
 * waited for a CPU, slept and ran. A call that is slow because the CPU was
 * taken away looks like one that waits for the device; this separates them.
 * Reported where the trace recorded it.
 *
 * The sums are the exact ones of the BPF programs, which come at the end of a
 * trace; if a recording ends before them, its events are summed up. The finding
 * uses outermost calls alone, because their times include those of inner calls.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "model/output/analyzer.h"
#include "model/call.h"
#include "model/forget.h"

#define TOP 15
#define MAX_PROCS 16384
#define MIN_PART 0.2		/* of the time in calls */
#define MIN_WALL 0.05		/* of the process's time */
#define MIN_NS 100000000ull
#define MIN_SWITCHES 20
#define TEXT_LEN 300

struct rec_off_cpu {
	const char *function;
	uint64_t calls, switched, time_ns, runq_ns, blocked_ns, cpu_ns, voluntary, involuntary;
	double waited;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_off_cpu, function, STR, NONE, "function"),
	XPT_FIELD(struct rec_off_cpu, calls, U64, COUNT, ""),
	XPT_FIELD(struct rec_off_cpu, switched, U64, COUNT, ""),
	XPT_FIELD(struct rec_off_cpu, time_ns, U64, NS, "total"),
	XPT_FIELD(struct rec_off_cpu, cpu_ns, U64, NS, "on CPU"),
	XPT_FIELD(struct rec_off_cpu, blocked_ns, U64, NS, "asleep"),
	XPT_FIELD(struct rec_off_cpu, runq_ns, U64, NS, "waiting"),
	XPT_FIELD(struct rec_off_cpu, waited, F64, RATIO, "of it"),
	XPT_FIELD(struct rec_off_cpu, involuntary, U64, COUNT, "taken"),
	XPT_FIELD(struct rec_off_cpu, voluntary, U64, COUNT, ""),
};

static const struct xpt_schema schema = {
	.name = "off_cpu", .title = "Waiting for a CPU inside calls",
	.help = "Time of calls by what the scheduler did: on a CPU, asleep, waiting for a CPU and "
		"the share of it; how often the CPU was taken away. Most waiting first, calls "
		"inside included",
	.layout = XPT_LAYOUT_TABLE, .brief = 5, .order = 44, XPT_RECORD(struct rec_off_cpu, fields),
};

static const struct xpt_schema *const emits[] = { &schema, NULL };

struct sums {
	uint64_t calls, time_ns;
	struct xpt_sched_total n;
};

struct by_fn {
	const struct xpt_fn *fn;
	struct sums ev, ctr;
};

struct by_proc {
	const struct xpt_proc *proc;
	struct sums ev, ctr;	/* of outermost calls */
};

struct off_cpu {
	struct xpt_hashmap *fns;	/* struct xpt_fn * -> struct by_fn */
	struct xpt_hashmap *procs;	/* struct xpt_proc * -> struct by_proc */
	uint64_t ev_calls, ctr_calls, lost;
	bool looked;			/* the trace was made with --sched */
};

static struct by_fn *fn_of(struct off_cpu *s, const struct xpt_fn *fn)
{
	struct by_fn *f = xpt_hashmap__get(s->fns, &fn, NULL);

	if (f)
		f->fn = fn;
	else
		s->lost++;
	return f;
}

/* Returns NULL if there is no room, or if the process of the counts is not known. */
static struct by_proc *proc_of(struct off_cpu *s, const struct xpt_proc *proc)
{
	struct by_proc *p = proc ? xpt_hashmap__get(s->procs, &proc, NULL) : NULL;

	if (p)
		p->proc = proc;
	else
		s->lost += proc != NULL;
	return p;
}

static void add_sums(struct sums *to, uint64_t calls, uint64_t time_ns, const struct xpt_sched_total *n)
{
	to->calls += calls;
	to->time_ns += time_ns;
	to->n.calls += n->calls;
	to->n.runq_ns += n->runq_ns;
	to->n.blocked_ns += n->blocked_ns;
	to->n.voluntary += n->voluntary;
	to->n.involuntary += n->involuntary;
}

static void on_call(struct off_cpu *s, const struct xpt_call *c)
{
	const struct xpt_wire_sched *w = &c->sched;
	struct xpt_sched_total n = {
		.calls = w->voluntary || w->involuntary, .runq_ns = w->runq_ns,
		.blocked_ns = w->blocked_ns, .voluntary = w->voluntary,
		.involuntary = w->involuntary,
	};
	struct by_fn *f = fn_of(s, c->fn);
	struct by_proc *p = c->depth ? NULL : proc_of(s, c->proc);

	s->ev_calls++;
	if (f)
		add_sums(&f->ev, 1, c->dur_ns, &n);
	if (p)
		add_sums(&p->ev, 1, c->dur_ns, &n);
}

static void on_counter(struct off_cpu *s, const struct xpt_event *ev)
{
	const struct xpt_wire_count *n = ev->u.counter.count;
	const struct xpt_sched_total none = { 0 };
	struct by_fn *f = fn_of(s, ev->u.counter.fn);
	struct by_proc *p = ev->u.counter.nested ? NULL : proc_of(s, ev->u.counter.proc);

	s->ctr_calls += n->calls;
	if (f)
		add_sums(&f->ctr, n->calls, n->time_ns, &none);
	if (p)
		add_sums(&p->ctr, n->calls, n->time_ns, &none);
}

static void on_sched(struct off_cpu *s, const struct xpt_event *ev)
{
	const struct xpt_rec_sched *r = ev->u.sched.rec;
	struct xpt_sched_total n = { r->calls, r->runq_ns, r->blocked_ns, r->voluntary,
				     r->involuntary };
	struct by_fn *f = fn_of(s, ev->u.sched.fn);
	struct by_proc *p = NULL;

	if (!(r->key.sub & XPT_SUB_NESTED))
		p = proc_of(s, ev->u.sched.proc);
	s->looked = true;
	if (f)
		add_sums(&f->ctr, 0, 0, &n);
	if (p)
		add_sums(&p->ctr, 0, 0, &n);
}

static bool from_counters(const struct off_cpu *s)
{
	return s->ctr_calls >= s->ev_calls;
}

/* Whether a process lost so much time to the scheduler that it is a finding. */
static bool is_finding(const struct off_cpu *s, const struct by_proc *p, const struct xpt_out *out)
{
	const struct sums *n = from_counters(s) ? &p->ctr : &p->ev;
	uint64_t wall = xpt_out__wall_ns(out, p->proc);

	return n->n.runq_ns >= MIN_NS && n->n.voluntary + n->n.involuntary >= MIN_SWITCHES &&
	       (double)n->n.runq_ns >= MIN_PART * (double)n->time_ns && wall &&
	       (double)n->n.runq_ns >= MIN_WALL * (double)wall;
}

static void report_process(const struct off_cpu *s, const struct by_proc *p, struct xpt_out *out)
{
	const struct sums *n = from_counters(s) ? &p->ctr : &p->ev;
	char text[TEXT_LEN], calls[16], waited[16], taken[16];
	struct xpt_finding f = {
		.kind = "cpu_wait", .weight = XPT_WEIGHT_SLOW, .lost_ns = n->n.runq_ns,
		.proc = p->proc, .text = text, .alike = "",
		.advice = "More threads want to run than there are CPUs for them: use fewer, keep "
			  "other programs off these CPUs, or raise the quota of the cgroup "
			  "(cpu.max, cpuset.cpus).",
	};

	if (!is_finding(s, p, out))
		return;
	snprintf(text, sizeof(text),
		 "%s[%u]: %.1f %% of the time in %s calls was spent waiting for a CPU, %s in all; "
		 "the CPU was taken away %s times.", p->proc->comm, p->proc->pid,
		 100.0 * (double)n->n.runq_ns / (double)n->time_ns,
		 xpt_fmt_count(n->calls, calls, sizeof(calls)),
		 xpt_fmt_ns(n->n.runq_ns, waited, sizeof(waited)),
		 xpt_fmt_count(n->n.involuntary, taken, sizeof(taken)));
	xpt_out__finding(out, &f);
}

static int by_waiting(const void *a, const void *b)
{
	const struct rec_off_cpu *x = a, *y = b;

	if (x->runq_ns != y->runq_ns)
		return x->runq_ns < y->runq_ns ? 1 : -1;
	if (x->blocked_ns != y->blocked_ns)
		return x->blocked_ns < y->blocked_ns ? 1 : -1;
	return strcmp(x->function, y->function);
}

static bool make_row(const struct off_cpu *s, const struct by_fn *f, struct rec_off_cpu *ret_row)
{
	const struct sums *n = from_counters(s) ? &f->ctr : &f->ev;
	uint64_t off = n->n.runq_ns + n->n.blocked_ns;

	if (!n->n.calls || xpt_fn__is_point(f->fn))
		return false;
	*ret_row = (struct rec_off_cpu){
		.function = f->fn->name, .calls = n->calls, .switched = n->n.calls,
		.time_ns = n->time_ns, .runq_ns = n->n.runq_ns, .blocked_ns = n->n.blocked_ns,
		.cpu_ns = n->time_ns > off ? n->time_ns - off : 0, .voluntary = n->n.voluntary,
		.involuntary = n->n.involuntary,
		.waited = n->time_ns ? (double)n->n.runq_ns / (double)n->time_ns : 0,
	};
	return true;
}

static void emit_rows(struct off_cpu *s, struct xpt_out *out)
{
	size_t len = xpt_hashmap__len(s->fns), nr = 0, pos = 0;
	struct rec_off_cpu *rows = calloc(len ? len : 1, sizeof(*rows));
	void *val;

	while (rows && nr < len && xpt_hashmap__next(s->fns, &pos, NULL, &val))
		nr += make_row(s, val, &rows[nr]);
	if (rows)
		qsort(rows, nr, sizeof(*rows), by_waiting);
	for (size_t i = 0; i < nr && i < TOP; i++)
		xpt_out__emit(out, &schema, &rows[i]);
	free(rows);
}

static void on_end(struct off_cpu *s, struct xpt_out *out)
{
	size_t pos = 0;
	void *val;

	if (s->looked)
		emit_rows(s, out);
	if (!s->looked || (!from_counters(s) && xpt_out__misses_calls(out)))
		return;
	while (xpt_hashmap__next(s->procs, &pos, NULL, &val))
		report_process(s, val, out);
}

/* Keeps those that would be reported. */
static void keep_findings(struct off_cpu *s, const struct xpt_out *out)
{
	size_t pos = 0;
	void *val;

	while (xpt_hashmap__next(s->procs, &pos, NULL, &val)) {
		const struct xpt_proc *proc = ((const struct by_proc *)val)->proc;

		if (proc->forgotten && s->looked && is_finding(s, val, out))
			xpt_proc__keep(proc);
	}
}

static void off_cpu__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct off_cpu *s = st;

	if (ev->kind == XPT_EV_META && !strcmp(ev->u.meta.key, "sched"))
		s->looked = true;
	else if (ev->kind == XPT_EV_CALL)
		on_call(s, &ev->u.call);
	else if (ev->kind == XPT_EV_COUNTER)
		on_counter(s, ev);
	else if (ev->kind == XPT_EV_SCHED)
		on_sched(s, ev);
	else if (ev->kind == XPT_EV_FORGET)
		keep_findings(s, out);
	else if (ev->kind == XPT_EV_END)
		on_end(s, out);
	if (s->lost && s->looked)
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, s->lost);
	s->lost = 0;
}

const struct xpt_analyzer xpt_analyzer_off_cpu = {
	.name = "off_cpu",
	.help = "what the scheduler did during calls",
	.emits = emits,
	.state_size = sizeof(struct off_cpu),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct off_cpu, fns, void *, struct by_fn, XPT_MAX_FNS, 0),
		XPT_MAP(struct off_cpu, procs, void *, struct by_proc, MAX_PROCS, XPT_TABLE_OF_PROCESSES),
		{ 0 }
	},
	.event = off_cpu__event,
};
