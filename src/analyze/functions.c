/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions: calls, failures and time of each traced function, most time
 * first; those beyond the first TOP are summed into one row.
 *
 * The sums are the exact counters of the BPF programs, which come at the end
 * of a trace; if a recording ends before them, its events are summed up.
 * Percentiles come from a histogram with one bucket per power of two, so they
 * are upper bounds: the true value is within a factor of two.
 *
 * A library may wrap another one that has the same functions, and forward its calls: loaders do this, and libraries
 * that share a device among containers. A forwarded call has a nested call of the same function. Calls of the wrapper
 * have rows of their own, so that no row adds up both. Events show for which functions this is so; the counters have
 * the number of such calls.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "base/numbers/dist.h"
#include "base/numbers/mean.h"
#include "model/call.h"
#include "model/output/analyzer.h"

#define TOP 1000	/* more than programs use; the summary shows fewer */
#define BRIEF 5		/* that it shows */
#define NAMED 3		/* functions that a note names */
#define LAYER_LIBS 4		/* libraries that the note on layers names */
#define MAX_THREADS 16384
#define NAME_LEN 300		/* of a function and " (layer)" */

struct rec_function {
	const char *function;
	uint64_t calls, failed, time_ns, mean_ns, p50_ns, p99_ns, max_ns;
	uint64_t bounds;	/* 1: p50 and p99 are upper bounds */
	uint64_t below_cost;	/* 1: mean or p50 is less than tracing adds to a call */
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_function, function, STR, NONE, "function"),
	XPT_FIELD(struct rec_function, calls, U64, COUNT, "calls"),
	XPT_FIELD(struct rec_function, failed, U64, COUNT, "fail"),
	XPT_FIELD(struct rec_function, time_ns, U64, NS, "total"),
	XPT_FIELD(struct rec_function, mean_ns, U64, NS, ""),
	XPT_FIELD(struct rec_function, p50_ns, U64, NS, "p50"),
	XPT_FIELD(struct rec_function, p99_ns, U64, NS, "p99"),
	XPT_FIELD(struct rec_function, max_ns, U64, NS, "max"),
	XPT_FIELD(struct rec_function, bounds, U64, NONE, ""),
	XPT_FIELD(struct rec_function, below_cost, U64, MARK, " "),
};

/* The fields where some calls have no events: of some quantiles only bounds are known. */
static const struct xpt_field bound_fields[] = {
	XPT_FIELD(struct rec_function, function, STR, NONE, "function"),
	XPT_FIELD(struct rec_function, calls, U64, COUNT, "calls"),
	XPT_FIELD(struct rec_function, failed, U64, COUNT, "fail"),
	XPT_FIELD(struct rec_function, time_ns, U64, NS, "total"),
	XPT_FIELD(struct rec_function, mean_ns, U64, NS, ""),
	XPT_FIELD(struct rec_function, p50_ns, U64, NS, "p50 <="),
	XPT_FIELD(struct rec_function, p99_ns, U64, NS, "p99 <="),
	XPT_FIELD(struct rec_function, max_ns, U64, NS, "max"),
	XPT_FIELD(struct rec_function, bounds, U64, NONE, ""),
	XPT_FIELD(struct rec_function, below_cost, U64, MARK, " "),
};

static const struct xpt_schema schema = {
	.name = "functions", .title = "Functions by time",
	.help = "Calls, failures and time per function; p50 and p99 are at most 1.6 % off; where "
		"bounds is 1 (not all calls were sent as events) they are upper bounds, at most "
		"twice the true value; below_cost is 1 (in text *) where the mean or p50 is less "
		"than tracing adds to a call (null: that is not known), so that most of it is not their "
		"own; NAME (layer): calls of a library that passed them on to another one",
	.layout = XPT_LAYOUT_TABLE, .brief = BRIEF, .order = 28, XPT_RECORD(struct rec_function, fields),
};

static const struct xpt_schema bound_schema = {
	.name = "functions", .title = "Functions by time",
	.help = "As with all events; p50 and p99 are upper bounds for some functions",
	.layout = XPT_LAYOUT_TABLE, .brief = BRIEF, .order = 28, XPT_RECORD(struct rec_function, bound_fields),
};

struct rec_note {
	const char *text;
};

static const struct xpt_field note_fields[] = {
	XPT_FIELD(struct rec_note, text, STR, NONE, "text"),
};

#define NOTE_SCHEMA                                                            \
	.name = "function_notes", .title = "About these times",                \
	.help = "Which functions take less time than tracing adds to a call",  \
	.layout = XPT_LAYOUT_TEXT, .order = 29, XPT_RECORD(struct rec_note, note_fields)

static const struct xpt_schema note_schema = { NOTE_SCHEMA };
/* The note about functions that the summary does not show. */
static const struct xpt_schema quiet_note_schema = { NOTE_SCHEMA, .detail = true };

static const struct xpt_schema *const emits[] = { &schema, &bound_schema, &note_schema,
						&quiet_note_schema, NULL };

struct stat {
	const struct xpt_fn *fn;
	bool layer;		/* the row of forwarded calls */
	struct xpt_wire_count n;
	uint64_t benign;	/* answers that the kernel counted among n.errors */
	struct xpt_dist *dist;	/* of events; NULL: none, or no memory */
};

/* The last call inside another one. */
struct inner {
	const struct xpt_fn *fn;
	uint64_t start_ns;
	uint8_t depth;
};

struct functions {
	struct stat **ev, **ctr;	/* XPT_MAX_FNS each, by id */
	struct stat **ev_layer, **ctr_layer;	/* calls that passed on the same function */
	/* Calls that have a nested call of their class. Older recordings have only these counts. */
	struct stat **ctr_outer;
	struct xpt_hashmap *inner;	/* uint32_t, tid -> struct inner */
	const struct xpt_lib *libs[XPT_MAX_FNS / 64];	/* the first libraries with probes */
	size_t nr_libs;
	uint64_t ev_calls, ctr_calls;
	uint64_t lost;			/* calls without memory for their function */
	uint64_t cost_ns;		/* time that tracing adds to a call on average, 0: not known */
	uint64_t *own_cost_ns;		/* XPT_MAX_FNS, by id: to one of that function; 0: not known */
};

static void free_stats(struct stat **table, bool with_dists)
{
	for (size_t i = 0; table && i < XPT_MAX_FNS; i++) {
		if (table[i] && with_dists)
			free(table[i]->dist);
		free(table[i]);
	}
}

static void functions__close(void *st)
{
	struct functions *f = st;

	free_stats(f->ev, true);
	free_stats(f->ev_layer, true);
	free_stats(f->ctr, false);	/* these share the distributions of f->ev */
	free_stats(f->ctr_outer, false);
	free_stats(f->ctr_layer, false);
}

static struct stat *stat_of(struct stat **table, const struct xpt_fn *fn)
{
	struct stat **s = &table[fn->id % XPT_MAX_FNS];

	if (!*s)
		*s = calloc(1, sizeof(**s));
	if (*s)
		(*s)->fn = fn;
	return *s;
}

/* Returns the first histogram slot whose upper bound, 2^slot, is not below ns. */
static unsigned slot_of(uint64_t ns)
{
	unsigned slot = ns > 1 ? 64 - (unsigned)__builtin_clzll(ns - 1) : 0;

	return slot < XPT_HIST_SLOTS ? slot : XPT_HIST_SLOTS - 1;
}

/* Whether the last call inside this one is of the same function. Events of nested calls come first. */
static bool passed_itself_on(const struct functions *f, const struct xpt_call *c)
{
	const struct inner *i = c->flags & XPT_CALL_OUTER ? xpt_hashmap__find(f->inner, &c->tid) : NULL;

	return i && i->fn == c->fn && i->depth == c->depth + 1 && i->start_ns >= c->start_ns;
}

static void note_inner(struct functions *f, const struct xpt_call *c)
{
	struct inner *i = c->depth ? xpt_hashmap__get(f->inner, &c->tid, NULL) : NULL;

	if (i)
		*i = (struct inner){ c->fn, c->start_ns, c->depth };
	else if (c->depth)	/* full, mostly of threads that ended long ago */
		xpt_hashmap__clear(f->inner);
}

static void on_call(struct functions *f, const struct xpt_call *c)
{
	struct stat *s = stat_of(passed_itself_on(f, c) ? f->ev_layer : f->ev, c->fn);

	if (!s) {
		f->lost++;
		return;
	}
	note_inner(f, c);
	f->ev_calls++;
	s->n.calls++;
	s->n.errors += c->failed;
	s->n.time_ns += c->dur_ns;
	s->n.hist[slot_of(c->dur_ns)]++;
	if (!s->dist)
		s->dist = calloc(1, sizeof(*s->dist));
	if (s->dist)
		xpt_dist__add(s->dist, c->dur_ns);
	if (c->dur_ns > s->n.max_ns)
		s->n.max_ns = c->dur_ns;
}

static void add_count(struct xpt_wire_count *sum, const struct xpt_wire_count *n)
{
	sum->calls += n->calls;
	sum->errors += n->errors;
	sum->time_ns += n->time_ns;
	for (unsigned i = 0; i < XPT_HIST_SLOTS; i++)
		sum->hist[i] += n->hist[i];
	if (n->max_ns > sum->max_ns)
		sum->max_ns = n->max_ns;
}

static void on_counter(struct functions *f, const struct xpt_event *ev)
{
	struct stat **table = ev->u.counter.passed_on ? f->ctr_layer : ev->u.counter.outer ? f->ctr_outer : f->ctr;
	struct stat *s = stat_of(table, ev->u.counter.fn);

	if (!s) {
		f->lost += ev->u.counter.count->calls;
		return;
	}
	add_count(&s->n, ev->u.counter.count);
	f->ctr_calls += ev->u.counter.count->calls;
}

static void on_errcount(struct functions *f, const struct xpt_event *ev)
{
	struct stat *s = stat_of(f->ctr, ev->u.errcount.fn);

	if (s && !ev->u.errcount.failed)
		s->benign += ev->u.errcount.calls;
}

static void on_fncost(struct functions *f, const struct xpt_event *ev)
{
	f->own_cost_ns[ev->u.fncost.fn->id % XPT_MAX_FNS] = xpt_fncost__call_ns(ev->u.fncost.rec);
}

/* Returns an upper bound of a quantile. permille: 500 is the median. */
static uint64_t upper_bound(const struct xpt_wire_count *n, unsigned permille)
{
	uint64_t total = 0, below = 0, want;

	for (unsigned i = 0; i < XPT_HIST_SLOTS; i++)
		total += n->hist[i];
	want = total / 1000 * permille + (total % 1000 * permille + 999) / 1000;
	for (unsigned i = 0; i < XPT_HIST_SLOTS; i++) {
		below += n->hist[i];
		if (below >= want && below)
			return i + 1 < XPT_HIST_SLOTS && 1ull << i < n->max_ns ? 1ull << i
									       : n->max_ns;
	}
	return n->max_ns;
}

/* d: the distribution of the same calls; NULL: not all of them have events. */
static uint64_t percentile_of(const struct xpt_wire_count *n, const struct xpt_dist *d,
			      unsigned permille)
{
	return d ? xpt_dist__quantile(d, permille / 1000.0) : upper_bound(n, permille);
}

/* Returns the time that tracing adds to a call of the function: that of this function if the recording has it. */
static uint64_t cost_of(const struct functions *f, const struct xpt_fn *fn)
{
	uint64_t own = f->own_cost_ns[fn->id % XPT_MAX_FNS];

	return own ? own : f->cost_ns;
}

/* A point takes no time. */
static bool is_below_cost(const struct functions *f, const struct stat *s)
{
	uint64_t cost = cost_of(f, s->fn);

	return !xpt_fn__is_point(s->fn) &&
	       (xpt_mean(s->n.time_ns, s->n.calls) < cost || percentile_of(&s->n, s->dist, 500) < cost);
}

/* Returns the name; for forwarded calls "cuInit (layer)", in buf. */
static const char *name_of(const struct stat *s, char *buf, size_t n)
{
	if (!s->layer)
		return s->fn->name;
	snprintf(buf, n, "%s (layer)", s->fn->name);
	return buf;
}

static void emit_row(const struct xpt_wire_count *n, const struct xpt_dist *d, const char *name,
		     uint64_t below_cost, const struct xpt_schema *as, struct xpt_out *out)
{
	struct rec_function rec = {
		.function = name, .calls = n->calls, .failed = n->errors, .time_ns = n->time_ns,
		.mean_ns = xpt_mean(n->time_ns, n->calls), .p50_ns = percentile_of(n, d, 500),
		.p99_ns = percentile_of(n, d, 990), .max_ns = n->max_ns, .bounds = !d,
		.below_cost = below_cost,
	};

	xpt_out__emit(out, as, &rec);
}

/* "1.50 us", or "1.50 us to 10.3 us" where functions differ. */
static const char *fmt_costs(uint64_t low, uint64_t high, char *buf, size_t n)
{
	char one[16], two[16];

	xpt_fmt_ns(low, one, sizeof(one));
	xpt_fmt_ns(high, two, sizeof(two));
	snprintf(buf, n, strcmp(one, two) ? "%s to %s" : "%s", one, two);
	return buf;
}

/* Emits a note on short calls: most of their measured time is that of entering and leaving the probe. */
static void emit_note(const struct functions *f, struct stat *const *table, size_t nr,
		      struct xpt_out *out)
{
	char names[256] = "", text[512], cost[40], more[48] = "";
	uint64_t low = UINT64_MAX, high = 0, ns;
	struct rec_note rec = { text };
	size_t n = 0, len = 0, all = 0, shown = nr <= BRIEF + 1 ? nr : BRIEF;
	const struct xpt_schema *as = &quiet_note_schema;

	for (size_t i = 0; i < nr; i++) {
		if (!is_below_cost(f, table[i]))
			continue;
		as = i < shown ? &note_schema : as;
		ns = cost_of(f, table[i]->fn);
		low = ns < low ? ns : low;
		high = ns > high ? ns : high;
		if (all++ >= NAMED || len >= sizeof(names))
			continue;
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%.60s", n++ ? ", " : "",
					table[i]->fn->name);
	}
	if (all > n)
		snprintf(more, sizeof(more), " and %zu other%s", all - n, all - n > 1 ? "s" : "");
	snprintf(text, sizeof(text), "Calls of %s%s took less, on average or half of them, than the %s that "
		 "tracing adds to a call (*): a good part of their time is not their own.", names, more,
		 fmt_costs(low, high, cost, sizeof(cost)));
	if (all)
		xpt_out__emit(out, as, &rec);
}

static int by_time(const void *a, const void *b)
{
	const struct stat *x = *(struct stat *const *)a, *y = *(struct stat *const *)b;

	if (x->n.time_ns != y->n.time_ns)
		return x->n.time_ns < y->n.time_ns ? 1 : -1;
	if (x->fn != y->fn)
		return strcmp(x->fn->name, y->fn->name);
	return (int)y->layer - (int)x->layer;
}

/* Returns the functions that were called, in memory that the caller frees, or NULL. */
static struct stat **collect_stats(struct stat *const *table, struct stat *const *layers, size_t *ret_nr)
{
	struct stat **all = calloc(2 * XPT_MAX_FNS, sizeof(struct stat *));
	size_t nr = 0;

	for (size_t i = 0; all && i < XPT_MAX_FNS; i++) {
		struct stat *pair[2] = { table[i], layers[i] };
		/* A benign answer of a forwarded call was counted twice. */
		uint64_t benign = (pair[0] ? pair[0]->benign : 0) / (pair[0] && pair[1] ? 2 : 1);

		for (int k = 0; k < 2; k++) {
			if (!pair[k] || !pair[k]->n.calls)
				continue;
			pair[k]->n.errors -= benign < pair[k]->n.errors ? benign : pair[k]->n.errors;
			pair[k]->layer = k;
			all[nr++] = pair[k];
		}
	}
	*ret_nr = nr;
	return all;
}

static void add_dist(struct xpt_dist *sum, const struct xpt_dist *d)
{
	for (unsigned i = 0; i < XPT_DIST_SLOTS; i++)
		sum->slot[i] += d->slot[i];
	sum->count += d->count;
	sum->max = d->max > sum->max ? d->max : sum->max;
}

/*
 * Calls with a nested call of another function are not forwarded: they belong to their function. If the counters do
 * not distinguish these, they are taken as such unless an event shows a forwarded call.
 */
static void merge_outer(struct functions *f)
{
	for (size_t i = 0; i < XPT_MAX_FNS; i++) {
		struct stat *outer = f->ctr_outer[i], *s;

		if (!outer)
			continue;
		s = f->ctr_layer[i] || !f->ev_layer[i] ? stat_of(f->ctr, outer->fn) : stat_of(f->ctr_layer, outer->fn);
		if (s)
			add_count(&s->n, &outer->n);
		free(outer);
		f->ctr_outer[i] = NULL;
	}
}

/* Gives functions whose calls all have events the distribution of these. */
static void share_dists(struct stat *const *ctr, struct stat *const *ev)
{
	for (size_t i = 0; i < XPT_MAX_FNS; i++)
		if (ctr[i] && ev[i] && ctr[i]->n.calls == ev[i]->n.calls)
			ctr[i]->dist = ev[i]->dist;
}

static const char *file_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns the libraries that have the function: all files of that name. */
static void emit_layer_note(const struct functions *f, struct stat *const *all, size_t nr, struct xpt_out *out)
{
	char paths[512] = "", text[900];
	struct rec_note rec = { text };
	const char *file = NULL;
	size_t len = 0, named = 0;

	for (size_t i = 0; i < nr && !file; i++)
		if (all[i]->layer)
			file = all[i]->fn->lib ? file_of(all[i]->fn->lib->path) : "";
	if (!file)
		return;
	for (size_t i = 0; i < f->nr_libs && named < LAYER_LIBS && len < sizeof(paths); i++) {
		if (strcmp(file_of(f->libs[i]->path), file) != 0)
			continue;
		len += (size_t)snprintf(paths + len, sizeof(paths) - len, "%s%.120s", named++ ? ", " : ": ",
					f->libs[i]->path);
	}
	snprintf(text, sizeof(text), "A library stands before another one of the same functions and passes their "
		 "calls on; rows with (layer) have its calls, with those of the other one inside them%s.", paths);
	xpt_out__emit(out, &note_schema, &rec);
}

/* Emits the functions after the first shown ones as one row. */
static void emit_rest(struct stat *const *table, size_t nr, size_t shown,
		      const struct xpt_schema *as, struct xpt_out *out)
{
	struct xpt_dist *d = calloc(1, sizeof(*d));
	struct xpt_wire_count other = { 0 };
	bool whole = d != NULL;
	char name[48];

	for (size_t i = shown; i < nr; i++) {
		add_count(&other, &table[i]->n);
		whole = whole && table[i]->dist;
		if (whole)
			add_dist(d, table[i]->dist);
	}
	snprintf(name, sizeof(name), "other (%zu functions)", nr - shown);
	if (other.calls)
		emit_row(&other, whole ? d : NULL, name, XPT_ABSENT, as, out);
	free(d);
}

static void on_end(struct functions *f, struct xpt_out *out)
{
	bool exact = f->ctr_calls >= f->ev_calls;
	const struct xpt_schema *as = &schema;
	struct stat **table;
	char name[NAME_LEN];
	size_t nr, shown;

	merge_outer(f);
	share_dists(f->ctr, f->ev);
	share_dists(f->ctr_layer, f->ev_layer);
	table = collect_stats(exact ? f->ctr : f->ev, exact ? f->ctr_layer : f->ev_layer, &nr);
	if (!table)
		return;
	shown = nr <= TOP + 1 ? nr : TOP;
	qsort(table, nr, sizeof(*table), by_time);
	for (size_t i = 0; i < nr; i++)
		if (!table[i]->dist)
			as = &bound_schema;
	for (size_t i = 0; i < shown; i++)
		emit_row(&table[i]->n, table[i]->dist, name_of(table[i], name, sizeof(name)),
			 f->cost_ns ? is_below_cost(f, table[i]) : XPT_ABSENT, as, out);
	emit_rest(table, nr, shown, as, out);
	emit_note(f, table, nr, out);
	emit_layer_note(f, table, nr, out);
	free(table);
}

static void on_lib(struct functions *f, const struct xpt_lib *lib)
{
	if (f->nr_libs < sizeof(f->libs) / sizeof(f->libs[0]))
		f->libs[f->nr_libs++] = lib;
}

static void functions__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct functions *f = st;

	switch (ev->kind) {
	case XPT_EV_CALL:
		on_call(f, &ev->u.call);
		break;
	case XPT_EV_COUNTER:
		on_counter(f, ev);
		break;
	case XPT_EV_ERRCOUNT:
		on_errcount(f, ev);
		break;
	case XPT_EV_FNCOST:
		on_fncost(f, ev);
		break;
	case XPT_EV_LIB:
		on_lib(f, ev->u.lib);
		break;
	case XPT_EV_COST:
		f->cost_ns = ev->u.cost->hit_ns;
		break;
	case XPT_EV_END:
		on_end(f, out);
		break;
	default:
		break;
	}
	if (f->lost)
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, f->lost);
	f->lost = 0;
}

const struct xpt_analyzer xpt_analyzer_functions = {
	.name = "functions",
	.help = "calls, failures and time of each function",
	.emits = emits,
	.state_size = sizeof(struct functions),
	.tables = (const struct xpt_table[]){
		XPT_ARRAY(struct functions, ev, XPT_MAX_FNS),
		XPT_ARRAY(struct functions, ctr, XPT_MAX_FNS),
		XPT_ARRAY(struct functions, ev_layer, XPT_MAX_FNS),
		XPT_ARRAY(struct functions, ctr_layer, XPT_MAX_FNS),
		XPT_ARRAY(struct functions, ctr_outer, XPT_MAX_FNS),
		XPT_ARRAY(struct functions, own_cost_ns, XPT_MAX_FNS),
		XPT_MAP(struct functions, inner, uint32_t, struct inner, MAX_THREADS, 0),
		{ 0 }
	},
	.event = functions__event,
	.close = functions__close,
};
