/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Blocks that wait for their free, see reused.h. They lie in a ring in the
 * order in which they came; those of one address are a list, youngest first,
 * that a hash map finds.
 */
#include "model/memory/reused.h"

#include <errno.h>
#include <stdlib.h>
#include "base/hashmap.h"

#define NIL UINT32_MAX

struct key {
	const struct xpt_proc *proc;
	uint64_t addr, space;
};

struct waiting {
	struct xpt_block b;	/* prev: the next younger one of the address; next: the next older */
	uint64_t gone_ns;
	bool used;
};

struct xpt_reused {
	void (*given_up)(void *ctx, const struct xpt_block *b, uint64_t gone_ns);
	void *ctx;
	struct waiting *ring;		/* XPT_REUSED_MAX of them, once one was needed */
	uint64_t first, end;		/* first <= number < end may be in use */
	uint64_t missed_ns;		/* newest gone_ns of the blocks given up too early */
	struct xpt_hashmap *heads;	/* struct key -> uint32_t, the youngest */
};

int xpt_reused__new(void (*given_up)(void *ctx, const struct xpt_block *b, uint64_t gone_ns),
		    void *ctx, struct xpt_reused **ret_r)
{
	struct xpt_reused *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->given_up = given_up;
	r->ctx = ctx;
	if (xpt_hashmap__new(sizeof(struct key), sizeof(uint32_t), XPT_REUSED_MAX, &r->heads)) {
		free(r);
		return -ENOMEM;
	}
	*ret_r = r;
	return 0;
}

void xpt_reused__free(struct xpt_reused *r)
{
	if (!r)
		return;
	xpt_hashmap__free(r->heads);
	free(r->ring);
	free(r);
}

static struct key key_of(const struct xpt_block *b)
{
	return (struct key){ .proc = b->proc, .addr = b->addr, .space = b->space };
}

static void unlink_at(struct xpt_reused *r, uint32_t i)
{
	struct xpt_block *b = &r->ring[i].b;
	struct key key = key_of(b);
	uint32_t *head = xpt_hashmap__find(r->heads, &key);

	if (b->next != NIL)
		r->ring[b->next].b.prev = b->prev;
	if (b->prev != NIL)
		r->ring[b->prev].b.next = b->next;
	else if (b->next != NIL && head)
		*head = b->next;
	else
		xpt_hashmap__del(r->heads, &key);
	r->ring[i].used = false;
}

static void give_up_at(struct xpt_reused *r, uint32_t i)
{
	struct waiting w = r->ring[i];

	unlink_at(r, i);
	r->given_up(r->ctx, &w.b, w.gone_ns);
}

/* Room for one more: the oldest go, and those that have waited long enough. */
static void make_room(struct xpt_reused *r, uint64_t now_ns)
{
	for (; r->first < r->end; r->first++) {
		uint32_t i = (uint32_t)(r->first % XPT_REUSED_MAX);
		const struct waiting *w = &r->ring[i];

		if (!w->used)
			continue;
		if (r->end - r->first < XPT_REUSED_MAX &&
		    w->gone_ns + XPT_REUSED_WAIT_NS > now_ns)
			break;
		if (w->gone_ns > r->missed_ns)
			r->missed_ns = w->gone_ns;
		give_up_at(r, i);
	}
}

void xpt_reused__add(struct xpt_reused *r, const struct xpt_block *b, uint64_t gone_ns)
{
	struct key key = key_of(b);
	uint32_t *head, i;
	bool is_new;

	if (!r->ring)
		r->ring = calloc(XPT_REUSED_MAX, sizeof(*r->ring));
	if (r->ring)
		make_room(r, gone_ns);
	head = r->ring ? xpt_hashmap__get(r->heads, &key, &is_new) : NULL;
	if (!head) {
		r->missed_ns = gone_ns > r->missed_ns ? gone_ns : r->missed_ns;
		r->given_up(r->ctx, b, gone_ns);
		return;
	}
	i = (uint32_t)(r->end++ % XPT_REUSED_MAX);
	r->ring[i] = (struct waiting){ .b = *b, .gone_ns = gone_ns, .used = true };
	r->ring[i].b.prev = NIL;
	r->ring[i].b.next = is_new ? NIL : *head;
	if (!is_new)
		r->ring[*head].b.prev = i;
	*head = i;
}

static uint32_t find_at(const struct xpt_reused *r, const struct xpt_block *addr, uint64_t start_ns)
{
	struct key key = key_of(addr);
	const uint32_t *head = r->ring ? xpt_hashmap__find(r->heads, &key) : NULL;
	uint32_t i = head ? *head : NIL;

	while (i != NIL && r->ring[i].b.open_ns > start_ns)
		i = r->ring[i].b.next;
	return i;
}

struct xpt_block *xpt_reused__find(const struct xpt_reused *r, const struct xpt_block *addr,
				   uint64_t start_ns)
{
	uint32_t i = find_at(r, addr, start_ns);

	return i == NIL ? NULL : &r->ring[i].b;
}

bool xpt_reused__take(struct xpt_reused *r, const struct xpt_block *addr, uint64_t start_ns,
		      struct xpt_block *ret_b)
{
	uint32_t i = find_at(r, addr, start_ns);

	if (i == NIL)
		return false;
	*ret_b = r->ring[i].b;
	unlink_at(r, i);
	return true;
}

bool xpt_reused__missed(const struct xpt_reused *r, uint64_t start_ns)
{
	return start_ns < r->missed_ns;
}

void xpt_reused__give_up(struct xpt_reused *r, const struct xpt_proc *proc)
{
	for (uint64_t n = r->first; n < r->end; n++) {
		uint32_t i = (uint32_t)(n % XPT_REUSED_MAX);

		if (r->ring[i].used && (!proc || r->ring[i].b.proc == proc))
			give_up_at(r, i);
	}
	if (!xpt_hashmap__len(r->heads))
		r->first = r->end;
}
