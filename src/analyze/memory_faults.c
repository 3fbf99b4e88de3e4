/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory calls that failed: frees of blocks that were freed before or never
 * allocated, and allocations that failed for lack of memory, among them those that failed
 * although enough was free: then the free memory is fragmented.
 *
 * How much memory was free is only known if the program called a function like
 * cuMemGetInfo_v2. Its answer is used for MAX_AGE, because other processes
 * allocate, too, and corrected by the memory that this process has allocated
 * and freed since. Otherwise the first answer after the failure is used, if it
 * comes within MAX_AGE and nothing was freed in between.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "model/output/analyzer.h"
#include "model/forget.h"
#include "model/domain/domain.h"
#include "model/memory/ledger.h"
#include "model/picture/level.h"

#define MAX_ROWS 1024
#define MAX_ROOMS 16384
#define NR_FREED 16384		/* a power of two: freed addresses that are remembered */
#define TOP 10
#define MAX_AGE 1000000000ull	/* ns */
#define SLACK (2u << 20)	/* the driver hands memory out in pieces of 2 MiB */
#define TEXT_LEN 400

struct rec_free {
	const char *function, *result, *reason;
	uint64_t calls, time_ns, at_ns, addr, pid;
};

static const struct xpt_field free_fields[] = {
	XPT_FIELD(struct rec_free, function, STR, NONE, "function"),
	XPT_FIELD(struct rec_free, calls, U64, COUNT, "calls"),
	XPT_FIELD(struct rec_free, reason, STR, NONE, "of what was"),
	XPT_FIELD(struct rec_free, addr, U64, HEX, "first"),
	XPT_FIELD(struct rec_free, at_ns, U64, AT, "at"),
	XPT_FIELD(struct rec_free, result, STR, NONE, "result"),
	XPT_FIELD(struct rec_free, time_ns, U64, NS, ""),
	XPT_FIELD(struct rec_free, pid, U64, NONE, "pid"),
};

static const struct xpt_schema free_schema = {
	.name = "failed_frees", .title = "Frees that failed",
	.help = "Failed frees by function, result and what is known of the address: freed before, "
		"gone with its context, still open, or unknown to this trace; address and time of "
		"the first",
	.layout = XPT_LAYOUT_TABLE, .detail = true, .order = 55, XPT_RECORD(struct rec_free, free_fields),
};

struct rec_alloc {
	const char *function;
	uint64_t calls, size, live_bytes, peak_bytes, free_bytes, at_ns, pid;
};

static const struct xpt_field alloc_fields[] = {
	XPT_FIELD(struct rec_alloc, function, STR, NONE, "function"),
	XPT_FIELD(struct rec_alloc, calls, U64, COUNT, "calls"),
	XPT_FIELD(struct rec_alloc, size, U64, BYTES, "size"),
	XPT_FIELD(struct rec_alloc, live_bytes, U64, BYTES, "held"),
	XPT_FIELD(struct rec_alloc, peak_bytes, U64, BYTES, "peak"),
	XPT_FIELD(struct rec_alloc, free_bytes, U64, BYTES, "free"),
	XPT_FIELD(struct rec_alloc, at_ns, U64, AT, "at"),
	XPT_FIELD(struct rec_alloc, pid, U64, NONE, "pid"),
};

static const struct xpt_schema alloc_schema = {
	.name = "failed_allocations", .title = "Allocations that found no room",
	.help = "The smallest that failed for each function: its size, what the process held on "
		"the device then and at its peak, and what was free where the program had asked",
	.layout = XPT_LAYOUT_TABLE, .brief = 3, .order = 54, XPT_RECORD(struct rec_alloc, alloc_fields),
};

static const struct xpt_schema *const emits[] = { &free_schema, &alloc_schema, NULL };

enum reason { FREED_BEFORE, GONE_WITH_CONTEXT, STILL_OPEN, UNKNOWN };

static const char *const reason_names[] = {
	"freed before", "gone with its context", "still open", "not seen allocated",
};

struct free_key {
	const struct xpt_proc *proc;
	const struct xpt_fn *fn;
	int64_t code;
	uint64_t reason;
};

struct free_row {
	struct free_key key;
	const struct xpt_result *result;
	uint64_t calls, time_ns, at_ns, addr;
	bool risky;		/* freed before, or gone with its context and memory was allocated since: the address could be another's */
};

struct alloc_key {
	const struct xpt_proc *proc;
	const struct xpt_fn *fn;
};

struct alloc_row {
	struct alloc_key key;
	uint64_t calls, size, live, peak, avail, at_ns;	/* all but calls: at the smallest that failed */
	uint64_t pieces, pieces_at, pieces_size, pieces_free;	/* of those that failed though enough was free: number, first time, smallest */
	const struct xpt_fn *asked;	/* the function that reported how much memory is free */
};

struct room_key {
	const struct xpt_proc *proc;
	uint64_t device;
};

/* The memory of a process on a device, and how much was free there. */
struct room {
	struct xpt_level open;
	uint64_t last_open_ns;
	const struct xpt_fn *asked;		/* by which it queried the free memory; NULL: it has not yet */
	uint64_t avail, live_then, asked_ns;
	const struct xpt_fn *failed;		/* an allocation that waits for the next answer, or NULL */
	uint64_t failed_size, failed_ns;
};

struct freed {
	const struct xpt_proc *proc;
	uint64_t addr, at_ns;
	uint32_t device;
	bool reset;		/* it was freed with its context, and not by a call */
};

struct memory_faults {
	struct xpt_hashmap *rooms;	/* struct room_key -> struct room */
	struct xpt_hashmap *frees;	/* struct free_key -> struct free_row */
	struct xpt_hashmap *allocs;	/* struct alloc_key -> struct alloc_row */
	struct freed *freed;		/* by hash; a newer block replaces an older one */
	uint64_t lost;
};

static struct freed *freed_at(struct memory_faults *m, const struct xpt_proc *proc, uint64_t addr)
{
	struct { const struct xpt_proc *proc; uint64_t addr; } key = { proc, addr };

	return &m->freed[xpt_hash(&key, sizeof(key)) & (NR_FREED - 1)];
}

static struct room *room_of(struct memory_faults *m, const struct xpt_proc *proc, uint32_t device)
{
	struct room_key key = { proc, device };
	struct room *r = xpt_hashmap__get(m->rooms, &key, NULL);

	m->lost += r == NULL;
	return r;
}

static bool takes_room(unsigned kind)
{
	return xpt_kind_is_memory(kind) && kind != XPT_KIND_HOST;
}

static void on_open(void *ctx, struct xpt_block *b)
{
	struct room *r = takes_room(b->kind) ? room_of(ctx, b->proc, b->device) : NULL;

	if (!r)
		return;
	r->last_open_ns = b->open_ns;
	xpt_level__add(&r->open, b->open_ns, b->bytes);
}

static void on_close(void *ctx, const struct xpt_block *b, enum xpt_close why,
		     const struct xpt_call *c, uint64_t ts_ns)
{
	struct memory_faults *m = ctx;
	struct room *r = takes_room(b->kind) ? room_of(m, b->proc, b->device) : NULL;

	(void)c;
	if (why == XPT_CLOSE_FREE || why == XPT_CLOSE_RESET || why == XPT_CLOSE_REUSED)
		*freed_at(m, b->proc, b->addr) = (struct freed){
			b->proc, b->addr, ts_ns, b->device, why == XPT_CLOSE_RESET };
	if (!r || why == XPT_CLOSE_REUSED)
		return;
	xpt_level__sub(&r->open, ts_ns, b->bytes);
	r->failed = NULL;	/* later answers include memory that was not free when the allocation failed */
}

static void on_settled(void *ctx, const struct xpt_block *b, const struct xpt_call *c,
		       uint64_t ts_ns)
{
	struct room *r = takes_room(b->kind) ? room_of(ctx, b->proc, b->device) : NULL;

	(void)c;
	if (!r)
		return;
	xpt_level__sub(&r->open, ts_ns, b->bytes);
	r->failed = NULL;
}

/* Whether memory was allocated on that device since the block was freed: it may have got the same address. */
static bool is_risky(struct memory_faults *m, const struct freed *f)
{
	struct room_key key = { f->proc, f->device };
	const struct room *r = xpt_hashmap__find(m->rooms, &key);

	return !r || r->last_open_ns > f->at_ns;
}

static void on_failed_free(struct memory_faults *m, const struct xpt_call *c, const struct xpt_ledger *ledger)
{
	struct free_key key = { c->proc, c->fn, c->ret, UNKNOWN };
	const struct freed *old;
	struct free_row *row;
	uint64_t addr;

	if (!xpt_call__role(c, XPT_ROLE_ADDR, &addr) && !xpt_call__role(c, XPT_ROLE_HANDLE, &addr))
		return;
	old = freed_at(m, c->proc, addr);
	if (xpt_ledger__find(ledger, c))
		key.reason = STILL_OPEN;
	else if (addr && old->proc == c->proc && old->addr == addr)
		key.reason = old->reset ? GONE_WITH_CONTEXT : FREED_BEFORE;
	row = xpt_hashmap__get(m->frees, &key, NULL);
	if (!row) {
		m->lost++;
		return;
	}
	if (!row->calls++)
		*row = (struct free_row){ .key = key, .result = c->result, .calls = 1,
					  .at_ns = c->start_ns, .addr = addr };
	row->time_ns += c->dur_ns;
	row->risky |= key.reason == FREED_BEFORE || (key.reason == GONE_WITH_CONTEXT && is_risky(m, old));
}

/* Notes an allocation that failed although enough memory was free, so that it must be fragmented. */
static void note_fragmented(struct alloc_row *row, uint64_t size, uint64_t avail, uint64_t at_ns,
		      const struct xpt_fn *asked)
{
	if (row->pieces++)
		return;
	row->pieces_at = at_ns;
	row->pieces_size = size;
	row->pieces_free = avail;
	row->asked = asked;
}

static bool is_enough(uint64_t avail, uint64_t size)
{
	return size && avail > SLACK && avail - SLACK >= size;
}

/* Returns the bytes still free by the last answer; XPT_ABSENT: unknown, or too long ago. */
static uint64_t avail_now(const struct room *r, uint64_t now_ns)
{
	uint64_t more, less;

	if (!r->asked || now_ns > r->asked_ns + MAX_AGE)
		return XPT_ABSENT;
	more = r->open.now > r->live_then ? r->open.now - r->live_then : 0;
	less = r->live_then > r->open.now ? r->live_then - r->open.now : 0;
	return r->avail + less > more ? r->avail + less - more : 0;
}

static void on_failed_alloc(struct memory_faults *m, const struct xpt_call *c, const struct xpt_ledger *ledger)
{
	struct alloc_key key = { c->proc, c->fn };
	struct room *r = room_of(m, c->proc, xpt_ledger__where(ledger, c).device);
	struct alloc_row *row = xpt_hashmap__get(m->allocs, &key, NULL);
	uint64_t size = 0, avail = r ? avail_now(r, c->start_ns) : XPT_ABSENT;

	xpt_call__bytes(c, &size);
	m->lost += !row;
	if (row)
		row->key = key;
	if (!row || !r)
		return;
	if (!row->calls++ || size < row->size) {
		row->size = size;
		row->live = r->open.now;
		row->peak = xpt_level__peak(&r->open).value;
		row->avail = avail;
		row->at_ns = c->start_ns;
	}
	if (!takes_room(c->fn->kind))
		return;
	r->failed = NULL;
	if (avail != XPT_ABSENT && is_enough(avail, size)) {
		note_fragmented(row, size, avail, c->start_ns, r->asked);
	} else if (avail == XPT_ABSENT) {
		r->failed = c->fn;
		r->failed_size = size;
		r->failed_ns = c->start_ns;
	}
}

static void on_answer(struct memory_faults *m, const struct xpt_call *c, uint64_t avail,
		      const struct xpt_ledger *ledger)
{
	struct room *r = room_of(m, c->proc, xpt_ledger__where(ledger, c).device);
	struct alloc_key key = { c->proc, r ? r->failed : NULL };
	struct alloc_row *row;

	if (!r)
		return;
	r->asked = c->fn;
	r->avail = avail;
	r->live_then = r->open.now;
	r->asked_ns = c->start_ns;
	row = key.fn ? xpt_hashmap__find(m->allocs, &key) : NULL;
	if (row && c->start_ns < r->failed_ns + MAX_AGE) {
		if (row->avail == XPT_ABSENT)
			row->avail = avail;
		if (is_enough(avail, r->failed_size))
			note_fragmented(row, r->failed_size, avail, r->failed_ns, c->fn);
	}
	r->failed = NULL;
}

static void on_call(struct memory_faults *m, const struct xpt_call *c, const struct xpt_ledger *ledger)
{
	unsigned cls = c->fn->cls;
	uint64_t avail;

	if (c->failed && xpt_call__counts(c)) {
		if (cls == XPT_CLASS_FREE || cls == XPT_CLASS_DEREGISTER)
			on_failed_free(m, c, ledger);
		else if (cls == XPT_CLASS_ALLOC && c->result && c->result->no_memory)
			on_failed_alloc(m, c, ledger);
	} else if (cls == XPT_CLASS_QUERY && xpt_call__counts(c) &&
		   xpt_call__role(c, XPT_ROLE_AVAIL, &avail)) {
		on_answer(m, c, avail, ledger);
	}
}

static void report_double(const struct free_row *row, struct xpt_out *out)
{
	const struct xpt_proc *proc = row->key.proc;
	char text[TEXT_LEN], n[16];
	struct xpt_finding f = {
		.kind = "double_free", .weight = XPT_WEIGHT_BROKEN, .at_ns = row->at_ns,
		.proc = proc, .text = text,
		.advice = "Find the second owner of the block: had the address been handed out "
			  "again, this would have freed somebody else's memory.",
	};
	bool reset = row->key.reason == GONE_WITH_CONTEXT;

	if (reset)
		f.advice = "Free what a context has before it ends or is reset: had the address been handed "
			   "out again, this would have freed somebody else's memory.";

	snprintf(text, sizeof(text),
		 "%s was called %s %s by %s[%u] for what had %s before, first for 0x%"
		 PRIx64 "; it returned %s.", row->key.fn->name,
		 xpt_fmt_count(row->calls, n, sizeof(n)), row->calls == 1 ? "time" : "times",
		 proc->comm, proc->pid, reset ? "gone with its context" : "been freed", row->addr, row->result ? row->result->name : "an error");
	xpt_out__finding(out, &f);
}

static void emit_free(const struct free_row *row, struct xpt_out *out)
{
	char code[24];
	struct rec_free rec = {
		.function = row->key.fn->name, .reason = reason_names[row->key.reason],
		.result = row->result ? row->result->name : code, .calls = row->calls,
		.time_ns = row->time_ns, .at_ns = xpt_out__since(out, row->at_ns), .addr = row->addr,
		.pid = row->key.proc->pid,
	};

	snprintf(code, sizeof(code), "%" PRId64, row->key.code);
	xpt_out__emit(out, &free_schema, &rec);
	if (row->risky && !(row->result && row->result->sticky))
		report_double(row, out);
}

static void report_pieces(const struct alloc_row *row, struct xpt_out *out)
{
	const struct xpt_proc *proc = row->key.proc;
	char text[TEXT_LEN], n[16], size[16], avail[16];
	struct xpt_finding f = {
		.kind = "fragmentation", .weight = XPT_WEIGHT_BROKEN, .at_ns = row->pieces_at,
		.proc = proc, .text = text,
		.advice = "Allocate the large blocks first or keep them, use few sizes, or map "
			  "pieces into one range (cuMemCreate, cuMemMap).",
	};

	if (row->key.fn->kind == XPT_KIND_VMM)	/* cuMemCreate allocates such pieces: the advice above does not help */
		f.advice = "Ask for smaller pieces and map them side by side, and look at the properties that "
			   "the call asks for: not all free memory may have them.";

	snprintf(text, sizeof(text),
		 "%s of %s found no room %s %s in %s[%u] although %s were free by %s: the free "
		 "memory is in pieces.", row->key.fn->name,
		 xpt_fmt_bytes(row->pieces_size, size, sizeof(size)),
		 xpt_fmt_count(row->pieces, n, sizeof(n)), row->pieces == 1 ? "time" : "times",
		 proc->comm, proc->pid, xpt_fmt_bytes(row->pieces_free, avail, sizeof(avail)),
		 row->asked->name);
	xpt_out__finding(out, &f);
}

static void emit_alloc(const struct alloc_row *row, struct xpt_out *out)
{
	struct rec_alloc rec = {
		.function = row->key.fn->name, .calls = row->calls, .size = row->size,
		.live_bytes = row->live, .peak_bytes = row->peak, .free_bytes = row->avail,
		.at_ns = xpt_out__since(out, row->at_ns), .pid = row->key.proc->pid,
	};

	xpt_out__emit(out, &alloc_schema, &rec);
	if (row->pieces)
		report_pieces(row, out);
}

static int by_free(const void *a, const void *b)
{
	const struct free_row *x = *(struct free_row *const *)a, *y = *(struct free_row *const *)b;

	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	return x->at_ns < y->at_ns ? -1 : x->at_ns > y->at_ns;
}

static int by_alloc(const void *a, const void *b)
{
	const struct alloc_row *x = *(struct alloc_row *const *)a;
	const struct alloc_row *y = *(struct alloc_row *const *)b;

	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	return x->at_ns < y->at_ns ? -1 : x->at_ns > y->at_ns;
}

static void on_end(struct memory_faults *m, struct xpt_out *out)
{
	void **all;
	size_t nr;

	if (m->lost)
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, m->lost);
	if (xpt_out__misses_calls(out))
		return;
	all = xpt_hashmap__sorted(m->allocs, by_alloc, &nr);
	for (size_t i = 0; i < nr && i < TOP; i++)
		emit_alloc(all[i], out);
	free(all);
	all = xpt_hashmap__sorted(m->frees, by_free, &nr);
	for (size_t i = 0; i < nr && i < TOP; i++)
		emit_free(all[i], out);
	free(all);
}

/* Forgets ended processes, but keeps the rows that would be shown. */
static void forget_gone(struct memory_faults *m)
{
	xpt_forget__keep_first(m->allocs, by_alloc, TOP);
	xpt_forget__keep_first(m->frees, by_free, TOP);
	for (size_t i = 0; i < NR_FREED; i++)
		if (m->freed[i].proc && m->freed[i].proc->forgotten)
			m->freed[i] = (struct freed){ .proc = NULL };
}

static void memory_faults__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct memory_faults *m = st;

	switch (ev->kind) {
	case XPT_EV_CALL:
		on_call(m, &ev->u.call, xpt_out__stream(out)->ledger);
		break;
	case XPT_EV_FORGET:
		forget_gone(m);
		break;
	case XPT_EV_END:
		on_end(m, out);
		break;
	default:
		break;
	}
}

static const struct xpt_ledger_ops blocks = { .opened = on_open, .closed = on_close, .settled = on_settled };

const struct xpt_analyzer xpt_analyzer_memory_faults = {
	.name = "memory_faults",
	.help = "frees that failed, and allocations that found no room",
	.emits = emits,
	.state_size = sizeof(struct memory_faults),
	.tables = (const struct xpt_table[]){
		XPT_ARRAY(struct memory_faults, freed, NR_FREED),
		XPT_MAP(struct memory_faults, rooms, struct room_key, struct room, MAX_ROOMS, XPT_TABLE_OF_PROCESSES),
		XPT_MAP(struct memory_faults, frees, struct free_key, struct free_row, MAX_ROWS, XPT_TABLE_OF_PROCESSES),
		XPT_MAP(struct memory_faults, allocs, struct alloc_key, struct alloc_row, MAX_ROWS, XPT_TABLE_OF_PROCESSES),
		{ 0 }
	},
	.blocks = &blocks,
	.event = memory_faults__event,
};
