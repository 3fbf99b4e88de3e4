/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ledger of open blocks. Blocks lie in a pool that grows up to the
 * maximum; a hash map finds them by key and a list per process lets an exit
 * close them without looking at the others.
 *
 * Calls come in the order in which they ended. A block, however, lives from the
 * end of its allocation to the begin of its free: no thread can free an address
 * before an allocation has returned it, and no address is in two blocks at once.
 * So a free is for the youngest block of its address that was open when the free
 * began. That is the one in the map, or one that waits in `reused` because its
 * address was handed out again.
 */
#include "model/memory/ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/hashmap.h"
#include "model/call.h"
#include "model/memory/contexts.h"
#include "model/forget.h"
#include "model/memory/graph_nodes.h"
#include "model/memory/reused.h"

#define NIL UINT32_MAX
#define MAX_PROCS 65536
#define FIRST_CAP 256

struct key {
	const struct xpt_proc *proc;
	uint64_t addr;
	uint64_t space;		/* blocks of different spaces may have the same addr, see key_of() */
};

struct lproc {
	uint32_t head;	/* first block */
	bool reset;	/* a context was destroyed: frees of unknown blocks are explained */
};

struct xpt_ledger {
	struct { const struct xpt_ledger_ops *ops; void *ctx; } listener[XPT_LEDGER_LISTENERS];
	unsigned nr_listeners;
	struct xpt_block *pool;
	size_t cap, max, used;	/* slots allocated, allowed, handed out at least once */
	uint32_t free_head;
	size_t cursor;		/* next slot to evict */
	bool evict;
	uint64_t dropped, missed;
	struct xpt_reused *reused;
	struct xpt_hashmap *map;	/* struct key -> uint32_t slot */
	struct xpt_hashmap *procs;	/* proc pointer -> struct lproc */
	struct xpt_contexts *contexts;
	struct xpt_graph_nodes *nodes;
};

/* Calls this operation of all listeners. */
#define TELL(l, op, ...)                                                                              \
	for (unsigned i_ = 0; i_ < (l)->nr_listeners; i_++)                                           \
		if ((l)->listener[i_].ops->op)                                                        \
			(l)->listener[i_].ops->op((l)->listener[i_].ctx, __VA_ARGS__)

bool xpt_kind_is_memory(unsigned kind)
{
	switch (kind) {
	case XPT_KIND_REGISTERED:
	case XPT_KIND_MAPPING:
	case XPT_KIND_RESERVED:
	case XPT_KIND_IPC:
	case XPT_KIND_REGION:
	case XPT_KIND_QPAIR:
	case XPT_KIND_CONTROLLER:
	case XPT_KIND_POLL_GROUP:
	case XPT_KIND_SUBSYSTEM:
	case XPT_KIND_TARGET:
		return false;
	default:
		return true;
	}
}

/* The name of a library's file before its version: libcuda.so of libcuda.so.1. */
static size_t lib_name(const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *so = strstr(name, ".so");

	*ret_name = name;
	return so ? (size_t)(so - name) + 3 : strlen(name);
}

static bool in_lib(const struct xpt_frame_name *frame, const struct xpt_fn *fn)
{
	const char *a, *b;
	size_t n, k;

	if (!fn || !fn->lib || !frame->module[0])
		return false;
	n = lib_name(frame->module, &a);
	k = lib_name(fn->lib->path, &b);
	return n == k && !memcmp(a, b, n);
}

const char *xpt_block__place(const struct xpt_block *b)
{
	for (uint32_t i = 0; b->stack && i < b->stack->nr; i++)
		if (!in_lib(&b->stack->frame[i], b->fn) && !in_lib(&b->stack->frame[i], b->outer))
			return b->stack->frame[i].fn;
	return NULL;
}

static unsigned kind_of(const struct xpt_fn *fn)
{
	bool reg = fn->cls == XPT_CLASS_REGISTER || fn->cls == XPT_CLASS_DEREGISTER;

	if (fn->kind == XPT_KIND_NONE && reg)
		return XPT_KIND_REGISTERED;
	return fn->kind < XPT_KIND__MAX ? fn->kind : XPT_KIND_NONE;
}

static bool is_free(const struct xpt_fn *fn)
{
	return fn->cls == XPT_CLASS_FREE || fn->cls == XPT_CLASS_DEREGISTER;
}

/* False: the call has no address or handle. All kinds of memory are one space, for one
 * free serves several kinds. Each other kind is a space of its own: a mapped, reserved or
 * registered range may start at the address of another block. The lowest bit is 1 for handles. */
static bool key_of(const struct xpt_call *c, struct key *ret_key)
{
	unsigned kind = kind_of(c->fn), space = xpt_kind_is_memory(kind) ? 0 : kind;
	uint64_t addr;

	if (xpt_call__role(c, XPT_ROLE_ADDR, &addr))
		space <<= 1;
	else if (xpt_call__role(c, XPT_ROLE_HANDLE, &addr))
		space = space << 1 | 1;
	else
		return false;
	if (!addr)
		return false;
	*ret_key = (struct key){ .proc = c->proc, .addr = addr, .space = space };
	return true;
}

/*
 * The free of b did not arrive: b died when a free of it was seen to begin, else just before its address was reused.
 */
static void settle_unseen(void *ctx, const struct xpt_block *b, uint64_t gone_ns)
{
	struct xpt_ledger *l = ctx;

	TELL(l, settled, b, NULL, b->freeing_ns ? b->freeing_ns : gone_ns - 1);
}

int xpt_ledger__new(size_t max, bool evict, const struct xpt_ledger_ops *ops, void *ctx,
		    struct xpt_ledger **ret_l)
{
	struct xpt_ledger *l = calloc(1, sizeof(*l));
	int err = 0;

	if (!l)
		return -ENOMEM;
	if (ops)
		xpt_ledger__listen(l, ops, ctx);
	l->max = max < NIL ? max : NIL - 1;
	l->free_head = NIL;
	l->evict = evict;
	err = xpt_hashmap__new(sizeof(struct key), sizeof(uint32_t), l->max, &l->map);
	if (!err)
		err = xpt_hashmap__new(sizeof(void *), sizeof(struct lproc), MAX_PROCS, &l->procs);
	if (!err)
		err = xpt_contexts__new(&l->contexts);
	if (!err)
		err = xpt_graph_nodes__new(&l->nodes);
	if (!err)
		err = xpt_reused__new(settle_unseen, l, &l->reused);
	if (err) {
		xpt_ledger__free(l);
		return err;
	}
	*ret_l = l;
	return 0;
}

int xpt_ledger__listen(struct xpt_ledger *l, const struct xpt_ledger_ops *ops, void *ctx)
{
	if (l->nr_listeners == XPT_LEDGER_LISTENERS)
		return -E2BIG;
	l->listener[l->nr_listeners].ops = ops;
	l->listener[l->nr_listeners++].ctx = ctx;
	return 0;
}

void xpt_ledger__free(struct xpt_ledger *l)
{
	if (!l)
		return;
	xpt_hashmap__free(l->map);
	xpt_hashmap__free(l->procs);
	xpt_contexts__free(l->contexts);
	xpt_graph_nodes__free(l->nodes);
	xpt_reused__free(l->reused);
	free(l->pool);
	free(l);
}

const struct xpt_block *xpt_ledger__find(const struct xpt_ledger *l, const struct xpt_call *c)
{
	const uint32_t *slot;
	struct key key;

	if (!key_of(c, &key))
		return NULL;
	slot = xpt_hashmap__find(l->map, &key);
	if (!slot || (is_free(c->fn) && !xpt_call__may_end(c, l->pool[*slot].open_ns)))
		return NULL;
	return &l->pool[*slot];
}

struct xpt_place xpt_ledger__where(const struct xpt_ledger *l, const struct xpt_call *c)
{
	return xpt_contexts__where(l->contexts, c->proc, c->tid);
}

uint64_t xpt_ledger__dropped(const struct xpt_ledger *l)
{
	return l->dropped;
}

uint64_t xpt_ledger__missed(const struct xpt_ledger *l)
{
	return l->missed;
}

/* Takes block i out of map, list and pool, then calls the listeners. */
static void close_block(struct xpt_ledger *l, uint32_t i, enum xpt_close why,
			const struct xpt_call *c, uint64_t ts_ns)
{
	struct xpt_block b = l->pool[i];
	struct key key = { .proc = b.proc, .addr = b.addr, .space = b.space };
	struct lproc *p = xpt_hashmap__find(l->procs, &b.proc);

	if (b.prev != NIL)
		l->pool[b.prev].next = b.next;
	else if (p)
		p->head = b.next;
	if (b.next != NIL)
		l->pool[b.next].prev = b.prev;
	xpt_hashmap__del(l->map, &key);
	l->pool[i].next = l->free_head;
	l->free_head = i;
	TELL(l, closed, &b, why, c, ts_ns);
}

static bool grow_blocks(struct xpt_ledger *l)
{
	size_t cap = l->cap ? l->cap * 2 : FIRST_CAP;
	struct xpt_block *pool;

	if (cap > l->max)
		cap = l->max;
	if (cap == l->cap)
		return false;
	pool = realloc(l->pool, cap * sizeof(*pool));
	if (!pool)
		return false;
	l->pool = pool;
	l->cap = cap;
	return true;
}

/* A free slot, or NIL when the table is full and nothing may be evicted. */
static uint32_t take_slot(struct xpt_ledger *l, uint64_t ts_ns)
{
	uint32_t i;

	if (l->free_head == NIL && l->used == l->cap && !grow_blocks(l)) {
		l->dropped++;
		if (!l->evict || !l->used)
			return NIL;
		/* All slots are in use; they were filled in turn, so this one is old. */
		close_block(l, (uint32_t)(l->cursor++ % l->used), XPT_CLOSE_EVICTED, NULL, ts_ns);
	}
	if (l->free_head == NIL)
		return (uint32_t)l->used++;
	i = l->free_head;
	l->free_head = l->pool[i].next;
	return i;
}

/* Gives back a slot from take_slot(): another table has no room for its block. */
static void give_back_slot(struct xpt_ledger *l, uint32_t i)
{
	l->pool[i].next = l->free_head;
	l->free_head = i;
	l->dropped++;
}

static struct lproc *proc_of(struct xpt_ledger *l, const struct xpt_proc *proc)
{
	bool is_new;
	struct lproc *p = xpt_hashmap__get(l->procs, &proc, &is_new);

	if (p && is_new)
		p->head = NIL;
	return p;
}

static void link_block(struct xpt_ledger *l, const struct key *key, uint32_t i)
{
	struct lproc *p = proc_of(l, key->proc);
	uint32_t *slot = p ? xpt_hashmap__get(l->map, key, NULL) : NULL;

	if (!slot) {
		give_back_slot(l, i);
		return;
	}
	*slot = i;
	l->pool[i].next = p->head;
	if (p->head != NIL)
		l->pool[p->head].prev = i;
	p->head = i;
	TELL(l, opened, &l->pool[i]);
}

/* The address of block i was handed out again. by_graph: by the launch of a graph. Nothing else gets
 * the addresses of its nodes, so the launch itself freed the older block, and no free of it will come. */
static void replace_block(struct xpt_ledger *l, uint32_t i, bool by_graph, uint64_t ts_ns)
{
	struct xpt_block b = l->pool[i];

	close_block(l, i, XPT_CLOSE_REUSED, NULL, ts_ns);
	if (by_graph)
		settle_unseen(l, &b, ts_ns);
	else
		xpt_reused__add(l->reused, &b, ts_ns);
}

/* c opens a block. fields: all but those that follow from c and key, which are filled in here. */
static void enter_block(struct xpt_ledger *l, const struct xpt_call *c, const struct key *key,
			const struct xpt_block *fields)
{
	const uint32_t *old = xpt_hashmap__find(l->map, key);
	uint64_t end = xpt_call__end_ns(c);
	struct xpt_place at;
	uint32_t i;

	if (old && end < l->pool[*old].open_ns) {
		l->dropped++;	/* out of order: its address has a younger block already */
		return;
	}
	if (old)
		replace_block(l, *old, fields->kind == XPT_KIND_GRAPH, end);
	i = take_slot(l, end);
	if (i == NIL)
		return;
	at = xpt_contexts__where(l->contexts, c->proc, c->tid);
	l->pool[i] = *fields;
	l->pool[i].proc = c->proc;
	l->pool[i].addr = key->addr;
	l->pool[i].space = (uint8_t)key->space;
	l->pool[i].open_ns = end;
	l->pool[i].context = at.context;
	l->pool[i].device = at.device;
	l->pool[i].prev = NIL;
	l->pool[i].next = NIL;
	link_block(l, key, i);
}

static void open_block(struct xpt_ledger *l, const struct xpt_call *c, const struct key *key)
{
	struct xpt_block b = { .fn = c->fn, .call_ns = c->dur_ns, .kind = (uint8_t)kind_of(c->fn),
			       .stack = c->stack };

	xpt_call__bytes(c, &b.bytes);
	enter_block(l, c, key, &b);
}

/* Notes the call around the one that opened a block: the function that the program itself
 * called. */
static void adopt_block(struct xpt_ledger *l, const struct xpt_call *c, const struct key *key)
{
	const uint32_t *slot = xpt_hashmap__find(l->map, key);
	struct xpt_block *b = slot ? &l->pool[*slot] : NULL;

	if (!b || b->open_ns < c->start_ns || b->open_ns > xpt_call__end_ns(c))
		return;
	b->outer = c->fn;
	if (c->stack)
		b->stack = c->stack;
	b->call_ns = c->dur_ns;
}

/* A free for which no block is open: the address of its block was handed out again before the free
 * returned (the block waits in `reused`), or the block is not known. */
static void settle_free(struct xpt_ledger *l, const struct xpt_call *c, const struct key *key)
{
	struct xpt_block b = { .proc = key->proc, .addr = key->addr,
			       .space = (uint8_t)key->space };
	const struct lproc *p;

	if (xpt_reused__take(l->reused, &b, c->start_ns, &b)) {
		TELL(l, settled, &b, c, c->start_ns);
		return;
	}
	if (xpt_reused__missed(l->reused, c->start_ns)) {
		l->missed++;
		return;
	}
	p = xpt_hashmap__find(l->procs, &c->proc);
	if (!(p && p->reset))
		TELL(l, unknown, c);
}

static void free_block(struct xpt_ledger *l, const struct xpt_call *c, const struct key *key)
{
	const uint32_t *slot = xpt_hashmap__find(l->map, key);

	if (slot && xpt_call__may_end(c, l->pool[*slot].open_ns))
		close_block(l, *slot, XPT_CLOSE_FREE, c, c->start_ns);
	else
		settle_free(l, c, key);
}

/*
 * A node of a launched graph frees what is open at its address, also what an earlier node of the same launch
 * allocated.
 */
static void free_node(struct xpt_ledger *l, const struct xpt_call *c, const struct key *key)
{
	const uint32_t *slot = xpt_hashmap__find(l->map, key);

	if (slot)
		close_block(l, *slot, XPT_CLOSE_FREE, c, xpt_call__end_ns(c));
	else
		settle_free(l, c, key);
}

/* c ended a context: closes the blocks that end with it. What CUDA's virtual memory calls (cuMemCreate, cuMemMap,
 * cuMemAddressReserve) made outlives contexts. */
static void reset_proc(struct xpt_ledger *l, const struct xpt_call *c)
{
	struct xpt_ending end = xpt_contexts__end(l->contexts, c);
	struct lproc *p = xpt_hashmap__find(l->procs, &c->proc);
	uint32_t i, next;

	if (!p)
		return;
	p->reset = true;
	for (i = p->head; i != NIL; i = next) {
		const struct xpt_block *b = &l->pool[i];
		struct xpt_place at = { b->context, b->device };

		next = b->next;
		if (b->kind != XPT_KIND_VMM && b->kind != XPT_KIND_MAPPING &&
		    b->kind != XPT_KIND_RESERVED && xpt_ending__takes(&end, at, b->open_ns))
			close_block(l, i, XPT_CLOSE_RESET, c, xpt_call__end_ns(c));
	}
}

/* A graph is launched: its nodes allocate and free, in the order in which they were added. */
static void run_nodes(struct xpt_ledger *l, const struct xpt_call *c)
{
	const struct xpt_graph_node *node;
	struct key key = { .proc = c->proc };
	size_t nr = 0;

	node = xpt_graph_nodes__of(l->nodes, c, &nr);
	for (size_t i = 0; i < nr; i++, node++) {
		struct xpt_block b = { .fn = node->fn, .outer = node->outer, .stack = node->stack,
				       .bytes = node->bytes, .kind = XPT_KIND_GRAPH };

		key.addr = node->addr;
		if (node->frees)
			free_node(l, c, &key);
		else
			enter_block(l, c, &key, &b);
	}
}

/* Applies the effects of a call on others than the block that it may open or close itself: on contexts and
 * nodes of graphs. Returns true if nothing is left to do. */
static bool apply_side_effects(struct xpt_ledger *l, const struct xpt_call *c)
{
	switch (c->fn->cls) {
	case XPT_CLASS_INIT:
	case XPT_CLASS_MODIFY:
		xpt_contexts__call(l->contexts, c);
		break;
	case XPT_CLASS_RESET:
		if (xpt_call__counts(c))
			reset_proc(l, c);
		return true;
	case XPT_CLASS_LAUNCH:
		if (xpt_call__counts(c))
			run_nodes(l, c);
		return true;
	default:
		break;
	}
	if (!xpt_graph_nodes__call(l->nodes, c))
		l->dropped++;
	return c->fn->cls == XPT_CLASS_INIT || c->fn->cls == XPT_CLASS_MODIFY;
}

/*
 * Notes in the block that c frees when c began, as long as c has not returned. freeing_ns 0: c is over, the note
 * goes.
 */
static void begin_free(struct xpt_ledger *l, const struct xpt_call *c, uint64_t freeing_ns)
{
	struct xpt_block at, *b;
	const uint32_t *slot;
	struct key key;

	if (!xpt_call__counts(c) || !key_of(c, &key))
		return;
	slot = xpt_hashmap__find(l->map, &key);
	b = slot ? &l->pool[*slot] : NULL;
	if (!b || !xpt_call__may_end(c, b->open_ns)) {
		at = (struct xpt_block){ .proc = key.proc, .addr = key.addr,
					 .space = (uint8_t)key.space };
		b = xpt_reused__find(l->reused, &at, c->start_ns);
	}
	if (b && (freeing_ns || b->freeing_ns == c->start_ns))
		b->freeing_ns = freeing_ns;
}

void xpt_ledger__inflight(struct xpt_ledger *l, const struct xpt_call *c)
{
	if (is_free(c->fn))
		begin_free(l, c, c->start_ns);
}

bool xpt_ledger__is_changed_by(const struct xpt_fn *fn)
{
	switch (fn->cls) {
	case XPT_CLASS_ALLOC:
	case XPT_CLASS_FREE:
	case XPT_CLASS_REGISTER:
	case XPT_CLASS_DEREGISTER:
	case XPT_CLASS_RESET:
		return true;
	case XPT_CLASS_LAUNCH:		/* nodes of a graph allocate and free */
		return fn->role_idx[XPT_ROLE_GRAPH] >= 0;
	default:
		return fn->kind == XPT_KIND_GRAPH;
	}
}

bool xpt_ledger__takes(const struct xpt_fn *fn)
{
	return fn->cls == XPT_CLASS_INIT || fn->cls == XPT_CLASS_MODIFY || xpt_ledger__is_changed_by(fn);
}

void xpt_ledger__call(struct xpt_ledger *l, const struct xpt_call *c)
{
	unsigned cls = c->fn->cls;
	bool opens = cls == XPT_CLASS_ALLOC || cls == XPT_CLASS_REGISTER;
	bool closes = is_free(c->fn);
	struct key key;

	if (c->failed || (c->flags & XPT_CALL_FAILED)) {
		if (closes)
			begin_free(l, c, 0);	/* an attempt that is over */
		return;
	}
	if (apply_side_effects(l, c))
		return;
	if (!(opens || closes) || !key_of(c, &key))
		return;
	if (opens && !xpt_call__counts(c))
		adopt_block(l, c, &key);
	else if (opens)
		open_block(l, c, &key);
	else if (xpt_call__counts(c))
		free_block(l, c, &key);
}

static void close_list(struct xpt_ledger *l, uint32_t i, enum xpt_close why, uint64_t ts_ns)
{
	uint32_t next;

	for (; i != NIL; i = next) {
		uint64_t begun = l->pool[i].freeing_ns;
		bool freed = begun && why == XPT_CLOSE_END;

		next = l->pool[i].next;
		close_block(l, i, freed ? XPT_CLOSE_FREE : why, NULL, freed ? begun : ts_ns);
	}
}

void xpt_ledger__gone(struct xpt_ledger *l, const struct xpt_proc *proc, enum xpt_close why,
		      uint64_t ts_ns)
{
	const struct lproc *p = xpt_hashmap__find(l->procs, &proc);

	xpt_reused__give_up(l->reused, proc);
	if (p)
		close_list(l, p->head, why, ts_ns);
	xpt_hashmap__del(l->procs, &proc);
	xpt_contexts__gone(l->contexts, proc);
	xpt_graph_nodes__gone(l->nodes, proc);
}

void xpt_ledger__forget(struct xpt_ledger *l, uint64_t ts_ns)
{
	const void *key;
	size_t pos = 0;
	void *val;

	while (xpt_hashmap__next(l->procs, &pos, &key, &val)) {
		const struct xpt_proc *proc = *(const struct xpt_proc *const *)key;

		if (proc->forgotten)
			xpt_ledger__gone(l, proc, XPT_CLOSE_EXIT, ts_ns);
	}
	xpt_contexts__forget(l->contexts);
	xpt_graph_nodes__forget(l->nodes);
}

void xpt_ledger__end(struct xpt_ledger *l, uint64_t ts_ns)
{
	const void *key;
	size_t pos = 0;
	void *val;

	xpt_reused__give_up(l->reused, NULL);
	while (xpt_hashmap__next(l->procs, &pos, &key, &val))
		close_list(l, ((struct lproc *)val)->head, XPT_CLOSE_END, ts_ns);
	xpt_hashmap__clear(l->procs);
}
