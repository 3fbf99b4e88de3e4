/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory of each process and device by kind, over time, and whether it grows.
 *
 * Growth is a trend of the smallest amount that was open in each span of time,
 * without the first quarter (start-up). It counts if chance is out of question
 * (Mann-Kendall), if three quarters of the time took part (no load phase that
 * ends), and if it was not given back until the end. To be worth a finding it
 * must go on while the program works: while data is loaded nothing is launched.
 *
 * Memory on no device (pinned and registered host memory) has device "-", as
 * have blocks of threads whose context was not seen.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "model/output/analyzer.h"
#include "model/forget.h"
#include "model/memory/ledger.h"
#include "model/picture/level.h"
#include "model/picture/series.h"
#include "model/vocab.h"

#define MAX_USES 16384
#define MAX_SERIES 1024		/* 12 KiB each */
#define TOP_USES 32		/* lines of a process, device and kind */
#define TOP_SERIES 16
#define MAX_KEEPERS 4096
#define MIN_GROWN (1u << 20)	/* below the driver's own granularity nothing grows */
#define MIN_Z 3.3		/* two-sided 1:1000 */
#define MIN_RISES (XPT_TREND_PARTS * 3 / 4)
#define MIN_ROUNDS XPT_TREND_PARTS	/* allocations with launches before them */
#define TEXT_LEN 400

struct rec_use {
	const char *comm, *kind;
	uint64_t pid, device, allocations, bytes, frees, implicit, peak_bytes, peak_at_ns;
	uint64_t not_freed, not_freed_bytes;
};

static const struct xpt_field use_fields[] = {
	XPT_FIELD(struct rec_use, comm, STR, NONE, "process"),
	XPT_FIELD(struct rec_use, pid, U64, NONE, "pid"),
	XPT_FIELD(struct rec_use, device, U64, NONE, "device"),
	XPT_FIELD(struct rec_use, kind, STR, NONE, "kind"),
	XPT_FIELD(struct rec_use, allocations, U64, COUNT, "allocs"),
	XPT_FIELD(struct rec_use, bytes, U64, BYTES, "bytes"),
	XPT_FIELD(struct rec_use, frees, U64, COUNT, "frees"),
	XPT_FIELD(struct rec_use, implicit, U64, COUNT, "implicit"),
	XPT_FIELD(struct rec_use, peak_bytes, U64, BYTES, "peak"),
	XPT_FIELD(struct rec_use, peak_at_ns, U64, AT, "at"),
	XPT_FIELD(struct rec_use, not_freed, U64, COUNT, "left"),
	XPT_FIELD(struct rec_use, not_freed_bytes, U64, BYTES, "left bytes"),
};

static const struct xpt_schema use_schema = {
	.name = "memory_processes", .title = "Memory by process and device",
	.help = "As the table of memory, for each process, device and kind; at is when the peak "
		"was reached first",
	.layout = XPT_LAYOUT_TABLE, .order = 51, XPT_RECORD(struct rec_use, use_fields),
	.detail = true,
};

struct rec_point {
	const char *kind;
	uint64_t pid, device, at_ns, bytes, least_bytes, most_bytes;
};

static const struct xpt_field point_fields[] = {
	XPT_FIELD(struct rec_point, pid, U64, NONE, "pid"),
	XPT_FIELD(struct rec_point, device, U64, NONE, "device"),
	XPT_FIELD(struct rec_point, kind, STR, NONE, "kind"),
	XPT_FIELD(struct rec_point, at_ns, U64, AT, "from"),
	XPT_FIELD(struct rec_point, bytes, U64, BYTES, "bytes"),
	XPT_FIELD(struct rec_point, least_bytes, U64, BYTES, "least"),
	XPT_FIELD(struct rec_point, most_bytes, U64, BYTES, "most"),
};

static const struct xpt_schema point_schema = {
	.name = "memory_over_time", .title = "Memory over time",
	.help = "Bytes open at the end of equal spans of time, and the least and most in each; "
		"at most 512 spans, those that change nothing left out; from is a span's start",
	.layout = XPT_LAYOUT_TABLE, .order = 52, XPT_RECORD(struct rec_point, point_fields),
	.detail = true,
};

struct rec_growth {
	const char *comm, *kind, *function, *at;
	uint64_t pid, device;
	double rate, low, high, z;
	uint64_t grown_bytes, full_in_ns;
};

static const struct xpt_field growth_fields[] = {
	XPT_FIELD(struct rec_growth, comm, STR, NONE, "process"),
	XPT_FIELD(struct rec_growth, pid, U64, NONE, "pid"),
	XPT_FIELD(struct rec_growth, device, U64, NONE, "device"),
	XPT_FIELD(struct rec_growth, kind, STR, NONE, "kind"),
	XPT_FIELD(struct rec_growth, grown_bytes, U64, BYTES, "grown"),
	XPT_FIELD(struct rec_growth, rate, F64, BPS, "rate"),
	XPT_FIELD(struct rec_growth, low, F64, BPS, ""),
	XPT_FIELD(struct rec_growth, high, F64, BPS, ""),
	XPT_FIELD(struct rec_growth, z, F64, NONE, ""),
	XPT_FIELD(struct rec_growth, full_in_ns, U64, NS, "full in"),
	XPT_FIELD(struct rec_growth, function, STR, NONE, "mostly by"),
	XPT_FIELD(struct rec_growth, at, STR, NONE, ""),
};

static const struct xpt_schema growth_schema = {
	.name = "memory_growth", .title = "Memory that grows",
	.help = "Memory that grew through the trace and was not given back: rate with its 95 % "
		"interval, when the device is full at this rate, what allocated most of it",
	.layout = XPT_LAYOUT_TABLE, .detail = true, .order = 53, XPT_RECORD(struct rec_growth, growth_fields),
};

static const struct xpt_schema *const emits[] = {
	&use_schema, &point_schema, &growth_schema, NULL,
};

struct use_key {
	const struct xpt_proc *proc;
	uint32_t device, kind;
};

struct use {
	struct use_key key;
	uint64_t allocs, bytes, frees, implicit, left, left_bytes;
	struct xpt_level open;	/* bytes */
	uint64_t rounds, launches;	/* of the process, at the last allocation */
	struct xpt_series *series;	/* NULL: no room */
	struct xpt_trend trend;
};

/* The newest numbers that a device reports of itself. */
struct room {
	uint64_t avail, avail_live, total;	/* avail_live: bytes that were open at that time */
};

struct room_key {
	const struct xpt_proc *proc;
	uint64_t device;
};

/* Blocks of growing memory by who allocated them. */
struct keeper_key {
	struct use_key use;
	const struct xpt_fn *fn;
	const char *at;
};

struct memory_use {
	struct xpt_hashmap *uses;	/* struct use_key -> struct use */
	struct xpt_hashmap *rooms;	/* struct room_key -> struct room */
	struct xpt_hashmap *keepers;	/* struct keeper_key -> uint64_t bytes */
	struct xpt_hashmap *launches;	/* proc pointer -> uint64_t */
	const struct xpt_proc *launcher;	/* whose number launched is */
	uint64_t *launched;
	uint64_t nr_series, refused, reported;
};

static bool on_device(unsigned kind)
{
	return kind != XPT_KIND_HOST && kind != XPT_KIND_REGISTERED;
}

static struct use_key key_of(const struct xpt_block *b)
{
	return (struct use_key){ b->proc, on_device(b->kind) ? b->device : XPT_NO_DEVICE, b->kind };
}

static void take_sample(struct memory_use *m, struct use *u, uint64_t ts_ns)
{
	if (!u->series && m->nr_series < MAX_SERIES) {
		u->series = calloc(1, sizeof(*u->series));
		m->nr_series += u->series != NULL;
	}
	if (u->series)
		xpt_series__add(u->series, ts_ns, u->open.now);
}

static void on_launch(struct memory_use *m, const struct xpt_proc *proc)
{
	if (m->launcher != proc || !m->launched) {
		m->launched = xpt_hashmap__get(m->launches, &proc, NULL);
		m->launcher = proc;
	}
	if (m->launched)
		++*m->launched;
}

/* An allocation behind launches that no other had behind it: work goes on. */
static void count_round(const struct memory_use *m, struct use *u)
{
	const uint64_t *n = xpt_hashmap__find(m->launches, &u->key.proc);

	if (!n || *n == u->launches)
		return;
	u->launches = *n;
	u->rounds++;
}

static void on_open(void *ctx, struct xpt_block *b)
{
	struct memory_use *m = ctx;
	struct use_key key = key_of(b);
	struct use *u = xpt_hashmap__get(m->uses, &key, NULL);

	if (!u) {
		m->refused++;
		return;
	}
	u->key = key;
	u->allocs++;
	u->bytes += b->bytes;
	xpt_level__add(&u->open, b->open_ns, b->bytes);
	count_round(m, u);
	take_sample(m, u, b->open_ns);
}

static void keep_block(struct memory_use *m, const struct xpt_block *b)
{
	struct keeper_key key = { key_of(b), b->outer ? b->outer : b->fn, xpt_block__place(b) };
	uint64_t *bytes = xpt_hashmap__get(m->keepers, &key, NULL);

	if (bytes)
		*bytes += b->bytes;
}

static void on_close(void *ctx, const struct xpt_block *b, enum xpt_close why,
		     const struct xpt_call *c, uint64_t ts_ns)
{
	struct memory_use *m = ctx;
	struct use_key key = key_of(b);
	struct use *u = xpt_hashmap__find(m->uses, &key);

	(void)c;
	if (!u)
		return;
	if (why == XPT_CLOSE_EXIT || why == XPT_CLOSE_END) {
		u->left++;
		u->left_bytes += b->bytes;
		keep_block(m, b);
		return;	/* the end itself is no change */
	}
	u->frees += why == XPT_CLOSE_FREE || why == XPT_CLOSE_REUSED;
	u->implicit += why == XPT_CLOSE_RESET || why == XPT_CLOSE_EXEC;
	if (why == XPT_CLOSE_REUSED)
		return;		/* it has yet to be settled */
	xpt_level__sub(&u->open, ts_ns, b->bytes);
	take_sample(m, u, ts_ns);
}

static void on_settled(void *ctx, const struct xpt_block *b, const struct xpt_call *c,
		       uint64_t ts_ns)
{
	struct use_key key = key_of(b);
	struct use *u = xpt_hashmap__find(((struct memory_use *)ctx)->uses, &key);

	(void)c;
	if (!u)
		return;
	xpt_level__sub(&u->open, ts_ns, b->bytes);
	take_sample(ctx, u, ts_ns);
}

static void memory_use__close(void *st)
{
	struct memory_use *m = st;
	size_t pos = 0;
	void *val;

	while (m->uses && xpt_hashmap__next(m->uses, &pos, NULL, &val))
		free(((struct use *)val)->series);
}

/* Bytes that a process has open on a device, of all kinds that take room there. */
static uint64_t live_on(const struct memory_use *m, struct room_key room)
{
	uint64_t live = 0;

	for (uint32_t kind = 0; kind < XPT_KIND__MAX; kind++) {
		struct use_key key = { room.proc, (uint32_t)room.device, kind };
		const struct use *u = xpt_hashmap__find(m->uses, &key);

		if (u && xpt_kind_is_memory(kind) && on_device(kind))
			live += u->open.now;
	}
	return live;
}

/* A call that returns how much memory there is, or how much of it is free. */
static void on_query(struct memory_use *m, const struct xpt_call *c, const struct xpt_ledger *ledger)
{
	struct room_key key = { .proc = c->proc };
	uint64_t avail, total = 0;
	bool has_avail = xpt_call__role(c, XPT_ROLE_AVAIL, &avail);
	struct room *r;

	if (c->failed || (!xpt_call__role(c, XPT_ROLE_TOTAL, &total) && !has_avail))
		return;
	if (!xpt_call__role(c, XPT_ROLE_DEVICE, &key.device))
		key.device = xpt_ledger__where(ledger, c).device;
	key.device = (uint32_t)key.device;
	r = xpt_hashmap__get(m->rooms, &key, NULL);
	if (!r)
		return;
	r->total = total ? total : r->total;
	if (has_avail) {
		r->avail = avail;
		r->avail_live = live_on(m, key);
	}
}

static void on_call(struct memory_use *m, const struct xpt_call *c, struct xpt_out *out)
{
	if (c->fn->cls == XPT_CLASS_QUERY)
		on_query(m, c, xpt_out__stream(out)->ledger);
	else if (c->fn->cls == XPT_CLASS_LAUNCH && !c->failed)
		on_launch(m, c->proc);
	xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, m->refused - m->reported);
	m->reported = m->refused;
}

static uint64_t device_of(const struct use *u)
{
	return u->key.device == XPT_NO_DEVICE ? XPT_ABSENT : u->key.device;
}

static void emit_use(const struct use *u, struct xpt_out *out)
{
	struct rec_use rec = {
		.comm = u->key.proc->comm, .kind = xpt_kind_name(u->key.kind),
		.pid = u->key.proc->pid, .device = device_of(u), .allocations = u->allocs,
		.bytes = u->bytes, .frees = u->frees, .implicit = u->implicit,
		.peak_bytes = xpt_level__peak(&u->open).value, .not_freed = u->left, .not_freed_bytes = u->left_bytes,
		.peak_at_ns = xpt_out__since(out, xpt_level__peak(&u->open).ns),
	};

	xpt_out__emit(out, &use_schema, &rec);
}

static void emit_points(const struct use *u, struct xpt_out *out)
{
	const struct xpt_series *s = u->series;

	for (unsigned i = 0; s && i < s->nr; i++) {
		const struct xpt_span *at = &s->span[i];
		struct rec_point rec = {
			.kind = xpt_kind_name(u->key.kind), .pid = u->key.proc->pid,
			.device = device_of(u), .bytes = at->last, .least_bytes = at->min,
			.most_bytes = at->max, .at_ns = xpt_out__since(out, s->start_ns + i * s->span_ns),
		};

		if (!i || at->min != at->max || at->last != at[-1].last || i + 1 == s->nr)
			xpt_out__emit(out, &point_schema, &rec);
	}
}

/* Returns the function that allocated most of the memory that was left. */
static struct keeper_key most_by(const struct memory_use *m, const struct use *u)
{
	struct keeper_key best = { .fn = NULL };
	uint64_t most = 0;
	const void *key;
	size_t pos = 0;
	void *val;

	while (xpt_hashmap__next(m->keepers, &pos, &key, &val)) {
		const struct keeper_key *k = key;

		if (memcmp(&k->use, &u->key, sizeof(u->key)) || *(uint64_t *)val < most)
			continue;
		if (*(uint64_t *)val > most || !best.fn || strcmp(k->fn->name, best.fn->name) < 0)
			best = *k;
		most = *(uint64_t *)val;
	}
	return best;
}

/* Returns when the device is full at this rate; XPT_ABSENT if its size is not known. */
static uint64_t full_in(const struct memory_use *m, const struct use *u)
{
	struct room_key key = { u->key.proc, u->key.device };
	const struct room *r = xpt_hashmap__find(m->rooms, &key);
	uint64_t live = live_on(m, key), room;
	double ns;

	if (!r || !xpt_kind_is_memory(u->key.kind) || (!r->avail && !r->total))
		return XPT_ABSENT;
	room = r->avail ? r->avail + r->avail_live : r->total;
	room = room > live ? room - live : 0;
	ns = (double)room / u->trend.rate * 1e9;
	return ns < 1e18 ? (uint64_t)ns : XPT_ABSENT;
}

static void report_use(const struct use *u, const struct rec_growth *rec, struct xpt_out *out)
{
	char text[TEXT_LEN], grown[16], rate[16], full[48] = "", t[16];
	struct xpt_finding f = {
		.kind = "memory_growth", .weight = XPT_WEIGHT_BROKEN, .proc = u->key.proc,
		.at_ns = u->series->start_ns + u->series->nr / 4 * u->series->span_ns,
		.text = text, .alike = xpt_kind_name(u->key.kind),
		.advice = "Free what each round allocates, or bound the cache that keeps it; "
			  "--stacks shows where it is allocated.",
	};

	if (rec->full_in_ns != XPT_ABSENT)
		snprintf(full, sizeof(full), "; at this rate the device is full in %s",
			 xpt_fmt_ns(rec->full_in_ns, t, sizeof(t)));
	snprintf(text, sizeof(text),
		 "Memory of kind %s of %s[%u] grew by %s and was not given back, %s/s through the "
		 "trace after its first quarter, mostly by %s%s%s%s.", rec->kind, rec->comm, (unsigned)rec->pid,
		 xpt_fmt_bytes(rec->grown_bytes, grown, sizeof(grown)),
		 xpt_fmt_bytes((uint64_t)rec->rate, rate, sizeof(rate)), rec->function,
		 rec->at ? " at " : "", rec->at ? rec->at : "", full);
	xpt_out__finding(out, &f);
}

static void emit_growth(const struct memory_use *m, const struct use *u, struct xpt_out *out)
{
	struct keeper_key by = most_by(m, u);
	struct rec_growth rec = {
		.comm = u->key.proc->comm, .kind = xpt_kind_name(u->key.kind),
		.function = by.fn ? by.fn->name : "-", .at = by.at, .pid = u->key.proc->pid,
		.device = device_of(u), .rate = u->trend.rate, .low = u->trend.low,
		.high = u->trend.high, .z = u->trend.z, .grown_bytes = u->trend.grown,
		.full_in_ns = full_in(m, u),
	};

	xpt_out__emit(out, &growth_schema, &rec);
	/* Mapped and reserved ranges grow with the memory behind them. */
	if (u->rounds >= MIN_ROUNDS && u->key.kind != XPT_KIND_MAPPING &&
	    u->key.kind != XPT_KIND_RESERVED)
		report_use(u, &rec, out);
}

static bool judge_growth(struct use *u, uint64_t end_ns)
{
	const struct xpt_proc *proc = u->key.proc;
	uint64_t end = proc->exit_ns && proc->exit_ns < end_ns ? proc->exit_ns : end_ns;

	if (!u->series)
		return false;
	xpt_series__extend(u->series, end);
	return u->open.now >= MIN_GROWN && xpt_series__trend(u->series, &u->trend) &&
	       u->trend.z >= MIN_Z && u->trend.low > 0 && u->trend.rises >= MIN_RISES &&
	       u->trend.grown >= MIN_GROWN;
}

static int by_peak(const void *a, const void *b)
{
	const struct use *x = *(struct use *const *)a, *y = *(struct use *const *)b;

	uint64_t p = xpt_level__peak(&x->open).value, q = xpt_level__peak(&y->open).value;

	if (p != q)
		return p < q ? 1 : -1;
	if (x->key.proc->pid != y->key.proc->pid)
		return x->key.proc->pid < y->key.proc->pid ? -1 : 1;
	if (x->key.kind != y->key.kind)
		return x->key.kind < y->key.kind ? -1 : 1;
	return x->key.device < y->key.device ? -1 : x->key.device > y->key.device;
}

static void on_end(struct memory_use *m, struct xpt_out *out)
{
	uint64_t end_ns = xpt_out__stream(out)->end_ns;
	void **all;
	size_t nr;

	if (xpt_out__misses_calls(out))
		return;
	all = xpt_hashmap__sorted(m->uses, by_peak, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (judge_growth(all[i], end_ns))
			emit_growth(m, all[i], out);
		if (i < TOP_USES)
			emit_use(all[i], out);
		if (i < TOP_SERIES)
			emit_points(all[i], out);
	}
	free(all);
}

static void free_series(void *ctx, void *val)
{
	struct use *u = val;

	((struct memory_use *)ctx)->nr_series -= u->series != NULL;
	free(u->series);
}

/* Removes evicted processes; those that grew and those with the highest peaks are kept. */
static void forget_gone(struct memory_use *m, uint64_t now_ns)
{
	size_t pos = 0;
	void *val;

	xpt_forget__keep_first(m->uses, by_peak, TOP_USES);
	while (xpt_hashmap__next(m->uses, &pos, NULL, &val)) {
		const struct xpt_proc *proc = ((const struct use *)val)->key.proc;

		if (proc->forgotten && judge_growth(val, now_ns))
			xpt_proc__keep(proc);
	}
	xpt_forget__map(m->uses, free_series, m);
	m->launcher = NULL;
	m->launched = NULL;
}

static void memory_use__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct memory_use *m = st;

	switch (ev->kind) {
	case XPT_EV_CALL:
		on_call(m, &ev->u.call, out);
		break;
	case XPT_EV_FORGET:
		forget_gone(m, ev->ts_ns);
		break;
	case XPT_EV_END:
		on_end(m, out);
		break;
	default:
		break;
	}
}

static const struct xpt_ledger_ops blocks = { .opened = on_open, .closed = on_close, .settled = on_settled };

const struct xpt_analyzer xpt_analyzer_memory_use = {
	.name = "memory_use",
	.help = "memory of each process and device over time, and whether it grows",
	.emits = emits,
	.state_size = sizeof(struct memory_use),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct memory_use, uses, struct use_key, struct use, MAX_USES, 0),
		XPT_MAP(struct memory_use, rooms, struct room_key, struct room, MAX_USES, XPT_TABLE_OF_PROCESSES),
		XPT_MAP(struct memory_use, keepers, struct keeper_key, uint64_t, MAX_KEEPERS, XPT_TABLE_OF_PROCESSES),
		XPT_MAP(struct memory_use, launches, void *, uint64_t, MAX_USES, XPT_TABLE_OF_PROCESSES),
		{ 0 }
	},
	.blocks = &blocks,
	.event = memory_use__event,
	.close = memory_use__close,
};
