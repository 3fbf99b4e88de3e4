/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Gaps: the time from the end of a launch call to the start of the next, by
 * stream and for all streams of a process. The mean of these is usually called
 * the average gap; the device may well be busy in them.
 *
 * Idle is less and certain: time in which the device had nothing to do from
 * this process, because all that was put on its streams had been waited for.
 * A wait for an event proves nothing here. A process with two devices is not
 * judged. Idle of up to SHORT belongs to sync.c and not to the finding.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "base/numbers/dist.h"
#include "model/forget.h"
#include "model/output/analyzer.h"

#define MAX_STREAMS 1024	/* 6 KiB each */
#define MAX_PROCS 1024
#define MAX_BUSY 32		/* streams with work for which the program has not waited */
#define TOP 5
#define NAME_LEN 48
#define ALL_STREAMS (XPT_ABSENT - 1)	/* key of the row for all streams of a process */
#define SHORT 100000		/* ns */
#define MIN_IDLES 20
#define MIN_SHARE 0.3		/* of the time from the first to the last work */
#define TEXT_LEN 480

struct rec_gap {
	const char *streams, *before, *after;
	uint64_t pid, stream, launches, mean_ns, p50_ns, p99_ns, max_ns, at_ns;
};

static const struct xpt_field gap_fields[] = {
	XPT_FIELD(struct rec_gap, pid, U64, NONE, "pid"),
	XPT_FIELD(struct rec_gap, streams, STR, NONE, "stream"),
	XPT_FIELD(struct rec_gap, stream, U64, HEX, ""),
	XPT_FIELD(struct rec_gap, launches, U64, COUNT, "gaps"),
	XPT_FIELD(struct rec_gap, mean_ns, U64, NS, "mean"),
	XPT_FIELD(struct rec_gap, p50_ns, U64, NS, "p50"),
	XPT_FIELD(struct rec_gap, p99_ns, U64, NS, "p99"),
	XPT_FIELD(struct rec_gap, max_ns, U64, NS, "longest"),
	XPT_FIELD(struct rec_gap, at_ns, U64, AT, "at"),
	XPT_FIELD(struct rec_gap, before, STR, NONE, "behind"),
	XPT_FIELD(struct rec_gap, after, STR, NONE, ""),
};

static const struct xpt_schema gap_schema = {
	.name = "gaps", .title = "Gaps between launches",
	.help = "From the end of a launch call to the start of the next, by stream and process; "
		"when the longest began and between which kernels it lies",
	.layout = XPT_LAYOUT_TABLE, .brief = 3, .order = 34, XPT_RECORD(struct rec_gap, gap_fields),
};

struct rec_idle {
	const char *comm, *before, *after;
	uint64_t pid, idles, idle_ns, longest_ns, at_ns, long_idles, long_ns;
	double share;
};

static const struct xpt_field idle_fields[] = {
	XPT_FIELD(struct rec_idle, comm, STR, NONE, "process"),
	XPT_FIELD(struct rec_idle, pid, U64, NONE, "pid"),
	XPT_FIELD(struct rec_idle, idles, U64, COUNT, "times"),
	XPT_FIELD(struct rec_idle, idle_ns, U64, NS, "idle"),
	XPT_FIELD(struct rec_idle, share, F64, RATIO, "share"),
	XPT_FIELD(struct rec_idle, longest_ns, U64, NS, "longest"),
	XPT_FIELD(struct rec_idle, at_ns, U64, AT, "at"),
	XPT_FIELD(struct rec_idle, before, STR, NONE, "behind"),
	XPT_FIELD(struct rec_idle, after, STR, NONE, "until"),
	XPT_FIELD(struct rec_idle, long_idles, U64, COUNT, ""),
	XPT_FIELD(struct rec_idle, long_ns, U64, NS, ""),
};

static const struct xpt_schema idle_schema = {
	.name = "idle", .title = "Device certainly without work",
	.help = "Time in which everything that a process had put on the device had been waited "
		"for: at least this long it had nothing to do; share of the time from the first "
		"to the last work; long ones are above 100 us",
	.layout = XPT_LAYOUT_TABLE, .detail = true, .order = 35, XPT_RECORD(struct rec_idle, idle_fields),
};

static const struct xpt_schema *const emits[] = { &gap_schema, &idle_schema, NULL };

struct stream_key {
	const struct xpt_proc *proc;
	uint64_t stream;
};

struct stream {
	struct stream_key key;
	uint64_t end_ns, at_ns;		/* of the last launch; where the longest gap began */
	char last[NAME_LEN], before[NAME_LEN], after[NAME_LEN];
	struct xpt_dist gap;
};

struct proc {
	const struct xpt_proc *proc;
	uint64_t busy[MAX_BUSY];	/* streams */
	unsigned nr_busy;
	bool unknown;			/* more than that: only a wait for all of them helps */
	bool many;			/* devices: not judged */
	uint64_t device;
	uint64_t first_ns, end_ns;	/* of work */
	uint64_t idle_since, idles, idle_ns, long_idles, long_ns, longest_ns, longest_at;
	const struct xpt_fn *waited, *before, *after;
};

struct gaps {
	struct xpt_hashmap *streams;	/* struct stream_key -> struct stream * */
	struct xpt_hashmap *procs;	/* proc pointer -> struct proc */
	struct stream *last, *last_all;	/* those of the launch before */
};

static struct stream *stream_of(struct gaps *g, struct stream *last, const struct xpt_proc *proc,
				uint64_t stream)
{
	struct stream_key key = { proc, stream };
	struct stream **slot, *s;
	bool is_new;

	if (last && last->key.proc == proc && last->key.stream == stream)
		return last;
	slot = xpt_hashmap__get(g->streams, &key, &is_new);
	if (!slot)
		return NULL;
	if (!is_new)
		return *slot;
	s = calloc(1, sizeof(*s));
	if (s) {
		s->key = key;
		*slot = s;
	} else {
		xpt_hashmap__del(g->streams, &key);
	}
	return s;
}

static void set_name(char *to, const char *name)
{
	size_t n = strnlen(name, NAME_LEN - 1);

	memcpy(to, name, n);
	to[n] = '\0';
}

static void add_gap(struct stream *s, const struct xpt_call *c)
{
	const char *name = c->kernel_short ? c->kernel_short : c->fn->base;
	uint64_t end = c->start_ns + c->dur_ns, gap;

	if (s->end_ns) {
		/* Threads that launch at the same time leave no gap. */
		gap = c->start_ns > s->end_ns ? c->start_ns - s->end_ns : 0;
		if (gap > s->gap.max) {
			s->at_ns = s->end_ns;
			memcpy(s->before, s->last, sizeof(s->before));
			set_name(s->after, name);
		}
		xpt_dist__add(&s->gap, gap);
	}
	if (end > s->end_ns)
		s->end_ns = end;
	set_name(s->last, name);
}

static void on_launch(struct gaps *g, const struct xpt_call *c, struct xpt_out *out)
{
	uint64_t stream = 0;

	xpt_call__role(c, XPT_ROLE_STREAM, &stream);
	g->last = stream_of(g, g->last, c->proc, stream);
	g->last_all = stream_of(g, g->last_all, c->proc, ALL_STREAMS);
	if (g->last)
		add_gap(g->last, c);
	if (g->last_all)
		add_gap(g->last_all, c);
	if (!g->last || !g->last_all)
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, 1);
}

/* Something for the device to do: the end of being idle. */
static void on_work(struct proc *p, const struct xpt_call *c)
{
	uint64_t idle;

	p->first_ns = p->first_ns ? p->first_ns : c->start_ns;
	if (c->start_ns + c->dur_ns > p->end_ns)
		p->end_ns = c->start_ns + c->dur_ns;
	if (!p->idle_since)
		return;
	idle = c->start_ns > p->idle_since ? c->start_ns - p->idle_since : 0;
	p->idles++;
	p->idle_ns += idle;
	if (idle > SHORT) {
		p->long_idles++;
		p->long_ns += idle;
	}
	if (idle > p->longest_ns) {
		p->longest_ns = idle;
		p->longest_at = p->idle_since;
		p->before = p->waited;
		p->after = c->fn;
	}
	p->idle_since = 0;
}

static void make_busy(struct proc *p, uint64_t stream)
{
	unsigned i;

	for (i = 0; i < p->nr_busy && p->busy[i] != stream; i++)
		;
	if (i < p->nr_busy)
		return;
	if (p->nr_busy < MAX_BUSY)
		p->busy[p->nr_busy++] = stream;
	else
		p->unknown = true;
}

/* All that lay on this stream is done; on all streams for XPT_ABSENT. */
static void make_done(struct proc *p, const struct xpt_call *c, uint64_t stream)
{
	unsigned i;

	if (stream == XPT_ABSENT) {
		p->nr_busy = 0;
		p->unknown = false;
	}
	for (i = 0; i < p->nr_busy && p->busy[i] != stream; i++)
		;
	if (i < p->nr_busy)
		p->busy[i] = p->busy[--p->nr_busy];
	if (p->nr_busy || p->unknown || !p->first_ns)
		return;
	p->idle_since = c->start_ns + c->dur_ns;
	p->waited = c->fn;
}

static void on_wait(struct proc *p, const struct xpt_call *c)
{
	uint64_t stream = XPT_ABSENT;

	if (c->fn->role_idx[XPT_ROLE_EVENT] >= 0)
		return;
	if (c->fn->role_idx[XPT_ROLE_STREAM] >= 0 && !xpt_call__role(c, XPT_ROLE_STREAM, &stream))
		return;
	make_done(p, c, stream);
}

static void on_device(struct proc *p, const struct xpt_call *c)
{
	uint64_t device;

	if (!xpt_call__role(c, XPT_ROLE_DEVICE, &device))
		return;
	p->many |= p->device && p->device != device + 1;
	p->device = device + 1;
}

static void follow_call(struct gaps *g, const struct xpt_call *c)
{
	struct proc *p = xpt_hashmap__get(g->procs, &c->proc, NULL);
	uint64_t stream = 0;

	if (!p)
		return;
	p->proc = c->proc;
	switch (c->fn->cls) {
	case XPT_CLASS_INIT:
		on_device(p, c);
		break;
	case XPT_CLASS_SYNC:
		on_wait(p, c);
		break;
	default:
		on_work(p, c);
		xpt_call__role(c, XPT_ROLE_STREAM, &stream);
		make_busy(p, stream);
		/* A copy to the host that blocks has come to its end. */
		if (c->fn->cls == XPT_CLASS_COPY && xpt_call__dir(c) == XPT_DIR_D2H &&
		    c->fn->role_idx[XPT_ROLE_STREAM] < 0)
			make_done(p, c, 0);
		break;
	}
}

static void on_call(struct gaps *g, const struct xpt_call *c, struct xpt_out *out)
{
	unsigned cls = c->fn->cls;

	if (c->failed || !xpt_call__counts(c))
		return;
	if (cls == XPT_CLASS_LAUNCH)
		on_launch(g, c, out);
	if (cls == XPT_CLASS_LAUNCH || cls == XPT_CLASS_COPY || cls == XPT_CLASS_SET ||
	    cls == XPT_CLASS_SYNC || cls == XPT_CLASS_INIT)
		follow_call(g, c);
}

static void emit_gap(const struct stream *s, struct xpt_out *out)
{
	bool all = s->key.stream == ALL_STREAMS;
	char name[24];
	struct rec_gap rec = {
		.streams = all ? "all" : name, .before = s->before, .after = s->after,
		.pid = s->key.proc->pid, .stream = all ? XPT_ABSENT : s->key.stream,
		.launches = s->gap.count, .mean_ns = xpt_dist__mean(&s->gap),
		.p50_ns = xpt_dist__quantile(&s->gap, 0.5),
		.p99_ns = xpt_dist__quantile(&s->gap, 0.99), .max_ns = s->gap.max,
		.at_ns = xpt_out__since(out, s->at_ns),
	};

	snprintf(name, sizeof(name), "0x%" PRIx64, s->key.stream);
	xpt_out__emit(out, &gap_schema, &rec);
}

/* Most launches first, a process's own row before those of its streams. */
static int by_launches(const void *a, const void *b)
{
	const struct stream *x = **(struct stream **const *)a, *y = **(struct stream **const *)b;

	if (x->gap.count != y->gap.count)
		return x->gap.count < y->gap.count ? 1 : -1;
	if (x->key.proc->pid != y->key.proc->pid)
		return x->key.proc->pid < y->key.proc->pid ? -1 : 1;
	return x->key.stream > y->key.stream ? -1 : x->key.stream < y->key.stream;
}

/* The only stream of a process says the same as the process. */
static bool is_double(const struct gaps *g, const struct stream *s)
{
	struct stream_key key = { s->key.proc, ALL_STREAMS };
	struct stream *const *all = xpt_hashmap__find(g->streams, &key);

	return s->key.stream == ALL_STREAMS ? false : all && (*all)->gap.count == s->gap.count;
}

static void emit_gaps(const struct gaps *g, struct xpt_out *out)
{
	size_t nr, shown = 0;
	void **all = xpt_hashmap__sorted(g->streams, by_launches, &nr);

	for (size_t i = 0; i < nr && shown < TOP; i++) {
		const struct stream *s = *(struct stream **)all[i];

		if (!s->gap.count || is_double(g, s))
			continue;
		emit_gap(s, out);
		shown++;
	}
	free(all);
}

static void report_process(const struct proc *p, uint64_t span, struct xpt_out *out)
{
	char text[TEXT_LEN], n[16], idle[16], longest[16];
	struct xpt_finding f = {
		.kind = "idle_gaps", .weight = XPT_WEIGHT_SLOW, .lost_ns = p->long_ns,
		.at_ns = p->longest_at, .proc = p->proc, .text = text, .alike = "",
		.advice = "Prepare the next input in another thread or on another stream, and "
			  "launch before waiting; if it waits for requests, this is no loss.",
	};

	if (p->long_idles < MIN_IDLES || (double)p->long_ns < MIN_SHARE * (double)span)
		return;
	snprintf(text, sizeof(text),
		 "The device had nothing to do from %s[%u] for %s, %.1f %% of the time from its "
		 "first to its last work, in %s pauses; the longest, %s, lies between %s and %s.",
		 p->proc->comm, p->proc->pid, xpt_fmt_ns(p->long_ns, idle, sizeof(idle)),
		 100.0 * (double)p->long_ns / (double)span,
		 xpt_fmt_count(p->long_idles, n, sizeof(n)),
		 xpt_fmt_ns(p->longest_ns, longest, sizeof(longest)), p->before->name,
		 p->after->name);
	xpt_out__finding(out, &f);
}

static void emit_idle(const struct proc *p, struct xpt_out *out)
{
	uint64_t span = p->end_ns > p->first_ns ? p->end_ns - p->first_ns : 0;
	struct rec_idle rec = {
		.comm = p->proc->comm, .before = p->before ? p->before->name : "-",
		.after = p->after ? p->after->name : "-", .pid = p->proc->pid, .idles = p->idles,
		.idle_ns = p->idle_ns, .longest_ns = p->longest_ns,
		.at_ns = xpt_out__since(out, p->longest_at), .long_idles = p->long_idles,
		.long_ns = p->long_ns, .share = span ? (double)p->idle_ns / (double)span : 0,
	};

	xpt_out__emit(out, &idle_schema, &rec);
	if (span)
		report_process(p, span, out);
}

static int by_idle(const void *a, const void *b)
{
	const struct proc *x = *(struct proc *const *)a, *y = *(struct proc *const *)b;

	if (x->idle_ns != y->idle_ns)
		return x->idle_ns < y->idle_ns ? 1 : -1;
	return x->proc->pid < y->proc->pid ? -1 : x->proc->pid > y->proc->pid;
}

static void emit_idles(const struct gaps *g, struct xpt_out *out)
{
	size_t nr, shown = 0;
	void **all = xpt_hashmap__sorted(g->procs, by_idle, &nr);

	for (size_t i = 0; i < nr && shown < TOP; i++) {
		const struct proc *p = all[i];

		if (!p->idles || p->many)
			continue;
		emit_idle(p, out);
		shown++;
	}
	free(all);
}

/*
 * Keeps the rows that would be shown. Of streams twice as many, because two rows of a process with one stream are the
 * same.
 */
static void keep_shown(struct gaps *g)
{
	xpt_forget__keep_first(g->streams, by_launches, 2 * TOP);
	xpt_forget__keep_first(g->procs, by_idle, TOP);
	g->last = g->last_all = NULL;
}

static void gaps__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct gaps *g = st;

	switch (ev->kind) {
	case XPT_EV_CALL:
		on_call(g, &ev->u.call, out);
		break;
	case XPT_EV_FORGET:
		keep_shown(g);
		break;
	case XPT_EV_END:
		if (!xpt_out__misses_calls(out))	/* between launches that are missing there would be gaps */
			emit_gaps(g, out);
		if (!xpt_out__misses_any(out))	/* if launches or copies may be missing, idle is not certain */
			emit_idles(g, out);
		break;
	default:
		break;
	}
}

const struct xpt_analyzer xpt_analyzer_gaps = {
	.name = "gaps",
	.help = "time between launches, and time in which the device had nothing to do",
	.emits = emits,
	.state_size = sizeof(struct gaps),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct gaps, streams, struct stream_key, struct stream *, MAX_STREAMS,
			XPT_TABLE_OF_PROCESSES | XPT_TABLE_OWNS),
		XPT_MAP(struct gaps, procs, void *, struct proc, MAX_PROCS, XPT_TABLE_OF_PROCESSES),
		{ 0 }
	},
	.event = gaps__event,
};
