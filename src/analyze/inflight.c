/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls that have not returned. The stream may report one call several times
 * while it hangs; the last report counts, and a return takes it off the list.
 * A process that was killed inside a call that hung leaves it on the list.
 *
 * Many calls are under way when a trace is ended; a finding is a call that has
 * taken HANG_NS, and HANG_FACTOR times longer than any call of its function
 * that returned, by the counters of the BPF programs if events are missing. Of
 * each process only the oldest such call is reported, with the CUDA kernel that
 * was launched last on its stream.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "base/strbuf.h"
#include "model/output/analyzer.h"
#include "model/call.h"
#include "model/forget.h"
#include "model/memory/ledger.h"
#include "model/value.h"

#define MAX_CALLS 4096
#define TOP 20
#define STALE_NS 2000000000ull	/* older reports are not of the end of the trace */
#define HANG_NS 10000000000ull
#define HANG_FACTOR 10
#define TEXT_LEN 400
#define MAX_STREAMS 1024
#define KERNEL_LEN 80
#define ARGS_LEN 160

struct rec_inflight {
	const char *function;
	uint64_t age_ns, pid, tid;
	const char *comm;
	uint64_t size, stream;
	const char *args, *at;
};

/* The arguments say size and stream too. */
#define FIELDS                                                                 \
	XPT_FIELD(struct rec_inflight, function, STR, NONE, "function"),       \
	XPT_FIELD(struct rec_inflight, age_ns, U64, NS, "since"),              \
	XPT_FIELD(struct rec_inflight, pid, U64, NONE, "pid"),                 \
	XPT_FIELD(struct rec_inflight, tid, U64, NONE, "tid"),                 \
	XPT_FIELD(struct rec_inflight, comm, STR, NONE, "thread"),             \
	XPT_FIELD(struct rec_inflight, size, U64, BYTES, ""),                  \
	XPT_FIELD(struct rec_inflight, stream, U64, HEX, ""),                  \
	XPT_FIELD(struct rec_inflight, args, STR, NONE, "arguments")

static const struct xpt_field fields[] = { FIELDS };
static const struct xpt_field at_fields[] = {
	FIELDS, XPT_FIELD(struct rec_inflight, at, STR, NONE, "at"),
};

static const struct xpt_schema schema = {
	.name = "inflight", .title = "Calls that have not returned",
	.help = "Calls that were still running when the trace or their process ended, longest "
		"first; since is their age when last looked at",
	.layout = XPT_LAYOUT_TABLE, .brief = 5, .order = 80, XPT_RECORD(struct rec_inflight, fields),
};

/* The schema of traces with stacks. */
static const struct xpt_schema at_schema = {
	.name = "inflight", .title = "Calls that have not returned",
	.help = "As without stacks; at is the innermost caller outside of the traced library",
	.layout = XPT_LAYOUT_TABLE, .brief = 5, .order = 80, XPT_RECORD(struct rec_inflight, at_fields),
};

static const struct xpt_schema *const emits[] = { &schema, &at_schema, NULL };

struct key {
	const struct xpt_proc *proc;
	const struct xpt_fn *fn;
	uint64_t start_ns;
	uint64_t tid;
};

struct waiting {
	struct key key;
	uint64_t age_ns, size, stream;
	char comm[XPT_COMM_LEN + 1], args[ARGS_LEN];
	const char *at;		/* NULL without a stack */
	uint8_t depth;
	const char *cpu;	/* where the thread is, NULL: not known */
};

struct stream_key {
	const struct xpt_proc *proc;
	uint64_t stream;	/* XPT_ABSENT: all of the process */
};

struct last_launch {
	char kernel[KERNEL_LEN];	/* "" if its name is not known */
};

struct inflight {
	struct xpt_hashmap *launched;	/* struct stream_key -> struct last_launch */
	struct xpt_hashmap *calls;	/* struct key -> struct waiting */
	uint64_t *longest;		/* by function: of calls that returned, ns */
};

static struct key key_of(const struct xpt_call *c)
{
	return (struct key){ .proc = c->proc, .fn = c->fn, .start_ns = c->start_ns,
			     .tid = c->tid };
}

/* Notes the last kernel launched on that stream. If the table is full, new streams are not
 * entered. */
static void note_launch(struct inflight *s, const struct xpt_call *c, uint64_t stream)
{
	struct stream_key key = { c->proc, stream };
	struct last_launch *l = xpt_hashmap__get(s->launched, &key, NULL);
	const char *name = xpt_call__kernel_known(c) ? c->kernel_short : "";

	if (l && strncmp(l->kernel, name, KERNEL_LEN - 1))
		snprintf(l->kernel, KERNEL_LEN, "%s", name);
}

static void on_call(struct inflight *s, const struct xpt_call *c)
{
	uint64_t *longest = &s->longest[c->fn->id % XPT_MAX_FNS], stream = XPT_ABSENT;
	struct key key;

	if (c->dur_ns > *longest)
		*longest = c->dur_ns;
	if (xpt_hashmap__len(s->calls)) {
		key = key_of(c);
		xpt_hashmap__del(s->calls, &key);
	}
	if (c->fn->cls != XPT_CLASS_LAUNCH || c->failed || !xpt_call__counts(c))
		return;
	note_launch(s, c, XPT_ABSENT);
	if (xpt_call__role(c, XPT_ROLE_STREAM, &stream))
		note_launch(s, c, stream);
}

static void on_inflight(struct inflight *s, const struct xpt_call *c, struct xpt_out *out)
{
	struct xpt_block from = { .fn = c->fn, .stack = c->stack };
	struct key key = key_of(c);
	struct waiting *w;

	if (c->flags & XPT_CALL_LEFT) {	/* left.c */
		xpt_hashmap__del(s->calls, &key);
		return;
	}
	w = xpt_hashmap__get(s->calls, &key, NULL);
	if (!w) {
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, 1);
		return;
	}
	*w = (struct waiting){ .key = key, .age_ns = c->dur_ns, .size = XPT_ABSENT,
			       .stream = XPT_ABSENT, .depth = c->depth,
			       .cpu = xpt_call__cpu_name(c), .at = xpt_block__place(&from) };
	xpt_call__bytes(c, &w->size);
	xpt_call__role(c, XPT_ROLE_STREAM, &w->stream);
	for (size_t i = 0; i < XPT_COMM_LEN && c->comm[i]; i++)
		w->comm[i] = c->comm[i];
	xpt_call__copy_args(c, w->args, sizeof(w->args));
}

/* Keeps processes that ended inside a call, which are reported at the end. */
static void keep_waiting(struct inflight *s, struct xpt_out *out)
{
	size_t pos = 0;
	void *val;

	while (xpt_hashmap__next(s->calls, &pos, NULL, &val))
		xpt_proc__keep(((const struct waiting *)val)->key.proc);
	xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, xpt_forget__map(s->calls, NULL, NULL));
}

/* Oldest first; of calls inside each other the outermost is the oldest. */
static int by_age(const void *a, const void *b)
{
	const struct waiting *x = a, *y = b;

	if (x->age_ns != y->age_ns)
		return x->age_ns < y->age_ns ? 1 : -1;
	if (x->key.tid != y->key.tid)
		return x->key.tid < y->key.tid ? -1 : 1;
	return (int)x->depth - (int)y->depth;
}

/*
 * A trace that ends properly reports hanging calls once more. A call that it
 * does not report then has left its function without returning (longjmp, thread
 * exit), unless the whole process ended inside the call.
 */
static bool still_waits(const struct waiting *w, const struct xpt_event *end)
{
	uint64_t seen = w->key.start_ns + w->age_ns;

	if (!end->u.end.complete || w->key.proc->exit_ns)
		return true;
	return seen + STALE_NS >= end->u.end.end_ns;
}

static bool is_hang(const struct inflight *s, const struct waiting *w)
{
	return w->age_ns >= HANG_NS &&
	       w->age_ns / HANG_FACTOR >= s->longest[w->key.fn->id % XPT_MAX_FNS];
}

static void on_counter(struct inflight *s, const struct xpt_event *ev)
{
	uint64_t *longest = &s->longest[ev->u.counter.fn->id % XPT_MAX_FNS];

	if (ev->u.counter.count->max_ns > *longest)
		*longest = ev->u.counter.count->max_ns;
}

/* The kernel for which w may be waiting, in a sentence of its own. */
static void say_launch(const struct inflight *s, const struct waiting *w, struct xpt_strbuf *sb,
		       const struct xpt_out *out)
{
	struct stream_key key = { w->key.proc, w->stream };
	const struct last_launch *l = xpt_hashmap__find(s->launched, &key);

	if (!l || !l->kernel[0] || xpt_out__misses_any(out))
		return;
	xpt_strbuf__addf(sb, " The last kernel launched before%s was %s.",
			 w->stream == XPT_ABSENT ? "" : " on this stream", l->kernel);
}

/* all: sorted by age; w is the oldest of its process. */
static void report_process(const struct inflight *s, const struct waiting *all, size_t nr,
			   const struct waiting *w, struct xpt_out *out)
{
	uint64_t longest = s->longest[w->key.fn->id % XPT_MAX_FNS], others = 0;
	struct xpt_finding f = {
		.kind = "hang", .weight = XPT_WEIGHT_STOPPED, .lost_ns = w->age_ns,
		.at_ns = w->key.start_ns, .since_ns = w->key.start_ns + HANG_NS, .proc = w->key.proc,
		.advice = "Look at what was submitted before it: a kernel that does not end, an "
			  "event that nobody records, a peer that does not come. A debugger on "
			  "this thread shows who waits.",
	};
	struct xpt_strbuf sb;
	char t[16], l[16];

	for (const struct waiting *o = all; o < all + nr; o++)
		others += o != w && o->key.proc == w->key.proc && o->key.tid != w->key.tid &&
			  is_hang(s, o);
	xpt_strbuf__init(&sb, TEXT_LEN);
	xpt_strbuf__addf(&sb, "%s[%u], thread %u, has not returned from %s for %s",
			 w->key.proc->comm, w->key.proc->pid, (unsigned)w->key.tid,
			 w->key.fn->name, xpt_fmt_ns(w->age_ns, t, sizeof(t)));
	if (w->cpu)
		xpt_strbuf__addf(&sb, " (its thread is %s)", w->cpu);
	if (longest)
		xpt_strbuf__addf(&sb, "; calls of it that returned took %s at most",
				 xpt_fmt_ns(longest, l, sizeof(l)));
	if (others)
		xpt_strbuf__addf(&sb, "; %u more of its threads %s too", (unsigned)others,
				 others == 1 ? "waits" : "wait");
	xpt_strbuf__addc(&sb, '.');
	say_launch(s, w, &sb, out);
	f.text = xpt_strbuf__str(&sb);
	xpt_out__finding(out, &f);
	xpt_strbuf__free(&sb);
}

static void report_hangs(const struct inflight *s, const struct waiting *all, size_t nr,
			 struct xpt_out *out)
{
	for (size_t i = 0; i < nr; i++) {
		size_t k = 0;

		while (k < i && all[k].key.proc != all[i].key.proc)
			k++;
		if (k == i && is_hang(s, &all[i]))
			report_process(s, all, nr, &all[i], out);
	}
}

static void emit_all(const struct waiting *all, size_t nr, struct xpt_out *out)
{
	bool stacks = false;

	for (size_t i = 0; i < nr; i++)
		stacks |= all[i].at != NULL;
	for (const struct waiting *w = all; w < all + nr; w++) {
		struct rec_inflight rec = {
			.function = w->key.fn->name, .age_ns = w->age_ns, .comm = w->comm,
			.pid = w->key.proc->pid, .tid = w->key.tid, .size = w->size,
			.stream = w->stream, .args = w->args, .at = w->at,
		};

		xpt_out__emit(out, stacks ? &at_schema : &schema, &rec);
	}
}

static void on_end(struct inflight *s, const struct xpt_event *ev, struct xpt_out *out)
{
	size_t n = xpt_hashmap__len(s->calls), pos = 0, nr = 0;
	struct waiting *all = calloc(n ? n : 1, sizeof(*all));
	void *val;

	while (all && nr < n && xpt_hashmap__next(s->calls, &pos, NULL, &val))
		if (still_waits(val, ev))
			all[nr++] = *(struct waiting *)val;
	if (all)
		qsort(all, nr, sizeof(*all), by_age);
	emit_all(all, nr < TOP ? nr : TOP, out);
	report_hangs(s, all, nr, out);
	free(all);
}

static void inflight__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct inflight *s = st;

	switch (ev->kind) {
	case XPT_EV_INFLIGHT:
		on_inflight(s, &ev->u.call, out);
		break;
	case XPT_EV_CALL:
		on_call(s, &ev->u.call);
		break;
	case XPT_EV_COUNTER:
		on_counter(s, ev);
		break;
	case XPT_EV_FORGET:
		keep_waiting(s, out);
		break;
	case XPT_EV_END:
		on_end(s, ev, out);
		break;
	default:
		break;
	}
}

const struct xpt_analyzer xpt_analyzer_inflight = {
	.name = "inflight",
	.help = "calls that have not returned",
	.emits = emits,
	.state_size = sizeof(struct inflight),
	.tables = (const struct xpt_table[]){
		XPT_ARRAY(struct inflight, longest, XPT_MAX_FNS),
		XPT_MAP(struct inflight, launched, struct stream_key, struct last_launch, MAX_STREAMS, XPT_TABLE_OF_PROCESSES),
		XPT_MAP(struct inflight, calls, struct key, struct waiting, MAX_CALLS, 0),
		{ 0 }
	},
	.event = inflight__event,
};
