/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Waits for the device: the time of blocking calls by function and stream, and whether threads wait after every
 * single launch.
 *
 * The time of a wait is not lost, because the device works meanwhile. After such a wait, time is lost until the end
 * of the next launch call, because the device has no work from this thread. If that takes longer than MAX_GAP, it is
 * work of the program and not caused by the wait (see gaps.c).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "base/numbers/dist.h"
#include "base/numbers/mean.h"
#include "model/forget.h"
#include "model/output/analyzer.h"

#define MAX_ROWS 1024		/* 6 KiB each */
#define MAX_THREADS 8192
#define TOP 6
#define MAX_GAP 100000		/* ns; ten to twenty launches */
#define MIN_SINGLES 100
#define MIN_PART 0.8		/* of the launches */
#define MIN_SHARE 0.05		/* of the wall time */
#define OF_GRAPH 2		/* launches that a graph stands for, at least: it is a series */
#define TEXT_LEN 400

struct rec_sync {
	const char *function;
	uint64_t stream, calls, blocked_ns, mean_ns, p99_ns, max_ns, pid;
	double share;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_sync, function, STR, NONE, "function"),
	XPT_FIELD(struct rec_sync, stream, U64, HEX, "stream"),
	XPT_FIELD(struct rec_sync, calls, U64, COUNT, "calls"),
	XPT_FIELD(struct rec_sync, blocked_ns, U64, NS, "blocked"),
	XPT_FIELD(struct rec_sync, share, F64, RATIO, "of wall"),
	XPT_FIELD(struct rec_sync, mean_ns, U64, NS, "mean"),
	XPT_FIELD(struct rec_sync, p99_ns, U64, NS, ""),
	XPT_FIELD(struct rec_sync, max_ns, U64, NS, "max"),
	XPT_FIELD(struct rec_sync, pid, U64, NONE, "pid"),
};

static const struct xpt_schema schema = {
	.name = "sync", .title = "Waiting for the device",
	.help = "Calls that block until the device is done, by function and stream (none: a whole "
		"context or an event): time in them and its share of the process's wall time",
	.layout = XPT_LAYOUT_TABLE, .brief = 3, .order = 33, XPT_RECORD(struct rec_sync, fields),
};

static const struct xpt_schema *const emits[] = { &schema, NULL };

struct row_key {
	const struct xpt_proc *proc;
	const struct xpt_fn *fn;
	uint64_t stream;
};

struct row {
	struct row_key key;
	uint64_t failed;
	struct xpt_dist time;
};

struct thread_key {
	const struct xpt_proc *proc;
	uint64_t tid;
};

struct thread {
	struct thread_key key;
	uint64_t launches, singles;	/* launches; those that the next call waited for */
	uint64_t since;			/* launches since the last wait */
	uint64_t waited_ns;		/* when a wait for a single launch returned, 0: not now */
	uint64_t lost_ns, first_ns;
};

struct sync {
	struct xpt_hashmap *rows;	/* struct row_key -> struct row */
	struct xpt_hashmap *threads;	/* struct thread_key -> struct thread */
	struct row gone;		/* sums of evicted processes and of rows without room */
	size_t nr_gone;
	struct row *last;		/* waits of one kind follow one another; NULL unknown */
	bool over;			/* waits without a row */
};

static void add_time(struct xpt_dist *sum, uint64_t calls, uint64_t ns, uint64_t max_ns)
{
	sum->count += calls;
	sum->sum += ns;
	sum->max = max_ns > sum->max ? max_ns : sum->max;
}

static void count_wait(struct sync *s, const struct xpt_call *c, struct xpt_out *out)
{
	struct row_key key = { c->proc, c->fn, XPT_ABSENT };

	xpt_call__role(c, XPT_ROLE_STREAM, &key.stream);
	if (!s->last || memcmp(&s->last->key, &key, sizeof(key)))
		s->last = xpt_hashmap__get(s->rows, &key, NULL);
	if (!s->last) {	/* no row, but in the sums */
		s->over = true;
		add_time(&s->gone.time, 1, c->dur_ns, c->dur_ns);
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, 1);
		return;
	}
	s->last->key = key;
	s->last->failed += c->failed;
	xpt_dist__add(&s->last->time, c->dur_ns);
}

/* Handles a launch: until its end the device had no work of this thread since a wait returned. */
static void on_launch(struct thread *t, const struct xpt_call *c)
{
	uint64_t end = c->start_ns + c->dur_ns;

	t->launches++;
	t->since += c->fn->role_idx[XPT_ROLE_GRAPH] >= 0 ? OF_GRAPH : 1;
	if (t->waited_ns && end > t->waited_ns && end - t->waited_ns <= MAX_GAP)
		t->lost_ns += end - t->waited_ns;
	t->waited_ns = 0;
}

static void on_wait(struct thread *t, const struct xpt_call *c)
{
	bool single = t->since == 1;

	if (single && !t->singles++)
		t->first_ns = c->start_ns;
	t->waited_ns = single ? c->start_ns + c->dur_ns : 0;
	t->since = 0;
}

static void on_call(struct sync *s, const struct xpt_call *c, struct xpt_out *out)
{
	struct thread_key key = { c->proc, c->tid };
	unsigned cls = c->fn->cls;
	struct thread *t;

	if ((cls != XPT_CLASS_SYNC && cls != XPT_CLASS_LAUNCH && cls != XPT_CLASS_COPY) ||
	    !xpt_call__counts(c))
		return;
	if (cls == XPT_CLASS_SYNC)
		count_wait(s, c, out);
	if (c->failed)	/* nothing was launched, copied or waited for */
		return;
	t = cls == XPT_CLASS_LAUNCH ? xpt_hashmap__get(s->threads, &key, NULL)
				    : xpt_hashmap__find(s->threads, &key);
	if (!t) {
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, cls == XPT_CLASS_LAUNCH);
		return;
	}
	t->key = key;
	if (cls == XPT_CLASS_LAUNCH)
		on_launch(t, c);
	else if (cls == XPT_CLASS_SYNC)
		on_wait(t, c);
	else
		t->waited_ns = 0;	/* the device copies */
}

/* Whether a thread waited after so many single launches that it is reported. */
static bool is_finding(const struct thread *t, const struct xpt_out *out)
{
	uint64_t wall = xpt_out__wall_ns(out, t->key.proc);

	return t->singles >= MIN_SINGLES &&
	       (double)t->singles >= MIN_PART * (double)t->launches && wall &&
	       (double)t->lost_ns >= MIN_SHARE * (double)wall;
}

static void report_thread(const struct thread *t, struct xpt_out *out)
{
	const struct xpt_proc *proc = t->key.proc;
	uint64_t wall = xpt_out__wall_ns(out, proc);
	char text[TEXT_LEN], n[16], of[16], lost[16];
	struct xpt_finding f = {
		.kind = "sync_every_launch", .weight = XPT_WEIGHT_SLOW, .lost_ns = t->lost_ns,
		.at_ns = t->first_ns, .proc = proc, .text = text, .alike = "",
		.advice = "Wait once after a series of launches: calls on one stream keep their "
			  "order without it.",
	};

	if (!is_finding(t, out))
		return;
	snprintf(text, sizeof(text),
		 "%s[%u] waited after single launches, for %s of %s: the device was without work "
		 "for %s between a wait and the next launch, %.1f %% of the wall time.",
		 proc->comm, proc->pid, xpt_fmt_count(t->singles, n, sizeof(n)),
		 xpt_fmt_count(t->launches, of, sizeof(of)),
		 xpt_fmt_ns(t->lost_ns, lost, sizeof(lost)),
		 100.0 * (double)t->lost_ns / (double)wall);
	xpt_out__finding(out, &f);
}

static int by_time(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;

	if (x->time.sum != y->time.sum)
		return x->time.sum < y->time.sum ? 1 : -1;
	if (x->key.fn != y->key.fn)
		return strcmp(x->key.fn->name, y->key.fn->name);
	return x->key.stream < y->key.stream ? -1 : x->key.stream > y->key.stream;
}

static void emit_row(const struct row *row, struct xpt_out *out)
{
	uint64_t wall = xpt_out__wall_ns(out, row->key.proc);
	struct rec_sync rec = {
		.function = row->key.fn->name, .stream = row->key.stream,
		.calls = row->time.count, .blocked_ns = row->time.sum,
		.share = wall ? (double)row->time.sum / (double)wall : 0,
		.mean_ns = xpt_dist__mean(&row->time), .max_ns = row->time.max,
		.p99_ns = xpt_dist__quantile(&row->time, 0.99), .pid = row->key.proc->pid,
	};

	xpt_out__emit(out, &schema, &rec);
}

static void emit_rest(const struct sync *s, void *const *rows, size_t nr, struct xpt_out *out)
{
	char name[48];
	struct rec_sync rec = { .function = name, .stream = XPT_ABSENT,
				.pid = XPT_ABSENT, .p99_ns = XPT_ABSENT,
				.calls = s->gone.time.count, .blocked_ns = s->gone.time.sum,
				.max_ns = s->gone.time.max, .share = NAN };

	snprintf(name, sizeof(name), "other (%s%zu rows)", s->over ? "over " : "",
		 nr + s->nr_gone);
	for (size_t i = 0; i < nr; i++) {
		const struct xpt_dist *d = &((const struct row *)rows[i])->time;

		rec.calls += d->count;
		rec.blocked_ns += d->sum;
		rec.max_ns = d->max > rec.max_ns ? d->max : rec.max_ns;
	}
	rec.mean_ns = xpt_mean(rec.blocked_ns, rec.calls);
	if (rec.calls)
		xpt_out__emit(out, &schema, &rec);
}

static void add_gone(void *ctx, void *val)
{
	struct sync *s = ctx;
	const struct row *row = val;

	s->nr_gone++;
	add_time(&s->gone.time, row->time.count, row->time.sum, row->time.max);
}

/* Adds the rows of evicted processes to the sums, but keeps those that would be shown. */
static void forget_gone(struct sync *s, const struct xpt_out *out)
{
	size_t pos = 0;
	void *val;

	xpt_forget__keep_first(s->rows, by_time, TOP + 1);
	while (xpt_hashmap__next(s->threads, &pos, NULL, &val)) {
		const struct xpt_proc *proc = ((const struct thread *)val)->key.proc;

		if (proc->forgotten && is_finding(val, out))
			xpt_proc__keep(proc);
	}
	xpt_forget__map(s->rows, add_gone, s);
	s->last = NULL;
}

static void on_end(struct sync *s, struct xpt_out *out)
{
	size_t pos = 0, nr, shown;
	void **all = xpt_hashmap__sorted(s->rows, by_time, &nr), *val;

	shown = nr <= TOP + 1 ? nr : TOP;
	for (size_t i = 0; i < shown; i++)
		emit_row(all[i], out);
	emit_rest(s, all ? all + shown : NULL, nr - shown, out);
	free(all);
	while (!xpt_out__misses_any(out) && xpt_hashmap__next(s->threads, &pos, NULL, &val))
		report_thread(val, out);
}

static void sync__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct sync *s = st;

	if (ev->kind == XPT_EV_CALL)
		on_call(s, &ev->u.call, out);
	else if (ev->kind == XPT_EV_FORGET)
		forget_gone(s, out);
	else if (ev->kind == XPT_EV_END)
		on_end(s, out);
}

const struct xpt_analyzer xpt_analyzer_sync = {
	.name = "sync",
	.help = "time blocked by calls that wait for the device, by stream",
	.emits = emits,
	.state_size = sizeof(struct sync),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct sync, rows, struct row_key, struct row, MAX_ROWS, 0),
		XPT_MAP(struct sync, threads, struct thread_key, struct thread, MAX_THREADS, XPT_TABLE_OF_PROCESSES),
		{ 0 }
	},
	.event = sync__event,
};
