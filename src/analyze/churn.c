/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Allocation churn: the same size, from the same function, allocated and freed
 * again and again by a process that could have kept the block.
 *
 * An allocation counts if reuse was possible: if a block of the same process,
 * function and size had been freed before and not been matched to an allocation
 * yet. So a hundred blocks that are allocated, used and freed together are no
 * churn, and a loop that allocates one block a hundred times is. Pools are left
 * out: they are the cure.
 *
 * The table needs MIN_CYCLES such allocations (start-up code repeats itself a
 * few times), blocks that live for at most a quarter of the process's time,
 * and a price: MIN_SHARE of the wall time in the calls, or blocks of MIN_BIG
 * bytes over half of the wall time. A finding takes all sizes of a function
 * together and needs more: MIN_LOST and FINDING_SHARE of the wall time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "base/numbers/mean.h"
#include "model/forget.h"
#include "model/memory/ledger.h"
#include "model/output/analyzer.h"
#include "model/vocab.h"

#define MAX_GROUPS 16384
#define MIN_CYCLES 10
#define MIN_SHARE 0.001
#define MIN_BIG (1u << 20)
#define FINDING_SHARE 0.01
#define MIN_LOST 1000000u	/* ns */
#define TOP 10
#define TOP_PROCS 6	/* processes of a sentence that are named */
#define TEXT_LEN 600

struct rec_churn {
	const char *function, *kind, *comm;
	uint64_t pid, size, cycles, bytes, time_ns;
	double share;
};

static const struct xpt_field churn_fields[] = {
	XPT_FIELD(struct rec_churn, function, STR, NONE, "function"),
	XPT_FIELD(struct rec_churn, kind, STR, NONE, "kind"),
	XPT_FIELD(struct rec_churn, size, U64, BYTES, "size"),
	XPT_FIELD(struct rec_churn, cycles, U64, COUNT, "cycles"),
	XPT_FIELD(struct rec_churn, bytes, U64, BYTES, "bytes"),
	XPT_FIELD(struct rec_churn, time_ns, U64, NS, "time"),
	XPT_FIELD(struct rec_churn, share, F64, RATIO, "of wall"),
	XPT_FIELD(struct rec_churn, pid, U64, NONE, "pid"),
};

static const struct xpt_schema churn_schema = {
	.name = "churn", .title = "Allocation churn",
	.help = "Blocks of one size allocated and freed again and again: cycles, bytes allocated "
		"in them, time in both calls and its share of the process's wall time",
	.layout = XPT_LAYOUT_TABLE, .detail = true, .order = 110, XPT_RECORD(struct rec_churn, churn_fields),
};

static const struct xpt_schema *const emits[] = { &churn_schema, NULL };

struct group_key {
	const struct xpt_proc *proc;
	const struct xpt_fn *fn;
	uint64_t bytes;
};

struct group {
	struct group_key key;
	const struct xpt_fn *outer;	/* the function that the program called, if not fn itself */
	uint64_t closed, reused;	/* reused <= closed */
	uint64_t bytes, call_ns, live_ns;	/* of closed blocks */
	uint64_t first_ns, last_ns;	/* first allocation returned, last free returned */
	uint64_t wall_ns;		/* set when results are made */
	uint8_t kind;
};

struct churn {
	struct xpt_hashmap *groups;	/* struct group_key -> struct group */
	uint64_t begin_ns, end_ns;
	uint64_t refused;		/* groups that found no room */
	uint64_t since_sweep;
	uint64_t reported;		/* losses that the pipeline knows */
};

static bool is_watched(unsigned kind)
{
	switch (kind) {
	case XPT_KIND_NONE:
	case XPT_KIND_DEVICE:
	case XPT_KIND_MANAGED:
	case XPT_KIND_HOST:
	case XPT_KIND_REGISTERED:
	case XPT_KIND_ARRAY:
		return true;
	default:
		return false;
	}
}

static struct group_key key_of(const struct xpt_block *b)
{
	return (struct group_key){ .proc = b->proc, .fn = b->fn, .bytes = b->bytes };
}

static uint64_t wall_of(const struct churn *ch, const struct xpt_proc *proc)
{
	return xpt_finding__wall_ns(proc, ch->begin_ns, ch->end_ns);
}

static bool is_churn(const struct churn *ch, const struct group *g)
{
	uint64_t wall = wall_of(ch, g->key.proc);

	if (g->reused + 1 < MIN_CYCLES || !wall || xpt_mean(g->live_ns, g->closed) > wall / 4)
		return false;
	if ((double)g->call_ns >= MIN_SHARE * (double)wall)
		return true;
	return g->key.bytes >= MIN_BIG && g->last_ns >= g->first_ns + wall / 2;
}

/* Drops groups of ended processes that are no churn. At most once per
 * quarter of the table's size refused, so the cost per call stays constant. */
static void drop_ended(struct churn *ch)
{
	size_t pos = 0;
	void *val;

	while (xpt_hashmap__next(ch->groups, &pos, NULL, &val)) {
		const struct group *g = val;
		struct group_key k = g->key;

		if (k.proc->exit_ns && !is_churn(ch, g))
			xpt_hashmap__del(ch->groups, &k);
	}
	ch->since_sweep = 0;
}

/* Groups that are a finding stay. */
static void keep_churn(struct churn *ch)
{
	size_t pos = 0;
	void *val;

	while (xpt_hashmap__next(ch->groups, &pos, NULL, &val)) {
		const struct xpt_proc *proc = ((const struct group *)val)->key.proc;

		if (proc->forgotten && is_churn(ch, val))
			xpt_proc__keep(proc);
	}
}

static struct group *group_of(struct churn *ch, const struct xpt_block *b)
{
	struct group_key key = key_of(b);
	bool is_new;
	struct group *g = xpt_hashmap__get(ch->groups, &key, &is_new);

	if (!g) {
		ch->refused++;
		if (++ch->since_sweep >= MAX_GROUPS / 4) {
			drop_ended(ch);
			g = xpt_hashmap__get(ch->groups, &key, &is_new);
		}
	}
	if (g && is_new)
		*g = (struct group){ .key = key, .kind = b->kind, .first_ns = b->open_ns };
	return g;
}

static void on_open(void *ctx, struct xpt_block *b)
{
	struct group *g;

	if (!b->bytes || !is_watched(b->kind))
		return;
	g = group_of(ctx, b);
	if (g && g->closed > g->reused)
		g->reused++;
}

static void on_close(void *ctx, const struct xpt_block *b, enum xpt_close why,
		     const struct xpt_call *c, uint64_t ts_ns)
{
	struct churn *ch = ctx;
	struct group_key key = key_of(b);
	struct group *g;
	uint64_t end = c ? c->start_ns + c->dur_ns : ts_ns;

	bool freed = why == XPT_CLOSE_FREE && c;	/* without a call: it had not returned at the end */

	if ((!freed && why != XPT_CLOSE_REUSED) || !b->bytes || !is_watched(b->kind))
		return;
	g = xpt_hashmap__find(ch->groups, &key);
	if (!g)
		return;
	g->closed++;
	g->bytes += b->bytes;
	g->call_ns += b->call_ns + (c ? c->dur_ns : 0);
	if (why != XPT_CLOSE_REUSED)	/* else it has yet to be settled */
		g->live_ns += ts_ns > b->open_ns ? ts_ns - b->open_ns : 0;
	g->last_ns = end > g->last_ns ? end : g->last_ns;
	if (b->outer)
		g->outer = b->outer;
}

/* The free of a block whose address was handed out again has returned after all. */
static void on_settled(void *ctx, const struct xpt_block *b, const struct xpt_call *c,
		       uint64_t ts_ns)
{
	struct churn *ch = ctx;
	struct group_key key = key_of(b);
	struct group *g = b->bytes && is_watched(b->kind) ? xpt_hashmap__find(ch->groups, &key) : NULL;

	if (!g)
		return;
	g->live_ns += ts_ns > b->open_ns ? ts_ns - b->open_ns : 0;
	g->call_ns += c ? c->dur_ns : 0;
}

static const char *advice_for(unsigned kind)
{
	switch (kind) {
	case XPT_KIND_REGISTERED:
	case XPT_KIND_REGION:
		return "Register the buffer once and keep it registered.";
	case XPT_KIND_HOST:
		return "Allocate the pinned buffer once and use it again.";
	case XPT_KIND_DEVICE:
		return "Allocate once outside the loop, or use a memory pool (cuMemAllocAsync).";
	default:
		return "Allocate once outside the loop and use the block again.";
	}
}

/* Returns the name of the function that the program called. */
static const char *name_of(const struct group *g)
{
	return g->outer ? g->outer->name : g->key.fn->name;
}

static struct rec_churn record_of(const struct group *g)
{
	const struct xpt_proc *proc = g->key.proc;

	return (struct rec_churn){
		.function = name_of(g), .kind = xpt_kind_name(g->kind), .comm = proc->comm, .pid = proc->pid,
		.size = g->key.bytes, .cycles = g->closed, .bytes = g->bytes,
		.time_ns = g->call_ns,
		.share = g->wall_ns ? (double)g->call_ns / (double)g->wall_ns : 0,
	};
}

/* The contents of one sentence: groups of one function and kind, of one process or of several
 * alike. */
struct sentence {
	const struct group *g;		/* the first of them */
	uint64_t cycles, min, max, lost_ns, wall_ns, at_ns;
	size_t sizes;			/* at most, of each process */
	size_t procs, nr_named;
	const struct xpt_proc *named[TOP_PROCS];
};

/* Groups of one process, function and kind: their sizes belong into one sentence. */
static struct sentence sum_of(const struct group *g, size_t nr)
{
	struct sentence t = { .g = g, .min = UINT64_MAX, .at_ns = UINT64_MAX, .wall_ns = g->wall_ns, .sizes = nr,
			  .procs = 1, .nr_named = 1, .named = { g->key.proc } };

	for (size_t i = 0; i < nr; i++) {
		t.lost_ns += g[i].call_ns;
		t.cycles += g[i].closed;
		t.min = g[i].key.bytes < t.min ? g[i].key.bytes : t.min;
		t.max = g[i].key.bytes > t.max ? g[i].key.bytes : t.max;
		t.at_ns = g[i].first_ns < t.at_ns ? g[i].first_ns : t.at_ns;
	}
	return t;
}

/* Whether processes of one name, such as forked workers, do the same. */
static bool is_alike(const struct sentence *a, const struct sentence *b)
{
	return a->g->kind == b->g->kind && !strcmp(name_of(a->g), name_of(b->g)) &&
	       !strcmp(a->g->key.proc->comm, b->g->key.proc->comm);
}

static void join_sentence(struct sentence *into, const struct sentence *t)
{
	into->lost_ns += t->lost_ns;
	into->wall_ns += t->wall_ns;
	into->cycles += t->cycles;
	into->min = t->min < into->min ? t->min : into->min;
	into->max = t->max > into->max ? t->max : into->max;
	into->at_ns = t->at_ns < into->at_ns ? t->at_ns : into->at_ns;
	into->sizes = t->sizes > into->sizes ? t->sizes : into->sizes;
	into->procs++;
	if (into->nr_named < TOP_PROCS)
		into->named[into->nr_named++] = t->named[0];
}

/* "train[17]", or "8 processes (train[17], train[18], ...)". */
static void say_who(const struct sentence *t, char *buf, size_t n)
{
	size_t at = t->procs == 1 ? 0 : (size_t)snprintf(buf, n, "%zu processes (", t->procs);

	for (size_t i = 0; i < t->nr_named && at < n; i++)
		at += (size_t)snprintf(buf + at, n - at, "%s%s[%u]", i ? ", " : "", t->named[i]->comm,
				       t->named[i]->pid);
	if (t->procs > 1 && at < n)
		snprintf(buf + at, n - at, "%s)", t->procs > t->nr_named ? ", ..." : "");
}

static void report_one(const struct sentence *s, struct xpt_out *out)
{
	char text[TEXT_LEN], n[16], low[16], size[48], t[16], who[TOP_PROCS * 32 + 32];
	bool reg = s->g->kind == XPT_KIND_REGISTERED || s->g->kind == XPT_KIND_REGION;
	struct xpt_finding f = {
		.kind = "churn", .weight = XPT_WEIGHT_SLOW, .at_ns = s->at_ns, .lost_ns = s->lost_ns,
		.proc = s->g->key.proc, .text = text, .advice = advice_for(s->g->kind),
	};

	xpt_fmt_bytes(s->max, size, sizeof(size));
	if (s->sizes > 1)
		snprintf(size, sizeof(size), "%s to %s, %zu sizes,",
			 xpt_fmt_bytes(s->min, low, sizeof(low)), xpt_fmt_bytes(s->max, t, sizeof(t)),
			 s->sizes);
	else if (s->min != s->max)
		snprintf(size, sizeof(size), "%s to %s", xpt_fmt_bytes(s->min, low, sizeof(low)),
			 xpt_fmt_bytes(s->max, t, sizeof(t)));
	say_who(s, who, sizeof(who));
	snprintf(text, sizeof(text),
		 "%s of %s was %s %s times by %s: %s in these calls, %.1f %% of %s wall "
		 "time%s.", name_of(s->g), size, reg ? "registered and released" : "allocated and freed",
		 xpt_fmt_count(s->cycles, n, sizeof(n)), who, xpt_fmt_ns(s->lost_ns, t, sizeof(t)),
		 100 * (double)s->lost_ns / (double)s->wall_ns, s->procs > 1 ? "their" : "its",
		 s->lost_ns > s->wall_ns ? ", threads added up" : "");
	xpt_out__finding(out, &f);
}

/* Adds it to those of other processes that are alike; at most as many as there are groups. */
static void add_sentence(struct sentence *all, size_t *nr, const struct sentence *t)
{
	if (t->lost_ns < MIN_LOST || (double)t->lost_ns < FINDING_SHARE * (double)t->wall_ns)
		return;
	for (size_t i = 0; i < *nr; i++) {
		if (is_alike(&all[i], t)) {
			join_sentence(&all[i], t);
			return;
		}
	}
	all[(*nr)++] = *t;
}

static int by_process(const struct xpt_proc *a, const struct xpt_proc *b)
{
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a == b ? 0 : a < b ? -1 : 1;	/* lives of one id */
}

/* Orders by process, function, kind, and then by time of the first cycle. */
static int by_function(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	int d = by_process(x->key.proc, y->key.proc);

	d = d ? d : strcmp(name_of(x), name_of(y));

	if (d || x->kind != y->kind)
		return d ? d : (int)x->kind - (int)y->kind;
	return x->first_ns < y->first_ns ? -1 : x->first_ns > y->first_ns;
}

static void report_all(struct group *all, size_t nr, struct xpt_out *out)
{
	struct sentence *sentences = calloc(nr ? nr : 1, sizeof(*sentences)), t;
	size_t from = 0, nr_sentences = 0;

	qsort(all, nr, sizeof(*all), by_function);
	for (size_t i = 1; sentences && i <= nr; i++) {
		if (i < nr && all[i].key.proc == all[from].key.proc &&
		    all[i].kind == all[from].kind && !strcmp(name_of(&all[i]), name_of(&all[from])))
			continue;
		t = sum_of(&all[from], i - from);
		add_sentence(sentences, &nr_sentences, &t);
		from = i;
	}
	for (size_t i = 0; i < nr_sentences; i++)
		report_one(&sentences[i], out);
	free(sentences);
}

static int by_time(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->call_ns != y->call_ns)
		return x->call_ns < y->call_ns ? 1 : -1;
	return x->first_ns < y->first_ns ? -1 : x->first_ns > y->first_ns;
}

/* All churn, most time first, in memory of the caller. */
static size_t all_churn(struct churn *ch, struct group **ret_all)
{
	size_t n = xpt_hashmap__len(ch->groups), pos = 0, nr = 0;
	struct group *all = calloc(n ? n : 1, sizeof(*all));
	const void *key;
	void *val;

	*ret_all = all;
	while (all && nr < n && xpt_hashmap__next(ch->groups, &pos, &key, &val)) {
		struct group *g = val;

		if (!is_churn(ch, g))
			continue;
		g->wall_ns = wall_of(ch, g->key.proc);
		all[nr++] = *g;
	}
	if (all)
		qsort(all, nr, sizeof(*all), by_time);
	return nr;
}

static void on_end(struct churn *ch, struct xpt_out *out)
{
	struct group *all;
	size_t nr;

	nr = all_churn(ch, &all);
	for (size_t i = 0; i < nr && i < TOP; i++) {
		struct rec_churn rec = record_of(&all[i]);

		xpt_out__emit(out, &churn_schema, &rec);
	}
	report_all(all, nr, out);
	free(all);
}

static void churn__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct churn *ch = st;

	ch->begin_ns = xpt_out__stream(out)->begin_ns;
	ch->end_ns = xpt_out__stream(out)->end_ns;
	switch (ev->kind) {
	case XPT_EV_CALL:
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, ch->refused - ch->reported);
		ch->reported = ch->refused;
		break;
	case XPT_EV_FORGET:
		keep_churn(ch);
		break;
	case XPT_EV_END:
		if (!xpt_out__misses_calls(out))
			on_end(ch, out);
		break;
	default:
		break;
	}
}

static const struct xpt_ledger_ops blocks = { .opened = on_open, .closed = on_close, .settled = on_settled };

const struct xpt_analyzer xpt_analyzer_churn = {
	.name = "churn",
	.help = "memory allocated and freed again and again, and what that cost",
	.emits = emits,
	.state_size = sizeof(struct churn),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct churn, groups, struct group_key, struct group, MAX_GROUPS, XPT_TABLE_OF_PROCESSES),
		{ 0 }
	},
	.blocks = &blocks,
	.event = churn__event,
};
