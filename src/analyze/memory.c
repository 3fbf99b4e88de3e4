/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory: bytes that were allocated, freed, and never freed, by kind.
 *
 * A block is "not freed" when its process ends or the trace ends while it is open. Blocks that end with their context
 * or by exec are freed implicitly and are counted apart. Blocks are grouped by function, size and fate, and by the
 * call site of the allocation if stacks were recorded, largest first. If frees may be missing (lost events, memory
 * from before the trace), the report says so, so that a block is not taken for a leak by mistake.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "model/output/analyzer.h"
#include "model/forget.h"
#include "model/memory/ledger.h"
#include "model/picture/level.h"
#include "model/memory/reused.h"
#include "model/vocab.h"

#define MAX_GROUPS 65536
#define TOP_LEAKS 10
#define AGES 7	/* slots of a histogram by powers of ten, from 1 ms on */
#define TOP_PROCS 5
#define TEXT_LEN 320

struct rec_kind {
	const char *kind;
	uint64_t allocations, bytes, frees, implicit, peak_bytes, not_freed, not_freed_bytes;
};

static const struct xpt_field kind_fields[] = {
	XPT_FIELD(struct rec_kind, kind, STR, NONE, "kind"),
	XPT_FIELD(struct rec_kind, allocations, U64, COUNT, "allocs"),
	XPT_FIELD(struct rec_kind, bytes, U64, BYTES, "bytes"),
	XPT_FIELD(struct rec_kind, frees, U64, COUNT, "frees"),
	XPT_FIELD(struct rec_kind, implicit, U64, COUNT, "implicit"),
	XPT_FIELD(struct rec_kind, peak_bytes, U64, BYTES, "peak"),
	XPT_FIELD(struct rec_kind, not_freed, U64, COUNT, "left"),
	XPT_FIELD(struct rec_kind, not_freed_bytes, U64, BYTES, "left bytes"),
};

static const struct xpt_schema kind_schema = {
	.name = "memory", .title = "Memory",
	.help = "Blocks by kind: allocated, freed by a call, freed implicitly (with their context "
		"or by exec), most bytes open at once, and left open at the end",
	.layout = XPT_LAYOUT_TABLE, .brief = 5, .order = 50, XPT_RECORD(struct rec_kind, kind_fields),
};

struct rec_leak {
	const char *function, *kind, *state;
	uint64_t size, blocks, bytes, age_ns;
	uint64_t younger_1ms, younger_10ms, younger_100ms, younger_1s, younger_10s, younger_100s;
	uint64_t older;
	const char *at;
};

/* Blocks by age: the text output shows only the oldest. */
#define AGE_FIELDS                                                             \
	XPT_FIELD(struct rec_leak, younger_1ms, U64, COUNT, ""),               \
	XPT_FIELD(struct rec_leak, younger_10ms, U64, COUNT, ""),              \
	XPT_FIELD(struct rec_leak, younger_100ms, U64, COUNT, ""),             \
	XPT_FIELD(struct rec_leak, younger_1s, U64, COUNT, ""),                \
	XPT_FIELD(struct rec_leak, younger_10s, U64, COUNT, ""),               \
	XPT_FIELD(struct rec_leak, younger_100s, U64, COUNT, ""),              \
	XPT_FIELD(struct rec_leak, older, U64, COUNT, "")

static const struct xpt_field leak_fields[] = {
	XPT_FIELD(struct rec_leak, function, STR, NONE, "allocated by"),
	XPT_FIELD(struct rec_leak, kind, STR, NONE, "kind"),
	XPT_FIELD(struct rec_leak, size, U64, BYTES, "size"),
	XPT_FIELD(struct rec_leak, blocks, U64, COUNT, "blocks"),
	XPT_FIELD(struct rec_leak, bytes, U64, BYTES, "bytes"),
	XPT_FIELD(struct rec_leak, age_ns, U64, NS, "oldest"),
	XPT_FIELD(struct rec_leak, state, STR, NONE, "seen"),
	AGE_FIELDS,
};

static const struct xpt_schema leak_schema = {
	.name = "leaks", .title = "Memory not freed",
	.help = "Blocks that were still open when their process ended (\"at exit\") or when the "
		"trace ended (\"running\"), by function, kind and size; oldest is an age; "
		"younger_* and older count blocks by age, each block once",
	.layout = XPT_LAYOUT_TABLE, .brief = 4, .order = 100, XPT_RECORD(struct rec_leak, leak_fields),
};

/* The fields of traces with stacks: the last one, too. */
static const struct xpt_field leak_at_fields[] = {
	XPT_FIELD(struct rec_leak, function, STR, NONE, "allocated by"),
	XPT_FIELD(struct rec_leak, at, STR, NONE, "at"),
	XPT_FIELD(struct rec_leak, kind, STR, NONE, "kind"),
	XPT_FIELD(struct rec_leak, size, U64, BYTES, "size"),
	XPT_FIELD(struct rec_leak, blocks, U64, COUNT, "blocks"),
	XPT_FIELD(struct rec_leak, bytes, U64, BYTES, "bytes"),
	XPT_FIELD(struct rec_leak, age_ns, U64, NS, "oldest"),
	XPT_FIELD(struct rec_leak, state, STR, NONE, "seen"),
	AGE_FIELDS,
};

static const struct xpt_schema leak_at_schema = {
	.name = "leaks", .title = "Memory not freed",
	.help = "As without stacks; at is the innermost caller outside of the traced library",
	.layout = XPT_LAYOUT_TABLE, .brief = 4, .order = 100, XPT_RECORD(struct rec_leak, leak_at_fields),
};

struct rec_note {
	const char *text;
};

static const struct xpt_field note_fields[] = {
	XPT_FIELD(struct rec_note, text, STR, NONE, "note"),
};

static const struct xpt_schema note_schema = {
	.name = "memory_notes", .title = "About this memory",
	.help = "What was left at each exit, and what the tables of memory cannot know",
	.layout = XPT_LAYOUT_TEXT, .detail = true, .order = 101, XPT_RECORD(struct rec_note, note_fields),
};

static const struct xpt_schema *const emits[] = {
	&kind_schema, &leak_schema, &leak_at_schema, &note_schema, NULL,
};

struct kind_sum {
	uint64_t allocs, bytes, frees, implicit, implicit_bytes, left, left_bytes;
	struct xpt_level open;	/* bytes */
};

struct group_key {
	const struct xpt_fn *fn;
	const char *at;		/* interned; NULL without a stack */
	uint64_t bytes;
	uint32_t kind;
	uint32_t exited;
};

struct group {
	struct group_key key;
	uint64_t blocks, bytes, age_ns, age[AGES];
};

/* A process that ended with blocks open; only those with most bytes are kept. */
struct left {
	const struct xpt_proc *proc;
	uint64_t blocks, bytes;
};

struct memory {
	struct kind_sum kind[XPT_KIND__MAX];
	struct xpt_hashmap *groups;	/* struct group_key -> struct group */
	struct group other;		/* blocks of groups that did not fit */
	struct left left[TOP_PROCS + 1];
	struct left now;		/* of the process whose blocks are being closed; NULL: none */
	uint64_t exits, exit_blocks, exit_bytes;
	uint64_t unknown_frees;
	bool stacks;			/* a group has a call site */
};

static void on_open(void *ctx, struct xpt_block *b)
{
	struct kind_sum *k = &((struct memory *)ctx)->kind[b->kind];

	k->allocs++;
	k->bytes += b->bytes;
	xpt_level__add(&k->open, b->open_ns, b->bytes);
}

static unsigned age_slot(uint64_t age_ns)
{
	uint64_t limit = 1000000;
	unsigned i;

	for (i = 0; i < AGES - 1 && age_ns >= limit; i++)
		limit *= 10;
	return i;
}

static void add_group(struct memory *m, const struct xpt_block *b, bool exited, uint64_t ts_ns)
{
	struct group_key key = { .fn = b->outer ? b->outer : b->fn, .at = xpt_block__place(b),
				 .bytes = b->bytes, .kind = b->kind, .exited = exited };
	struct group *g = xpt_hashmap__get(m->groups, &key, NULL);
	uint64_t age = ts_ns > b->open_ns ? ts_ns - b->open_ns : 0;

	if (g)
		g->key = key;
	else
		g = &m->other;
	m->stacks |= key.at != NULL;
	g->blocks++;
	g->bytes += b->bytes;
	g->age[age_slot(age)]++;
	if (age > g->age_ns)
		g->age_ns = age;
}

static void on_close(void *ctx, const struct xpt_block *b, enum xpt_close why,
		     const struct xpt_call *c, uint64_t ts_ns)
{
	struct memory *m = ctx;
	struct kind_sum *k = &m->kind[b->kind];

	(void)c;
	if (why != XPT_CLOSE_REUSED)	/* else on_settled() decides later */
		xpt_level__sub(&k->open, ts_ns, b->bytes);
	if (why == XPT_CLOSE_FREE || why == XPT_CLOSE_REUSED) {
		k->frees++;
	} else if (why == XPT_CLOSE_RESET || why == XPT_CLOSE_EXEC) {
		k->implicit++;
		k->implicit_bytes += b->bytes;
	} else if (why == XPT_CLOSE_EXIT || why == XPT_CLOSE_END) {
		k->left++;
		k->left_bytes += b->bytes;
		add_group(m, b, why == XPT_CLOSE_EXIT, ts_ns);
		if (m->now.proc != b->proc)
			m->now = (struct left){ .proc = b->proc };
		m->now.blocks += xpt_kind_is_memory(b->kind);
		m->now.bytes += xpt_kind_is_memory(b->kind) ? b->bytes : 0;
	}
}

static void on_settled(void *ctx, const struct xpt_block *b, const struct xpt_call *c,
		       uint64_t ts_ns)
{
	struct memory *m = ctx;

	(void)c;
	xpt_level__sub(&m->kind[b->kind].open, ts_ns, b->bytes);
}

static void on_unknown(void *ctx, const struct xpt_call *c)
{
	(void)c;
	((struct memory *)ctx)->unknown_frees++;
}

/* Keeps left[] sorted by bytes; the last slot falls off. */
static void on_exit_of(struct memory *m, const struct xpt_proc *proc)
{
	size_t i = TOP_PROCS;

	struct left now = m->now;

	m->now = (struct left){ .proc = NULL };
	if (now.proc != proc || !now.blocks)
		return;
	m->exits++;
	m->exit_blocks += now.blocks;
	m->exit_bytes += now.bytes;
	for (; i > 0 && (!m->left[i - 1].proc || m->left[i - 1].bytes < now.bytes); i--)
		m->left[i] = m->left[i - 1];
	m->left[i] = now;
}

/* Keeps evicted processes that would be reported; adds the others to the rest. */
static void forget_gone(struct memory *m)
{
	size_t n = 0;

	m->now = (struct left){ .proc = NULL };
	for (size_t i = 0; i < TOP_PROCS && m->left[i].proc; i++)
		if (xpt_proc__keep(m->left[i].proc))
			m->left[n++] = m->left[i];
	for (; n <= TOP_PROCS; n++)
		m->left[n] = (struct left){ .proc = NULL };
}

static const char *plural_of(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

static void add_note(struct xpt_out *out, const char *text)
{
	struct rec_note rec = { text };

	xpt_out__emit(out, &note_schema, &rec);
}

static void emit_kinds(const struct memory *m, struct xpt_out *out)
{
	for (unsigned i = 0; i < XPT_KIND__MAX; i++) {
		const struct kind_sum *k = &m->kind[i];
		struct rec_kind rec = {
			.kind = xpt_kind_name(i), .allocations = k->allocs, .bytes = k->bytes,
			.frees = k->frees, .implicit = k->implicit, .peak_bytes = xpt_level__peak(&k->open).value,
			.not_freed = k->left, .not_freed_bytes = k->left_bytes,
		};

		if (k->allocs)
			xpt_out__emit(out, &kind_schema, &rec);
	}
}

static int by_bytes(const void *a, const void *b)
{
	const struct group *x = *(struct group *const *)a, *y = *(struct group *const *)b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->blocks != y->blocks)
		return x->blocks < y->blocks ? 1 : -1;
	if (x->key.fn != y->key.fn)
		return strcmp(x->key.fn->name, y->key.fn->name);
	return strcmp(x->key.at ? x->key.at : "", y->key.at ? y->key.at : "");
}

static void emit_leak(const struct memory *m, const struct group *g, const char *function,
		      const char *state, struct xpt_out *out)
{
	struct rec_leak rec = {
		.function = function, .kind = g->key.fn ? xpt_kind_name(g->key.kind) : "",
		.state = state, .size = g->key.fn ? g->key.bytes : XPT_ABSENT,
		.blocks = g->blocks, .bytes = g->bytes, .age_ns = g->age_ns, .at = g->key.at,
		.younger_1ms = g->age[0], .younger_10ms = g->age[1], .younger_100ms = g->age[2],
		.younger_1s = g->age[3], .younger_10s = g->age[4], .younger_100s = g->age[5],
		.older = g->age[6],
	};

	xpt_out__emit(out, m->stacks ? &leak_at_schema : &leak_schema, &rec);
}

static void add_other(struct group *other, const struct group *g)
{
	other->blocks += g->blocks;
	other->bytes += g->bytes;
	for (unsigned k = 0; k < AGES; k++)
		other->age[k] += g->age[k];
	if (g->age_ns > other->age_ns)
		other->age_ns = g->age_ns;
}

static void emit_leaks(struct memory *m, struct xpt_out *out)
{
	size_t nr, shown;
	void **all = xpt_hashmap__sorted(m->groups, by_bytes, &nr);
	char name[64];

	xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, xpt_hashmap__len(m->groups) - nr);
	shown = nr == TOP_LEAKS + 1 ? nr : nr < TOP_LEAKS ? nr : TOP_LEAKS;
	for (size_t i = 0; i < nr; i++) {
		const struct group *g = all[i];

		if (i < shown)
			emit_leak(m, g, g->key.fn->name, g->key.exited ? "at exit" : "running", out);
		else
			add_other(&m->other, g);
	}
	snprintf(name, sizeof(name), "other (%zu groups)", nr - shown);
	if (m->other.blocks)
		emit_leak(m, &m->other, name, "", out);
	free(all);
}

static void note_exits(const struct memory *m, struct xpt_out *out)
{
	uint64_t blocks = m->exit_blocks, bytes = m->exit_bytes, rest = m->exits;
	char text[TEXT_LEN], b[16], n[16];

	for (size_t i = 0; i < TOP_PROCS && m->left[i].proc; i++) {
		const struct left *l = &m->left[i];

		snprintf(text, sizeof(text),
			 "%s[%u] ended with %s %s (%s) still allocated; the driver freed %s "
			 "when the process was gone.", l->proc->comm, l->proc->pid,
			 xpt_fmt_count(l->blocks, n, sizeof(n)),
			 plural_of(l->blocks, "block", "blocks"),
			 xpt_fmt_bytes(l->bytes, b, sizeof(b)), plural_of(l->blocks, "it", "them"));
		add_note(out, text);
		blocks -= l->blocks;
		bytes -= l->bytes;
		rest--;
	}
	if (!rest)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 " more processes ended with %s blocks (%s).", rest,
		 xpt_fmt_count(blocks, n, sizeof(n)), xpt_fmt_bytes(bytes, b, sizeof(b)));
	add_note(out, text);
}

static void note_implicit(const struct memory *m, struct xpt_out *out)
{
	uint64_t blocks = 0, bytes = 0;
	char text[TEXT_LEN], b[16], n[16];

	for (unsigned i = 0; i < XPT_KIND__MAX; i++) {
		blocks += xpt_kind_is_memory(i) ? m->kind[i].implicit : 0;
		bytes += xpt_kind_is_memory(i) ? m->kind[i].implicit_bytes : 0;
	}
	if (!blocks)
		return;
	snprintf(text, sizeof(text),
		 "%s %s (%s) %s freed implicitly, with the context or by exec: not counted as "
		 "left.", xpt_fmt_count(blocks, n, sizeof(n)), plural_of(blocks, "block", "blocks"),
		 xpt_fmt_bytes(bytes, b, sizeof(b)), plural_of(blocks, "was", "were"));
	add_note(out, text);
}

static void note_limits(const struct memory *m, struct xpt_out *out)
{
	uint64_t lost = xpt_out__stream(out)->missing.lost;
	const struct xpt_ledger *ledger = xpt_out__stream(out)->ledger;
	uint64_t dropped = xpt_ledger__dropped(ledger), left = 0;
	uint64_t missed = xpt_ledger__missed(ledger), late = 0;
	char text[TEXT_LEN], n[16];

	for (unsigned i = 0; i < XPT_KIND__MAX; i++)
		left += m->kind[i].left;
	for (unsigned i = 0; i < XPT_KIND__MAX; i++)
		late += m->kind[i].open.late;
	if (m->unknown_frees) {
		snprintf(text, sizeof(text), "%s %s of memory whose allocation was not traced "
			 "(older than the trace, or lost).",
			 xpt_fmt_count(m->unknown_frees, n, sizeof(n)),
			 plural_of(m->unknown_frees, "free was", "frees were"));
		add_note(out, text);
	}
	if (lost && left) {
		snprintf(text, sizeof(text), "%s calls were lost before they got here, frees "
			 "perhaps among them: blocks may be listed that were freed.",
			 xpt_fmt_count(lost, n, sizeof(n)));
		add_note(out, text);
	}
	if (late) {
		snprintf(text, sizeof(text), "%s %s that took long while other threads allocated: "
			 "peaks may be too high by what they freed.",
			 xpt_fmt_count(late, n, sizeof(n)), plural_of(late, "free", "frees"));
		add_note(out, text);
	}
	if (missed) {
		snprintf(text, sizeof(text), "%s %s returned more than %u s after another thread "
			 "had got the same address, and could not be assigned to a block.",
			 xpt_fmt_count(missed, n, sizeof(n)), plural_of(missed, "free", "frees"),
			 (unsigned)(XPT_REUSED_WAIT_NS / 1000000000u));
		add_note(out, text);
	}
	if (dropped) {
		snprintf(text, sizeof(text), "%s blocks were not followed: more than %u open at "
			 "once.", xpt_fmt_count(dropped, n, sizeof(n)), XPT_STREAM_BLOCKS);
		add_note(out, text);
	}
}

static void on_end(struct memory *m, struct xpt_out *out)
{
	const char *partial = xpt_out__stream(out)->missing.why;
	char text[TEXT_LEN];

	if (partial[0]) {	/* a free that was left out looks like a leak */
		snprintf(text, sizeof(text), "Leaks and churn are not judged: %s.", partial);
		add_note(out, text);
		return;
	}
	emit_kinds(m, out);
	emit_leaks(m, out);
	note_exits(m, out);
	note_implicit(m, out);
	note_limits(m, out);
}

static void memory__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct memory *m = st;

	switch (ev->kind) {
	case XPT_EV_EXIT:
		on_exit_of(m, ev->u.proc.proc);
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

static const struct xpt_ledger_ops blocks = { on_open, on_close, on_unknown, on_settled };

const struct xpt_analyzer xpt_analyzer_memory = {
	.name = "memory",
	.help = "what was allocated and freed, what was left, by function and size",
	.emits = emits,
	.state_size = sizeof(struct memory),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct memory, groups, struct group_key, struct group, MAX_GROUPS, 0),
		{ 0 }
	},
	.blocks = &blocks,
	.event = memory__event,
};
