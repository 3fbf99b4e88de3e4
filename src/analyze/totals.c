/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Totals: the duration, the number of calls, and their kinds of work.
 *
 * The kernel's counters are exact and come at the end of a stream; the same
 * sums are made from events on the way, for recordings that were cut before
 * the counters. Whichever saw more calls is shown, and says which it is. A
 * class counts an operation once: a cudaMalloc around a cuMemAlloc_v2 is one
 * allocation. "Calls" are those that the program itself made: not nested.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/hashmap.h"
#include "base/numbers/mean.h"
#include "model/call.h"
#include "model/forget.h"
#include "model/output/analyzer.h"
#include "model/vocab.h"

#define MAX_THREADS 65536
#define NR_OPS (XPT_CLASS__MAX + XPT_DIR_NONE + 1)	/* copies have one per direction */

struct rec_summary {
	uint64_t duration_ns, processes, threads, calls, nested_calls, failed_calls, call_ns;
	uint64_t points, events_lost;
	const char *counted, *left_out;
	uint64_t expected_errors, start_unix_ns;
	const char *cause;
};

static const struct xpt_field summary_fields[] = {
	XPT_FIELD(struct rec_summary, duration_ns, U64, NS, "Traced for"),
	XPT_FIELD(struct rec_summary, processes, U64, COUNT, "Processes"),
	XPT_FIELD(struct rec_summary, threads, U64, COUNT, "Threads"),
	XPT_FIELD(struct rec_summary, calls, U64, COUNT, "Calls"),
	XPT_FIELD_QUIET(struct rec_summary, nested_calls, U64, COUNT, "Nested inside them"),
	XPT_FIELD(struct rec_summary, failed_calls, U64, COUNT, "Failed calls"),
	XPT_FIELD(struct rec_summary, call_ns, U64, NS, "Time in calls"),
	XPT_FIELD(struct rec_summary, points, U64, COUNT, "Points"),
	XPT_FIELD(struct rec_summary, events_lost, U64, COUNT, "Events lost"),
	XPT_FIELD(struct rec_summary, counted, STR, NONE, "Counted"),
	XPT_FIELD(struct rec_summary, left_out, STR, NONE, "Left out"),
	XPT_FIELD_QUIET(struct rec_summary, expected_errors, U64, COUNT, "Expected errors"),
	XPT_FIELD(struct rec_summary, start_unix_ns, U64, WALL, "Started"),
	XPT_FIELD(struct rec_summary, cause, STR, NONE, "Recorded because"),
};

static const struct xpt_schema summary_schema = {
	.name = "summary", .title = "Summary",
	.help = "The trace as a whole; processes and threads are those that made calls, calls are "
		"those not nested in another traced call, time is theirs, summed over threads; points "
		"are hits of probes that take no time",
	.layout = XPT_LAYOUT_LIST, .two_columns = true, .order = 10, XPT_RECORD(struct rec_summary, summary_fields),
};

struct rec_op {
	const char *operation;
	uint64_t calls, failed, bytes, time_ns, mean_ns;
};

static const struct xpt_field op_fields[] = {
	XPT_FIELD(struct rec_op, operation, STR, NONE, "operation"),
	XPT_FIELD(struct rec_op, calls, U64, COUNT, "calls"),
	XPT_FIELD(struct rec_op, failed, U64, COUNT, "failed"),
	XPT_FIELD(struct rec_op, bytes, U64, BYTES, "bytes"),
	XPT_FIELD(struct rec_op, time_ns, U64, NS, "time"),
	XPT_FIELD(struct rec_op, mean_ns, U64, NS, "mean"),
};

static const struct xpt_schema op_schema = {
	.name = "operations", .title = "Operations",
	.help = "Calls by class, copies by direction, each operation counted once however many "
		"layers saw it; bytes are those of successful calls, time is spent in the call; "
		"what went into a graph that was captured is none",
	.layout = XPT_LAYOUT_TABLE, .brief = 6, .order = 20, XPT_RECORD(struct rec_op, op_fields),
};

static const struct xpt_schema *const emits[] = { &summary_schema, &op_schema, NULL };

struct op {
	uint64_t calls, failed, bytes, time_ns;
};

struct sums {
	uint64_t calls, nested, failed, time_ns, points, expected;
	struct op op[NR_OPS];
};

/* Errors of one function in the counters; benign answers are among them. */
struct fn_errors {
	uint64_t all, benign, outermost;
	uint64_t op[XPT_DIR_NONE + 1];	/* not outer, by direction */
	uint8_t cls;
};

struct thread_key {
	const struct xpt_proc *proc;
	uint64_t tid;
};

struct totals {
	char cause[160];		/* why a flight recorder wrote this; "": none did */
	struct sums ev, ctr;
	struct op captured[NR_OPS];	/* work that went into graphs: the counters have it too */
	struct fn_errors *fn;	/* by id */
	struct xpt_hashmap *procs, *threads;	/* sets: pointer, struct thread_key */
	const struct xpt_proc *last_proc;
	uint64_t last_tid;
	uint64_t lost;
	int64_t wall_ns;	/* to be added for the wall clock; 0: not known */
	uint64_t procs_gone, threads_gone;	/* forgotten, but counted */
};

static unsigned class_of(const struct xpt_fn *fn)
{
	return fn->cls < XPT_CLASS__MAX ? fn->cls : XPT_CLASS_OTHER;
}

static unsigned op_of(unsigned cls, unsigned dir)
{
	return cls == XPT_CLASS_COPY ? XPT_CLASS__MAX + dir : cls;
}

/* A set that is full stays as it is: the number then is a lower bound. */
static void see_thread(struct totals *t, const struct xpt_proc *proc, uint64_t tid)
{
	struct thread_key key = { .proc = proc, .tid = tid };

	if (proc == t->last_proc && tid == t->last_tid)
		return;
	t->last_proc = proc;
	t->last_tid = tid;
	xpt_hashmap__get(t->procs, &proc, NULL);
	xpt_hashmap__get(t->threads, &key, NULL);
}

static void on_call(struct totals *t, const struct xpt_call *c)
{
	unsigned dir = (unsigned)xpt_call__dir(c);
	struct op *op = &t->ev.op[op_of(class_of(c->fn), dir)];
	uint64_t bytes = 0;

	see_thread(t, c->proc, c->tid);
	t->ev.expected += c->expected != NULL;
	if (xpt_fn__is_point(c->fn)) {
		t->ev.points++;
		return;
	}
	if (c->flags & XPT_CALL_NESTED) {
		t->ev.nested++;
	} else {
		t->ev.calls++;
		t->ev.failed += c->failed;
		t->ev.time_ns += c->dur_ns;
	}
	if (c->flags & XPT_CALL_OUTER)
		return;
	if (c->captured)
		op = &t->captured[op - t->ev.op];
	if (!(c->flags & XPT_CALL_FAILED) && xpt_call__bytes(c, &bytes))
		op->bytes += bytes;
	op->calls++;
	op->failed += c->failed;
	op->time_ns += c->dur_ns;
}

static void on_counter(struct totals *t, const struct xpt_event *ev)
{
	const struct xpt_wire_count *n = ev->u.counter.count;
	const struct xpt_fn *fn = ev->u.counter.fn;
	unsigned dir = ev->u.counter.dir & XPT_SUB_DIR;
	struct op *op = &t->ctr.op[op_of(class_of(fn), dir)];
	struct fn_errors *fe = &t->fn[fn->id % XPT_MAX_FNS];

	if (ev->u.counter.proc && ev->u.counter.proc->pid)
		xpt_hashmap__get(t->procs, &ev->u.counter.proc, NULL);
	if (xpt_fn__is_point(fn)) {
		t->ctr.points += n->calls;
		return;
	}
	fe->cls = (uint8_t)class_of(fn);
	fe->all += n->errors;
	if (ev->u.counter.nested) {
		t->ctr.nested += n->calls;
	} else {
		t->ctr.calls += n->calls;
		t->ctr.time_ns += n->time_ns;
		fe->outermost += n->errors;
	}
	if (ev->u.counter.outer)
		return;
	op->calls += n->calls;
	op->bytes += n->bytes;
	op->time_ns += n->time_ns;
	fe->op[dir] += n->errors;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Counters count benign answers as errors; ERRCOUNT has how many there were,
 * by function only, so they are taken off each sum as far as it goes. */
static void settle_errors(struct totals *t)
{
	for (size_t i = 0; i < XPT_MAX_FNS; i++) {
		struct fn_errors *fe = &t->fn[i];
		uint64_t failed = fe->all - least_of(fe->benign, fe->all);

		if (!failed)
			continue;
		t->ctr.failed += least_of(fe->outermost, failed);
		for (unsigned dir = 0; dir <= XPT_DIR_NONE; dir++) {
			uint64_t n = least_of(fe->op[dir], failed);

			t->ctr.op[op_of(fe->cls, dir)].failed += n;
			failed -= n;
		}
	}
}

/* Subtracts captured operations: they are no work that was done. */
static void settle_captured(struct totals *t)
{
	for (size_t i = 0; i < NR_OPS; i++) {
		struct op *op = &t->ctr.op[i];
		const struct op *c = &t->captured[i];

		op->calls -= least_of(op->calls, c->calls);
		op->bytes -= least_of(op->bytes, c->bytes);
		op->time_ns -= least_of(op->time_ns, c->time_ns);
	}
}

static void emit_op(const struct op *op, const char *name, struct xpt_out *out)
{
	struct rec_op rec = {
		.operation = name, .calls = op->calls, .failed = op->failed,
		.bytes = op->bytes ? op->bytes : XPT_ABSENT, .time_ns = op->time_ns,
		.mean_ns = xpt_mean(op->time_ns, op->calls),
	};

	if (op->calls)
		xpt_out__emit(out, &op_schema, &rec);
}

/* Work first, housekeeping after it; classes that are not named here follow. */
static void emit_ops(const struct sums *s, struct xpt_out *out)
{
	static const uint8_t first[] = { XPT_CLASS_LAUNCH, XPT_CLASS_COPY, XPT_CLASS_SET,
					 XPT_CLASS_SUBMIT, XPT_CLASS_COMPLETE, XPT_CLASS_SYNC,
					 XPT_CLASS_ALLOC, XPT_CLASS_FREE };
	bool done[XPT_CLASS__MAX] = { false };
	char name[32];

	for (size_t i = 0; i < sizeof(first) + XPT_CLASS__MAX; i++) {
		unsigned cls = i < sizeof(first) ? first[i] : (unsigned)(i - sizeof(first));

		if (done[cls])
			continue;
		done[cls] = true;
		if (cls != XPT_CLASS_COPY) {
			emit_op(&s->op[cls], xpt_class_name(cls), out);
			continue;
		}
		for (unsigned dir = 0; dir <= XPT_DIR_NONE; dir++) {
			snprintf(name, sizeof(name), "copy %s",
				 dir == XPT_DIR_NONE ? "other" : xpt_dir_name(dir));
			emit_op(&s->op[op_of(cls, dir)], name, out);
		}
	}
}

static void on_end(struct totals *t, const struct xpt_event *ev, struct xpt_out *out)
{
	const struct xpt_stream *stream = xpt_out__stream(out);
	uint64_t from = stream->begin_ns, to = stream->end_ns;
	bool exact = t->ctr.calls + t->ctr.nested + t->ctr.points >=
		     t->ev.calls + t->ev.nested + t->ev.points;
	const struct sums *s = exact ? &t->ctr : &t->ev;
	uint64_t threads = xpt_hashmap__len(t->threads) + t->threads_gone;
	struct rec_summary rec;

	settle_errors(t);
	settle_captured(t);
	rec = (struct rec_summary){
		.duration_ns = to > from ? to - from : 0,
		.processes = xpt_hashmap__len(t->procs) + t->procs_gone,
		.threads = threads || !s->calls ? threads : XPT_ABSENT,	/* counters know none */
		.calls = s->calls, .nested_calls = s->nested, .failed_calls = s->failed,
		.call_ns = s->time_ns, .points = s->points ? s->points : XPT_ABSENT,
		.events_lost = t->lost,
		.counted = exact ? "in the kernel, exact"
			 : ev->u.end.complete ? "from events: no totals of the kernel"
			 : "from events: the trace was cut before its totals",
		.left_out = stream->missing.why[0] ? stream->missing.why
			  : stream->missing.functions ? "functions that -f does not name" : "",
		.expected_errors = s->expected,
		.start_unix_ns = t->wall_ns ? from + (uint64_t)t->wall_ns : XPT_ABSENT,
		.cause = t->cause,
	};
	xpt_out__emit(out, &summary_schema, &rec);
	emit_ops(s, out);
}

static void totals__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct totals *t = st;

	switch (ev->kind) {
	case XPT_EV_META:
		if (!strcmp(ev->u.meta.key, "recorder"))
			snprintf(t->cause, sizeof(t->cause), "%s", ev->u.meta.value);
		break;
	case XPT_EV_BEGIN:
		t->wall_ns = ev->u.begin.realtime_minus_monotonic_ns;
		break;
	case XPT_EV_CALL:
		on_call(t, &ev->u.call);
		break;
	case XPT_EV_COUNTER:
		on_counter(t, ev);
		break;
	case XPT_EV_ERRCOUNT:
		if (ev->u.errcount.expected)
			t->ctr.expected += ev->u.errcount.calls;
		if (!ev->u.errcount.failed)
			t->fn[ev->u.errcount.fn->id % XPT_MAX_FNS].benign += ev->u.errcount.calls;
		break;
	case XPT_EV_LOSS:
		if (ev->u.loss.loss == XPT_LOSS_RING_FULL)
			t->lost = ev->u.loss.count;
		break;
	case XPT_EV_FORGET:
		t->procs_gone += xpt_forget__map(t->procs, NULL, NULL);
		t->threads_gone += xpt_forget__map(t->threads, NULL, NULL);
		t->last_proc = NULL;
		break;
	case XPT_EV_END:
		on_end(t, ev, out);
		break;
	default:
		break;
	}
}

const struct xpt_analyzer xpt_analyzer_totals = {
	.name = "totals",
	.help = "duration, calls, failures, and operations by class with bytes and time",
	.emits = emits,
	.state_size = sizeof(struct totals),
	.tables = (const struct xpt_table[]){
		XPT_ARRAY(struct totals, fn, XPT_MAX_FNS),
		XPT_MAP(struct totals, procs, void *, char, MAX_THREADS, 0),
		XPT_MAP(struct totals, threads, struct thread_key, char, MAX_THREADS, 0),
		{ 0 }
	},
	.event = totals__event,
};
