/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pinned ranges: for each process an array sorted by address, searched by
 * halving. Ranges do not overlap; a range with the start of an older one
 * replaces it. Programs pin a few buffers and keep them.
 */
#include "model/memory/pinned.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/hashmap.h"
#include "model/call.h"
#include "model/forget.h"

#define MAX_PROCS 1024
#define MAX_RANGES 16384	/* of one process */

struct range {
	uint64_t start, bytes;
	uint64_t since_ns;	/* when the call that made it returned */
};

struct ranges {
	struct range *range;	/* by start */
	size_t nr, cap;
};

struct xpt_pinned {
	struct xpt_hashmap *procs;	/* proc pointer -> struct ranges */
	uint64_t dropped;
};

int xpt_pinned__new(struct xpt_pinned **ret_p)
{
	struct xpt_pinned *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	if (xpt_hashmap__new(sizeof(void *), sizeof(struct ranges), MAX_PROCS, &p->procs)) {
		free(p);
		return -ENOMEM;
	}
	*ret_p = p;
	return 0;
}

void xpt_pinned__free(struct xpt_pinned *p)
{
	const void *key;
	size_t pos = 0;
	void *val;

	if (!p)
		return;
	while (xpt_hashmap__next(p->procs, &pos, &key, &val))
		free(((struct ranges *)val)->range);
	xpt_hashmap__free(p->procs);
	free(p);
}

uint64_t xpt_pinned__dropped(const struct xpt_pinned *p)
{
	return p->dropped;
}

/* Index of the first range that starts above addr. */
static size_t first_above(const struct ranges *r, uint64_t addr)
{
	size_t lo = 0, hi = r->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->range[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool grow_ranges(struct ranges *r)
{
	size_t cap = r->cap ? 2 * r->cap : 16;
	struct range *more;

	if (r->nr < r->cap)
		return true;
	more = r->cap < MAX_RANGES ? realloc(r->range, cap * sizeof(*more)) : NULL;
	if (!more)
		return false;
	r->range = more;
	r->cap = cap;
	return true;
}

static void enter_range(struct xpt_pinned *p, const struct xpt_call *c, uint64_t start, uint64_t bytes)
{
	struct ranges *r = xpt_hashmap__get(p->procs, &c->proc, NULL);
	struct range new = { start, bytes, xpt_call__end_ns(c) };
	size_t i = r ? first_above(r, start) : 0;

	if (r && i && r->range[i - 1].start == start) {
		r->range[i - 1] = new;
		return;
	}
	if (!r || !grow_ranges(r)) {
		p->dropped++;
		return;
	}
	memmove(r->range + i + 1, r->range + i, (r->nr - i) * sizeof(*r->range));
	r->range[i] = new;
	r->nr++;
}

static void leave_range(struct xpt_pinned *p, const struct xpt_call *c, uint64_t start)
{
	struct ranges *r = xpt_hashmap__find(p->procs, &c->proc);
	size_t i = r ? first_above(r, start) : 0;

	if (!i || r->range[i - 1].start != start || !xpt_call__may_end(c, r->range[i - 1].since_ns))
		return;
	memmove(r->range + i - 1, r->range + i, (r->nr - i) * sizeof(*r->range));
	r->nr--;
}

void xpt_pinned__call(struct xpt_pinned *p, const struct xpt_call *c)
{
	unsigned cls = c->fn->cls, kind = c->fn->kind;
	uint64_t addr, bytes;

	if (c->failed || (cls != XPT_CLASS_ALLOC && cls != XPT_CLASS_REGISTER &&
			  cls != XPT_CLASS_FREE && cls != XPT_CLASS_DEREGISTER))
		return;
	if (!xpt_call__role(c, XPT_ROLE_ADDR, &addr))
		return;
	if (cls == XPT_CLASS_FREE || cls == XPT_CLASS_DEREGISTER)
		leave_range(p, c, addr);
	else if ((kind == XPT_KIND_HOST || kind == XPT_KIND_REGISTERED ||
		  kind == XPT_KIND_MANAGED) && xpt_call__bytes(c, &bytes))
		enter_range(p, c, addr, bytes);
}

void xpt_pinned__gone(struct xpt_pinned *p, const struct xpt_proc *proc)
{
	struct ranges *r = xpt_hashmap__find(p->procs, &proc);

	if (!r)
		return;
	free(r->range);
	xpt_hashmap__del(p->procs, &proc);
}

static void free_ranges(void *ctx, void *val)
{
	(void)ctx;
	free(((struct ranges *)val)->range);
}

void xpt_pinned__forget(struct xpt_pinned *p)
{
	xpt_forget__map(p->procs, free_ranges, NULL);
}

bool xpt_pinned__has(const struct xpt_pinned *p, const struct xpt_proc *proc, uint64_t addr)
{
	const struct ranges *r = xpt_hashmap__find(p->procs, &proc);
	size_t i = r ? first_above(r, addr) : 0;

	return i && addr - r->range[i - 1].start < r->range[i - 1].bytes;
}
