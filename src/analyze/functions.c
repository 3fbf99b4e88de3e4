/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions: calls, failures and time of each traced function, most time
 * first; those beyond the first TOP are summed into one row.
 *
 * From the kernel's exact counters, or from events where a recording ends
 * before them. Percentiles come from a histogram with one slot per power of
 * two, so they are upper bounds: the true value lies within a factor of two.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/analyzer.h"

#define TOP 15

struct rec_function {
	const char *function;
	uint64_t calls, failed, time_ns, mean_ns, p50_ns, p99_ns, max_ns;
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
};

static const struct xpt_schema schema = {
	.name = "functions", .title = "Functions by time",
	.help = "Calls, failures and time per function; p50 and p99 are upper bounds from a "
		"histogram of powers of two, at most twice the true value",
	.layout = XPT_LAYOUT_TABLE, .brief = 5, .order = 30, .size = sizeof(struct rec_function),
	.fields = fields, .nr_fields = sizeof(fields) / sizeof(fields[0]),
};

static const struct xpt_schema *const emits[] = { &schema, NULL };

struct stat {
	const struct xpt_fn *fn;
	struct xpt_wire_count n;
	uint64_t benign;	/* answers that the kernel counted among n.errors */
};

struct functions {
	struct stat **ev, **ctr;	/* XPT_MAX_FNS each, by id */
	uint64_t ev_calls, ctr_calls;
	uint64_t lost;			/* calls without memory for their function */
};

static int functions__open(void *st)
{
	struct functions *f = st;

	f->ev = calloc(XPT_MAX_FNS, sizeof(*f->ev));
	f->ctr = calloc(XPT_MAX_FNS, sizeof(*f->ctr));
	return f->ev && f->ctr ? 0 : -ENOMEM;
}

static void functions__close(void *st)
{
	struct functions *f = st;

	for (size_t i = 0; f->ev && f->ctr && i < XPT_MAX_FNS; i++) {
		free(f->ev[i]);
		free(f->ctr[i]);
	}
	free(f->ev);
	free(f->ctr);
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

/* The slot whose upper bound, 2^slot, is the first not below ns. */
static unsigned slot_of(uint64_t ns)
{
	unsigned slot = ns > 1 ? 64 - (unsigned)__builtin_clzll(ns - 1) : 0;

	return slot < XPT_HIST_SLOTS ? slot : XPT_HIST_SLOTS - 1;
}

static void on_call(struct functions *f, const struct xpt_call *c)
{
	struct stat *s = stat_of(f->ev, c->fn);

	if (!s) {
		f->lost++;
		return;
	}
	f->ev_calls++;
	s->n.calls++;
	s->n.errors += c->failed;
	s->n.time_ns += c->dur_ns;
	s->n.hist[slot_of(c->dur_ns)]++;
	if (c->dur_ns > s->n.max_ns)
		s->n.max_ns = c->dur_ns;
}

static void add(struct xpt_wire_count *sum, const struct xpt_wire_count *n)
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
	struct stat *s = stat_of(f->ctr, ev->u.counter.fn);

	if (!s) {
		f->lost += ev->u.counter.count->calls;
		return;
	}
	add(&s->n, ev->u.counter.count);
	f->ctr_calls += ev->u.counter.count->calls;
}

static void on_errcount(struct functions *f, const struct xpt_event *ev)
{
	struct stat *s = stat_of(f->ctr, ev->u.errcount.fn);

	if (s && !ev->u.errcount.failed)
		s->benign += ev->u.errcount.calls;
}

/* permille: 500 is the median. */
static uint64_t percentile(const struct xpt_wire_count *n, unsigned permille)
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

static void emit(const struct xpt_wire_count *n, const char *name, struct xpt_out *out)
{
	struct rec_function rec = {
		.function = name, .calls = n->calls, .failed = n->errors, .time_ns = n->time_ns,
		.mean_ns = n->calls ? n->time_ns / n->calls : 0, .p50_ns = percentile(n, 500),
		.p99_ns = percentile(n, 990), .max_ns = n->max_ns,
	};

	xpt_out__emit(out, &schema, &rec);
}

static int by_time(const void *a, const void *b)
{
	const struct stat *x = *(struct stat *const *)a, *y = *(struct stat *const *)b;

	if (x->n.time_ns != y->n.time_ns)
		return x->n.time_ns < y->n.time_ns ? 1 : -1;
	return strcmp(x->fn->name, y->fn->name);
}

/* Moves the functions that were called to the front; returns how many. */
static size_t gather(struct stat **table)
{
	size_t nr = 0;

	for (size_t i = 0; i < XPT_MAX_FNS; i++) {
		struct stat *s = table[i];

		if (!s || !s->n.calls)
			continue;
		table[i] = table[nr];
		table[nr++] = s;
		s->n.errors -= s->benign < s->n.errors ? s->benign : s->n.errors;
	}
	return nr;
}

static void on_end(struct functions *f, struct xpt_out *out)
{
	struct stat **table = f->ctr_calls >= f->ev_calls ? f->ctr : f->ev;
	size_t nr = gather(table), shown = nr <= TOP + 1 ? nr : TOP;
	struct xpt_wire_count other = { 0 };
	char name[48];

	qsort(table, nr, sizeof(*table), by_time);
	for (size_t i = 0; i < shown; i++)
		emit(&table[i]->n, table[i]->fn->name, out);
	for (size_t i = shown; i < nr; i++)
		add(&other, &table[i]->n);
	snprintf(name, sizeof(name), "other (%zu functions)", nr - shown);
	if (other.calls)
		emit(&other, name, out);
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
	.open = functions__open,
	.event = functions__event,
	.close = functions__close,
};
