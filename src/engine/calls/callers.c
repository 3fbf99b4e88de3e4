// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Callers' stacks: from the BPF program's word (XPT_STACK_WORD) to a STACK
 * record with names, written once before the first call that has it. Ids are
 * counted by the engine and never used again: those of the kernel's map mean
 * addresses, and these other functions in another process or after exec.
 *
 * The end of a stack is judged here, because frame pointers are a convention
 * that no program has to keep: a stack is whole if it ends in the code that
 * starts processes and threads. Addresses after the first one that is no code
 * are left out.
 */
#include "engine/priv.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/calls/callers.h"
#include "engine/waiting/reading.h"
#include "proc/symbols/symbolize.h"
#include "wire/config.h"
#include "call.skel.h"

#define MAX_STACKS 65536	/* that one trace describes; as many as the pipeline keeps */
#define SHARE_OF_FREE 3		/* an owner of processes gets so many times as many as are left free */

struct key {
	uint32_t life, pad;	/* of the symbolizer: one program of one process */
	uint64_t word;
};

struct xpt_callers {
	void (*read_mappings)(struct xpt_engine *e);
	struct xpt_symbolizer *symbolizer;
	struct xpt_hashmap *ids;	/* struct key -> uint32_t id */
	uint32_t nr;			/* ids given */
	struct xpt_hashmap *of_owner;	/* uint64_t owner -> uint32_t ids */
	uint64_t failed;		/* calls whose stack was not recorded */
	uint64_t ip[XPT_STACK_DEPTH + 1];	/* return addresses, innermost first */
	uint64_t call[sizeof(struct xpt_long_call) / 8 + 1];	/* the record with its id */
};

/* Returns the owner for whose share a process's files count: the machine if the user named the processes. */
static uint64_t owner_of(void *ctx, int pid)
{
	const struct xpt_engine *e = ctx;
	uint64_t owner = XPT_OWNER_MACHINE;

	if (!xpt_engine__is_open(e))
		return owner;
	owner = xpt_engine__owner_of(e, (uint32_t)pid);
	if (owner == XPT_OWNER_NOBODY)
		xpt_owner__of_process(pid, &owner);
	return owner;
}

/* Callbacks of xpt_symbolizer_cfg. */
static int begin_file(void *ctx, int pid, const struct stat *st)
{
	struct xpt_engine *e = ctx;

	return xpt_reading__begin_naming(e, xpt_owner__of_file(&e->own_devices, st, owner_of(e, pid)));
}

static int end_file(void *ctx, int err)
{
	return xpt_reading__end_naming(ctx, err);
}

int xpt_callers__new(struct xpt_engine *e, void (*read_mappings)(struct xpt_engine *e),
		     struct xpt_callers **ret_c)
{
	const struct xpt_symbolizer_cfg cfg = {
		.owner = owner_of, .begin = begin_file, .end = end_file, .pause = &e->reading->naming, .ctx = e,
	};
	struct xpt_callers *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return -ENOMEM;
	c->read_mappings = read_mappings;
	err = xpt_symbolizer__new(&cfg, &c->symbolizer);
	if (!err)
		err = xpt_hashmap__new(sizeof(uint64_t), sizeof(uint32_t), MAX_STACKS, &c->of_owner);
	if (!err)
		err = xpt_hashmap__new(sizeof(struct key), sizeof(uint32_t), MAX_STACKS, &c->ids);
	if (err) {
		xpt_callers__free(c);
		return err;
	}
	*ret_c = c;
	return 0;
}

void xpt_callers__free(struct xpt_callers *c)
{
	if (!c)
		return;
	xpt_symbolizer__free(c->symbolizer);
	xpt_hashmap__free(c->ids);
	xpt_hashmap__free(c->of_owner);
	free(c);
}

uint64_t xpt_callers__failed(const struct xpt_callers *c)
{
	return c ? c->failed : 0;
}

void xpt_callers__on_task(struct xpt_callers *c, const struct xpt_rec_task *t)
{
	int pid = (int)t->tgid;

	if (!c)
		return;
	if (t->event == XPT_TASK_EXIT)
		xpt_symbolizer__drop(c->symbolizer, pid, UINT64_MAX);
	if (t->event == XPT_TASK_EXEC || t->event == XPT_TASK_FORK)
		xpt_symbolizer__drop(c->symbolizer, pid, t->ts_ns);
	if (t->event == XPT_TASK_FORK)
		xpt_symbolizer__forked(c->symbolizer, pid, (int)t->ppid);
	if (t->event != XPT_TASK_THREAD)
		return;
	xpt_symbolizer__add(c->symbolizer, pid);
}

void xpt_callers__add(struct xpt_callers *c, int pid)
{
	if (c)
		xpt_symbolizer__add(c->symbolizer, pid);
}

void xpt_callers__on_mapping(struct xpt_callers *c, int pid, const struct xpt_mapping *m)
{
	if (c)
		xpt_symbolizer__mapped(c->symbolizer, pid, m);
}

void xpt_callers__on_exec(struct xpt_callers *c, int pid, uint64_t ts_ns)
{
	if (c)
		xpt_symbolizer__execed(c->symbolizer, pid, ts_ns);
}

void xpt_callers__on_end(struct xpt_callers *c, int pid, uint64_t ts_ns)
{
	if (c)
		xpt_symbolizer__ended(c->symbolizer, pid, ts_ns);
}

/* Return addresses from the caller on; their number. */
static uint32_t read_addresses(struct xpt_engine *e, uint64_t word, bool *ret_deep)
{
	uint64_t walk[XPT_STACK_DEPTH] = { 0 }, ret = XPT_STACK_RET(word);
	struct xpt_callers *c = e->callers;
	uint32_t id = XPT_STACK_ID(word), n = 0, i;

	*ret_deep = false;
	if (id--)
		bpf_map_lookup_elem(bpf_map__fd(e->skel->maps.xpt_stacks), &id, walk);
	/* walk[0] is the place of the probe; the caller's address follows only if
	 * the kernel knows that the function had not set up its frame. */
	if (ret == XPT_STACK_IN_KERNEL && walk[0])
		c->ip[n++] = walk[0];
	else if (ret != XPT_STACK_IN_KERNEL && ret && walk[1] != ret)
		c->ip[n++] = ret;
	for (i = 1; i < XPT_STACK_DEPTH && walk[i]; i++)
		c->ip[n++] = walk[i];
	*ret_deep = i == XPT_STACK_DEPTH;
	return n;
}

static size_t add_frame(struct xpt_engine *e, size_t at, const struct xpt_frame_text *t)
{
	size_t need = strlen(t->fn) + strlen(t->module) + 2;

	if (need > XPT_REC_MAX - 8 - at)
		return 0;
	return xpt_facts__add_str(e, xpt_facts__add_str(e, at, t->fn), t->module);
}

static void describe_stack(struct xpt_engine *e, uint32_t tgid, uint64_t word, uint32_t id)
{
	struct xpt_callers *c = e->callers;
	struct xpt_rec_stack *r;
	struct xpt_frame_text t = { .kind = XPT_FRAME_NONE };
	size_t at = sizeof(*r), end;
	uint32_t n, nr = 0, i;
	bool deep;

	/* Its mappings may not have been read yet. */
	c->read_mappings(e);
	r = memset(e->scratch, 0, sizeof(*r));
	n = read_addresses(e, word, &deep);
	for (i = 0; i < n; i++) {
		struct xpt_frame_text next;

		xpt_symbolizer__frame(c->symbolizer, (int)tgid, c->ip[i], true, &next);
		if (next.kind == XPT_FRAME_NONE)
			break;
		/* The function before jumped here: its return address was replaced. */
		if (next.kind == XPT_FRAME_UPROBE && !i)
			continue;
		end = add_frame(e, at, &next);
		if (!end) {
			deep = true;
			break;
		}
		at = end;
		t.kind = next.kind;
		nr++;
	}
	r->rec.kind = XPT_REC_STACK;
	r->tgid = tgid;
	r->id = id;
	r->nr = nr;
	r->truncated = deep || t.kind != XPT_FRAME_START;
	xpt_facts__emit(e, at);
}

/* Adds a process; its mappings may not have been read yet, or an exec may come while they are read. */
static void know_process(struct xpt_engine *e, uint32_t tgid)
{
	e->callers->read_mappings(e);
	xpt_symbolizer__add(e->callers->symbolizer, (int)tgid);
	e->callers->read_mappings(e);
}

static void find_frame(struct xpt_engine *e, const struct xpt_span *when, uint32_t tgid,
		       uint64_t addr, bool ret, struct xpt_frame_text *t)
{
	static const struct xpt_span never = { 0, 0 };

	xpt_symbolizer__frame_then(e->callers->symbolizer, (int)tgid, when ? when : &never, addr, ret, t);
}

void xpt_callers__add_stack(struct xpt_engine *e, uint32_t tgid, const struct xpt_span *when,
			    uint64_t word, struct xpt_strbuf *sb)
{
	struct xpt_callers *c = e->callers;
	struct xpt_frame_text t;
	uint32_t n, i;
	bool deep;

	if (!c)
		return;
	know_process(e, tgid);
	n = read_addresses(e, word, &deep);
	for (i = 0; i < n; i++) {
		find_frame(e, when, tgid, c->ip[i], true, &t);
		if (t.kind == XPT_FRAME_NONE)
			break;
		if (t.kind == XPT_FRAME_UPROBE && !i)
			continue;
		xpt_strbuf__addf(sb, "%s%s", sb->len ? "\n" : "", t.fn);
	}
}

void xpt_callers__add_symbol(struct xpt_engine *e, uint32_t tgid, const struct xpt_span *when,
			     uint64_t addr, struct xpt_strbuf *sb)
{
	struct xpt_frame_text t;
	char *start;

	if (!e->callers)
		return;
	know_process(e, tgid);
	find_frame(e, when, tgid, addr, false, &t);
	start = strstr(t.fn, "+0x0");
	if (start && !start[4])
		*start = '\0';
	xpt_strbuf__add(sb, t.fn);
}

/* Whether the owner of that process gets one more; NULL: not. Where one has named the processes, they share all. */
static uint32_t *share_of(struct xpt_engine *e, uint32_t tgid)
{
	struct xpt_callers *c = e->callers;
	uint64_t owner;
	uint32_t *mine;

	if (c->nr >= MAX_STACKS)
		return NULL;
	owner = owner_of(e, (int)tgid);
	mine = xpt_hashmap__get(c->of_owner, &owner, NULL);
	if (mine && xpt_engine__is_open(e) && *mine >= SHARE_OF_FREE * (MAX_STACKS - c->nr))
		return NULL;
	return mine;
}

uint32_t xpt_callers__id(struct xpt_engine *e, uint32_t tgid, uint64_t word)
{
	struct xpt_callers *c = e->callers;
	struct key key = { .word = word };
	uint32_t *id, *mine, nr;
	bool is_new;

	key.life = c ? xpt_symbolizer__add(c->symbolizer, (int)tgid) : 0;
	if (!key.life)
		return 0;
	id = xpt_hashmap__find(c->ids, &key);
	if (id)
		return *id;
	mine = share_of(e, tgid);
	id = mine ? xpt_hashmap__get(c->ids, &key, &is_new) : NULL;
	if (!id) {
		c->failed++;
		return 0;
	}
	*id = nr = ++c->nr;
	++*mine;
	describe_stack(e, tgid, word, nr);
	return nr;
}

const void *xpt_callers__on_call(struct xpt_engine *e, const void *rec, size_t size)
{
	const struct xpt_rec_call *r = rec;
	struct xpt_callers *c = e->callers;
	struct xpt_rec_call *copy;

	if (!c || !(r->flags & XPT_CALL_STACK) || size > sizeof(c->call) ||
	    size < sizeof(*r) + (r->nr_vals + 1u) * sizeof(r->val[0]))
		return rec;
	copy = memcpy(c->call, rec, size);
	copy->val[copy->nr_vals] = xpt_callers__id(e, copy->tgid, copy->val[copy->nr_vals]);
	return copy;
}
