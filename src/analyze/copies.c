/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copies by direction, by blocking or asynchronous call, and by host memory:
 * sizes, the bandwidth of blocking copies, copies of pageable memory, and many
 * small copies in a row.
 *
 * Host memory is pinned if an allocation or a registration in this trace pinned
 * it. That is not decided for processes that used the device before the trace
 * began. A call that names a stream does not block, unless its host memory is
 * pageable: then the driver copies it within the call.
 */
#include <stdio.h>
#include <stdlib.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "base/numbers/dist.h"
#include "base/numbers/mean.h"
#include "model/forget.h"
#include "model/memory/pinned.h"
#include "model/output/analyzer.h"
#include "model/vocab.h"

#define MAX_PROCS 1024
#define MAX_THREADS 8192
#define SIZES 48		/* slots of log2 sizes; the last takes the rest */
#define SMALL 16384u		/* bytes; moving them takes less time than the call */
#define MIN_RUN 8		/* small copies in a row that one copy could replace */
#define MIN_SMALL 1000
#define LARGE 65536u		/* bytes; from here on bandwidth matters */
#define MIN_LARGE 20
#define MIN_SHARE 0.05		/* of the wall time */
#define ENQUEUE_NS 5000		/* assumed duration of a copy call that does not block */
#define REF_BYTES (16u << 20)	/* pinned bytes from which on their bandwidth is used as the reference */
#define TEXT_LEN 400

struct rec_copy {
	const char *direction, *how, *host;
	uint64_t calls, bytes, time_ns, median_bytes;
	double bandwidth;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_copy, direction, STR, NONE, "direction"),
	XPT_FIELD(struct rec_copy, how, STR, NONE, "call"),
	XPT_FIELD(struct rec_copy, host, STR, NONE, "host"),
	XPT_FIELD(struct rec_copy, calls, U64, COUNT, "calls"),
	XPT_FIELD(struct rec_copy, bytes, U64, BYTES, "bytes"),
	XPT_FIELD(struct rec_copy, median_bytes, U64, BYTES, "median"),
	XPT_FIELD(struct rec_copy, time_ns, U64, NS, "time"),
	XPT_FIELD(struct rec_copy, bandwidth, F64, BPS, "bandwidth"),
};

static const struct xpt_schema schema = {
	.name = "copies", .title = "Copies",
	.help = "Copies by direction, whether the call blocks or names a stream, and what host "
		"memory it is about; bandwidth of calls that block: bytes by time in them",
	.layout = XPT_LAYOUT_TABLE, .brief = 4, .order = 37, XPT_RECORD(struct rec_copy, fields),
};

struct rec_size {
	const char *direction;
	uint64_t up_to_bytes, calls, bytes, time_ns;
};

static const struct xpt_field size_fields[] = {
	XPT_FIELD(struct rec_size, direction, STR, NONE, "direction"),
	XPT_FIELD(struct rec_size, up_to_bytes, U64, BYTES, "up to"),
	XPT_FIELD(struct rec_size, calls, U64, COUNT, "calls"),
	XPT_FIELD(struct rec_size, bytes, U64, BYTES, "bytes"),
	XPT_FIELD(struct rec_size, time_ns, U64, NS, "time"),
};

static const struct xpt_schema size_schema = {
	.name = "copy_sizes", .title = "Copies by size",
	.help = "Copies by direction and size: above half of, and up to a power of two",
	.layout = XPT_LAYOUT_TABLE, .order = 38, XPT_RECORD(struct rec_size, size_fields),
	.detail = true,
};

static const struct xpt_schema *const emits[] = { &schema, &size_schema, NULL };

enum how { BLOCKS, STREAM, NR_HOW };
enum host { NO_HOST, PINNED, PAGEABLE, NR_HOST };

#define NR_DIRS (XPT_DIR_NONE + 1)

struct sum {
	uint64_t calls, bytes, time_ns;
};

struct proc {
	const struct xpt_proc *proc;
	struct sum large[NR_DIRS][NR_HOW];	/* pageable, LARGE or more */
	struct sum pinned[NR_DIRS];		/* blocking ones, LARGE or more */
	uint64_t pageable_ns;			/* when the first began */
	struct sum small;			/* in runs that one copy could replace */
	uint64_t runs, small_ns;
	bool known;				/* the trace has its first use of the device */
};

struct thread_key {
	const struct xpt_proc *proc;
	uint64_t tid;
};

/* Small copies in one direction in a row, without another call between them. */
struct thread {
	unsigned dir, copies;
	uint64_t bytes, time_ns, first_ns;
};

struct copies {
	struct xpt_dist *dist[NR_DIRS][NR_HOW][NR_HOST];	/* of sizes */
	uint64_t time_ns[NR_DIRS][NR_HOW][NR_HOST];
	struct sum size[NR_DIRS][SIZES];
	struct xpt_hashmap *procs;	/* proc pointer -> struct proc */
	struct xpt_hashmap *threads;	/* struct thread_key -> struct thread */
	struct xpt_pinned *pinned;
	uint64_t lost;
};

static int copies__open(void *st)
{
	return xpt_pinned__new(&((struct copies *)st)->pinned);
}

static void copies__close(void *st)
{
	struct copies *s = st;

	for (unsigned d = 0; d < NR_DIRS; d++)
		for (unsigned i = 0; i < NR_HOW * NR_HOST; i++)
			free(s->dist[d][i / NR_HOST][i % NR_HOST]);
	xpt_pinned__free(s->pinned);
}

static enum host host_of(const struct copies *s, const struct xpt_call *c, unsigned dir,
			 const struct proc *p, const struct xpt_out *out)
{
	enum xpt_role role = dir == XPT_DIR_H2D ? XPT_ROLE_SRC : XPT_ROLE_DST;
	enum xpt_role host = dir == XPT_DIR_H2D ? XPT_ROLE_SRC_HOST : XPT_ROLE_DST_HOST;
	uint64_t addr;

	if (c->fn->role_idx[host] >= 0)		/* a copy descriptor has a host and a device address */
		role = host;
	if ((dir != XPT_DIR_H2D && dir != XPT_DIR_D2H) || !p || !p->known ||
	    xpt_out__misses_any(out) || !xpt_call__role(c, role, &addr) || !addr)
		return NO_HOST;
	return xpt_pinned__has(s->pinned, c->proc, addr) ? PINNED : PAGEABLE;
}

static void add_copy(struct sum *s, const struct xpt_call *c, uint64_t bytes)
{
	s->calls++;
	s->bytes += bytes;
	s->time_ns += c->dur_ns;
}

/* Ends a run of small copies, and counts it if one copy could have replaced it. */
static void end_run(struct copies *s, const struct xpt_proc *proc, struct thread *t)
{
	struct proc *p;

	if (t->copies >= MIN_RUN) {
		p = xpt_hashmap__find(s->procs, &proc);
		if (p) {
			p->small_ns = p->runs++ ? p->small_ns : t->first_ns;
			p->small.calls += t->copies;
			p->small.bytes += t->bytes;
			p->small.time_ns += t->time_ns;
		}
	}
	t->copies = 0;
}

static void on_small(struct copies *s, const struct xpt_call *c, unsigned dir, uint64_t bytes)
{
	struct thread_key key = { c->proc, c->tid };
	struct thread *t = xpt_hashmap__get(s->threads, &key, NULL);

	if (!t) {
		s->lost++;
		return;
	}
	if (t->copies && t->dir != dir)
		end_run(s, c->proc, t);
	if (!t->copies++)
		*t = (struct thread){ .dir = dir, .copies = 1, .first_ns = c->start_ns };
	t->bytes += bytes;
	t->time_ns += c->dur_ns;
}

static void other_call(struct copies *s, const struct xpt_call *c)
{
	struct thread_key key = { c->proc, c->tid };
	struct thread *t = xpt_hashmap__find(s->threads, &key);

	if (t)
		end_run(s, c->proc, t);
}

static void count_copy(struct copies *s, const struct xpt_call *c, unsigned dir, enum how how,
		       enum host host, uint64_t bytes)
{
	struct xpt_dist **d = &s->dist[dir][how][host];
	unsigned slot = bytes > 1 ? 64u - (unsigned)__builtin_clzll(bytes - 1) : 0;

	if (!*d)
		*d = calloc(1, sizeof(**d));
	if (*d)
		xpt_dist__add(*d, bytes);
	s->time_ns[dir][how][host] += c->dur_ns;
	add_copy(&s->size[dir][slot < SIZES ? slot : SIZES - 1], c, bytes);
}

static void on_copy(struct copies *s, const struct xpt_call *c, const struct xpt_out *out)
{
	enum how how = c->fn->role_idx[XPT_ROLE_STREAM] >= 0 ? STREAM : BLOCKS;
	struct proc *p = xpt_hashmap__get(s->procs, &c->proc, NULL);
	unsigned dir = xpt_call__dir(c);
	enum host host = host_of(s, c, dir, p, out);
	uint64_t bytes;

	s->lost += p == NULL;
	if (!xpt_call__bytes(c, &bytes))
		return;
	count_copy(s, c, dir, how, host, bytes);
	if (p && bytes >= LARGE && host == PAGEABLE) {
		if (!p->pageable_ns)
			p->pageable_ns = c->start_ns;
		add_copy(&p->large[dir][how], c, bytes);
	} else if (p && bytes >= LARGE && host == PINNED && how == BLOCKS) {
		add_copy(&p->pinned[dir], c, bytes);
	}
	if (p)
		p->proc = c->proc;
	if (bytes <= SMALL)
		on_small(s, c, dir, bytes);
	else
		other_call(s, c);
}

static void on_call(struct copies *s, const struct xpt_call *c, const struct xpt_out *out)
{
	unsigned cls = c->fn->cls;
	struct proc *p;

	if (c->failed || !xpt_call__counts(c))
		return;
	switch (cls) {
	case XPT_CLASS_COPY:
		on_copy(s, c, out);
		break;
	case XPT_CLASS_INIT:
		p = xpt_hashmap__get(s->procs, &c->proc, NULL);
		if (p && !p->proc)
			*p = (struct proc){ .proc = c->proc, .known = true };
		break;
	case XPT_CLASS_LAUNCH:
	case XPT_CLASS_SYNC:
		if (xpt_hashmap__len(s->threads))
			other_call(s, c);
		break;
	default:
		xpt_pinned__call(s->pinned, c);
		break;
	}
}

static void emit_copy(const struct copies *s, unsigned dir, enum how how, enum host host,
		      struct xpt_out *out)
{
	static const char *const how_names[] = { "blocks", "on stream" };
	static const char *const host_names[] = { "-", "pinned", "pageable" };
	const struct xpt_dist *d = s->dist[dir][how][host];
	uint64_t ns = s->time_ns[dir][how][host];
	struct rec_copy rec;

	if (!d)
		return;
	rec = (struct rec_copy){
		.direction = dir == XPT_DIR_NONE ? "other" : xpt_dir_name(dir),
		.how = how_names[how], .host = host_names[host], .calls = d->count,
		.bytes = d->sum, .time_ns = ns, .median_bytes = xpt_dist__quantile(d, 0.5),
		.bandwidth = how == BLOCKS && ns ? (double)d->sum / (double)ns * 1e9 : __builtin_nan(""),
	};
	xpt_out__emit(out, &schema, &rec);
}

static void emit_sizes(const struct copies *s, unsigned dir, struct xpt_out *out)
{
	for (unsigned i = 0; i < SIZES; i++) {
		const struct sum *sum = &s->size[dir][i];
		struct rec_size rec = {
			.direction = dir == XPT_DIR_NONE ? "other" : xpt_dir_name(dir),
			.up_to_bytes = i == SIZES - 1 ? XPT_ABSENT : 1ull << i,
			.calls = sum->calls, .bytes = sum->bytes, .time_ns = sum->time_ns,
		};

		if (sum->calls)
			xpt_out__emit(out, &size_schema, &rec);
	}
}

/* The time that pinned memory would have saved; half of it where nothing better is known. */
static uint64_t pageable_lost(const struct proc *p, struct sum *ret_all)
{
	uint64_t lost = 0, rest;

	for (unsigned d = 0; d < NR_DIRS; d++) {
		const struct sum *b = &p->large[d][BLOCKS], *a = &p->large[d][STREAM];
		const struct sum *ref = &p->pinned[d];

		rest = b->time_ns / 2;
		if (ref->bytes >= REF_BYTES)
			rest = xpt_u64_of((double)b->bytes / (double)ref->bytes *
					  (double)ref->time_ns);
		lost += b->time_ns > rest ? b->time_ns - rest : 0;
		rest = a->calls * ENQUEUE_NS;
		lost += a->time_ns > rest ? a->time_ns - rest : 0;
		ret_all->calls += a->calls + b->calls;
		ret_all->bytes += a->bytes + b->bytes;
		ret_all->time_ns += a->time_ns + b->time_ns;
	}
	return lost;
}

static bool is_pageable(const struct proc *p, uint64_t wall)
{
	struct sum all = { 0 };
	uint64_t lost = pageable_lost(p, &all);

	return all.calls >= MIN_LARGE && (double)lost >= MIN_SHARE * (double)wall;
}

/* Returns the time that fewer calls for small copies would have saved. */
static uint64_t small_lost(const struct proc *p)
{
	const struct sum *sum = &p->small;

	return sum->calls ? sum->time_ns - xpt_u64_of((double)sum->time_ns / (double)sum->calls *
						      (double)p->runs) : 0;
}

static bool is_small(const struct proc *p, uint64_t wall)
{
	return p->small.calls >= MIN_SMALL &&
	       (double)small_lost(p) >= MIN_SHARE * (double)wall;
}

static void report_pageable(const struct proc *p, uint64_t wall, struct xpt_out *out)
{
	char text[TEXT_LEN], n[16], bytes[16], time[16], bps[16];
	struct sum all = { 0 };
	struct xpt_finding f = {
		.kind = "pageable_copies", .weight = XPT_WEIGHT_SLOW, .at_ns = p->pageable_ns,
		.lost_ns = pageable_lost(p, &all), .proc = p->proc, .text = text, .alike = "",
		.advice = "Copy from and to pinned memory (cuMemHostAlloc, pin_memory=True), on a "
			  "stream beside other work.",
	};

	if (!is_pageable(p, wall))
		return;
	snprintf(text, sizeof(text),
		 "%s[%u] copied %s in %s calls between the device and pageable memory, at %s/s: "
		 "%s in these calls, %.1f %% of the wall time.", p->proc->comm, p->proc->pid,
		 xpt_fmt_bytes(all.bytes, bytes, sizeof(bytes)),
		 xpt_fmt_count(all.calls, n, sizeof(n)),
		 xpt_fmt_bytes(xpt_u64_of((double)all.bytes / (double)all.time_ns * 1e9), bps,
			       sizeof(bps)),
		 xpt_fmt_ns(all.time_ns, time, sizeof(time)),
		 100.0 * (double)all.time_ns / (double)wall);
	xpt_out__finding(out, &f);
}

static void report_small(const struct proc *p, uint64_t wall, struct xpt_out *out)
{
	const struct sum *sum = &p->small;
	char text[TEXT_LEN], n[16], bytes[16], runs[16], time[16];
	struct xpt_finding f = {
		.kind = "small_copies", .weight = XPT_WEIGHT_SLOW, .at_ns = p->small_ns,
		.lost_ns = small_lost(p), .proc = p->proc, .text = text, .alike = "",
		.advice = "Put the pieces together on one side and copy them at once.",
	};

	if (!is_small(p, wall))
		return;
	snprintf(text, sizeof(text),
		 "%s[%u] made %s copies of %s on average in %s series with nothing in between: "
		 "%s in these calls, %.1f %% of the wall time.", p->proc->comm, p->proc->pid,
		 xpt_fmt_count(sum->calls, n, sizeof(n)),
		 xpt_fmt_bytes(xpt_mean(sum->bytes, sum->calls), bytes, sizeof(bytes)),
		 xpt_fmt_count(p->runs, runs, sizeof(runs)),
		 xpt_fmt_ns(sum->time_ns, time, sizeof(time)),
		 100.0 * (double)sum->time_ns / (double)wall);
	xpt_out__finding(out, &f);
}

/* Removes evicted threads; processes with a finding are kept. */
static void forget_gone(struct copies *s, const struct xpt_out *out)
{
	const void *key;
	size_t pos = 0;
	void *val;

	xpt_pinned__forget(s->pinned);
	while (xpt_hashmap__next(s->threads, &pos, &key, &val)) {
		const struct xpt_proc *proc = ((const struct thread_key *)key)->proc;

		if (proc->forgotten)
			end_run(s, proc, val);
	}
	xpt_forget__map(s->threads, NULL, NULL);
	pos = 0;
	while (xpt_hashmap__next(s->procs, &pos, NULL, &val)) {
		const struct xpt_proc *proc = ((const struct proc *)val)->proc;
		uint64_t wall = proc ? xpt_out__wall_ns(out, proc) : 0;

		if (wall && proc->forgotten && (is_pageable(val, wall) || is_small(val, wall)))
			xpt_proc__keep(proc);
	}
}

static void report_all(struct copies *s, struct xpt_out *out)
{
	const void *key;
	size_t pos = 0;
	void *val;

	while (xpt_hashmap__next(s->threads, &pos, &key, &val))
		end_run(s, ((const struct thread_key *)key)->proc, val);
	pos = 0;
	while (xpt_hashmap__next(s->procs, &pos, NULL, &val)) {
		const struct proc *p = val;
		uint64_t wall = p->proc ? xpt_out__wall_ns(out, p->proc) : 0;

		if (!wall)
			continue;
		report_pageable(p, wall, out);
		report_small(p, wall, out);
	}
}

static void on_end(struct copies *s, struct xpt_out *out)
{
	uint64_t lost = s->lost + xpt_pinned__dropped(s->pinned);

	for (unsigned d = 0; d < NR_DIRS; d++) {
		for (unsigned i = 0; i < NR_HOW * NR_HOST; i++)
			emit_copy(s, d, i / NR_HOST, i % NR_HOST, out);
		emit_sizes(s, d, out);
	}
	if (lost)
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, lost);
	if (!xpt_out__misses_any(out))
		report_all(s, out);
}

static void copies__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct copies *s = st;

	switch (ev->kind) {
	case XPT_EV_CALL:
		on_call(s, &ev->u.call, out);
		break;
	case XPT_EV_PROC:
		if (ev->u.proc.exec)
			xpt_pinned__gone(s->pinned, ev->u.proc.proc);
		break;
	case XPT_EV_EXIT:
		xpt_pinned__gone(s->pinned, ev->u.proc.proc);
		break;
	case XPT_EV_FORGET:
		forget_gone(s, out);
		break;
	case XPT_EV_END:
		on_end(s, out);
		break;
	default:
		break;
	}
}

const struct xpt_analyzer xpt_analyzer_copies = {
	.name = "copies",
	.help = "copies by direction and size, with the bandwidth of those that block",
	.emits = emits,
	.state_size = sizeof(struct copies),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct copies, procs, void *, struct proc, MAX_PROCS, XPT_TABLE_OF_PROCESSES),
		XPT_MAP(struct copies, threads, struct thread_key, struct thread, MAX_THREADS, 0),
		{ 0 }
	},
	.open = copies__open,
	.event = copies__event,
	.close = copies__close,
};
