// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See rebuild.h. Functions that have returned and have no caller yet are a stack; a return takes from its top the
 * functions below it. So each is taken once, and the result is a tree even if every place is a lie.
 */
#include "rdma/trace/rebuild.h"

#include <stdlib.h>
#include <string.h>

#include "rdma/graph/graph.h"

/* Trampolines and kretprobes see a place differently by at most one word. */
#define SLACK 8
#define NONE UINT16_MAX

struct tree {
	const struct xpt_wire_rdma_exit *e;
	const struct xpt_rdma_code_facts *facts;
	uint32_t n, nr_open;
	uint32_t fn[XPT_RDMA_EXITS];	/* in the call graph */
	uint32_t owner[XPT_RDMA_EXITS];	/* whose code called it */
	uint16_t first[XPT_RDMA_EXITS];	/* child; NONE */
	uint16_t next[XPT_RDMA_EXITS];	/* sibling */
	uint16_t open[XPT_RDMA_EXITS];	/* without a caller yet */
};

static int call_distance(const struct tree *t, uint32_t callee, uint32_t caller)
{
	return (int)t->e[caller].place - (int)t->e[callee].place;
}

/*
 * Two returns at one place: either two calls, one after the other, or the caller went on
 * with a jump to the callee. In the second case both have the same return address, or the
 * callee has that of the caller's probe, which is nobody's code.
 */
static bool is_jump(const struct tree *t, uint32_t callee, uint32_t caller)
{
	const struct xpt_rdma_code_facts *f = t->facts;

	if (!f || t->fn[caller] == t->fn[callee])
		return false;
	if (t->owner[callee] == XPT_RDMA_NONE || t->owner[caller] == XPT_RDMA_NONE)
		return f->calls(f->ctx, t->fn[caller], t->fn[callee]);
	return t->e[callee].from == t->e[caller].from &&
	       f->reaches(f->ctx, t->fn[caller], t->fn[callee]) != XPT_RDMA_MAY_NOT;
}

/*
 * Whether a callee that lies below `caller` in the stack was called by a function that
 * returned later. The function that it returned to is decisive where that is watched; where
 * it is not, the call graph tells who may have come to it.
 */
static bool is_of_a_later_one(const struct tree *t, uint32_t callee, uint32_t caller)
{
	const struct xpt_rdma_code_facts *f = t->facts;
	uint32_t owner = t->owner[callee], i;

	if (!f || owner == XPT_RDMA_NONE || owner == t->fn[caller])
		return false;
	for (i = caller + 1; i < t->n; i++)
		if (t->fn[i] == owner && call_distance(t, callee, i) > 0)
			return true;
	if (f->reaches(f->ctx, t->fn[caller], owner) != XPT_RDMA_MAY_NOT)
		return false;
	for (i = caller + 1; i < t->n; i++)
		if (call_distance(t, callee, i) > SLACK &&
		    f->reaches(f->ctx, t->fn[i], owner) == XPT_RDMA_MAY)
			return true;
	return false;
}

static bool may_adopt(const struct tree *t, uint32_t caller, uint32_t callee)
{
	int above = call_distance(t, callee, caller);

	/* A function without a frame of its own has its callee's return address in the next word. */
	if (above > 0 && t->facts && t->owner[callee] != XPT_RDMA_NONE && t->owner[callee] == t->fn[caller])
		return true;
	if (abs(above) <= SLACK)
		return is_jump(t, callee, caller);
	return above > 0 && !is_of_a_later_one(t, callee, caller);
}

static void ask_facts(struct tree *t)
{
	const struct xpt_rdma_code_facts *f = t->facts;
	uint32_t i;

	for (i = 0; f && i < t->n; i++) {
		t->fn[i] = f->function(f->ctx, t->e[i].fn);
		t->owner[i] = t->e[i].from ? f->owner(f->ctx, t->e[i].from) : XPT_RDMA_NONE;
		/* Some kernels leave the function's own address in a kretprobe's registers. */
		if (t->owner[i] == t->fn[i])
			t->owner[i] = XPT_RDMA_NONE;
	}
}

static void grow_tree(struct tree *t)
{
	uint32_t i;

	for (i = 0; i < t->n; i++) {
		uint16_t first = NONE;

		while (t->nr_open) {
			uint16_t top = t->open[t->nr_open - 1];

			if (i + 1 < t->n && !may_adopt(t, i, top))
				break;
			t->next[top] = first;
			first = top;
			t->nr_open--;
		}
		t->first[i] = first;
		t->next[i] = NONE;
		t->open[t->nr_open++] = (uint16_t)i;
	}
}

void xpt_rdma_rebuild(const struct xpt_wire_rdma_exit *e, uint32_t n,
		      const struct xpt_rdma_code_facts *facts, uint16_t *ret_order,
		      uint16_t *ret_depth)
{
	struct tree t = { .e = e, .facts = facts, .n = n };
	uint16_t stack[XPT_RDMA_EXITS], depth = 0;
	uint32_t out = 0;
	uint16_t at;

	if (!n || n > XPT_RDMA_EXITS)
		return;
	ask_facts(&t);
	grow_tree(&t);
	at = (uint16_t)(n - 1);
	for (;;) {
		ret_order[out] = at;
		ret_depth[out++] = depth;
		if (t.first[at] != NONE) {
			stack[depth++] = at;
			at = t.first[at];
			continue;
		}
		while (depth && t.next[at] == NONE)
			at = stack[--depth];
		if (!depth)
			return;
		at = t.next[at];
	}
}

/* In order of time: of those that the ring has and those that erred the earlier one first. */
static uint32_t merge_rings(const struct xpt_wire_rdma_exit *ring, uint32_t oldest, uint32_t in_ring,
			    const struct xpt_wire_rdma_exit *erred, uint32_t nr_erred,
			    struct xpt_wire_rdma_exit *ret_e)
{
	uint32_t n = 0, i = 0, k = 0;

	while (i < in_ring || k < nr_erred) {
		const struct xpt_wire_rdma_exit *r = &ring[(oldest + i) % XPT_RDMA_LAST];
		bool is_erred = i == in_ring || (k < nr_erred && erred[k].nr < r->nr);

		ret_e[n++] = is_erred ? erred[k] : *r;
		k += is_erred;
		i += !is_erred;
	}
	return n;
}

uint32_t xpt_rdma_exits(const struct xpt_wire_rdma_rec *r, struct xpt_wire_rdma_exit *ret_e,
			uint32_t *ret_missing)
{
	uint32_t first = r->nr < XPT_RDMA_FIRST ? r->nr : XPT_RDMA_FIRST, more = r->nr - first;
	uint32_t erred = r->nr_erred < XPT_RDMA_ERRED ? r->nr_erred : XPT_RDMA_ERRED, in_ring;

	if (erred > more)
		erred = more;
	more -= erred;
	in_ring = more < XPT_RDMA_LAST ? more : XPT_RDMA_LAST;
	*ret_missing = more - in_ring;
	memcpy(ret_e, r->exit, first * sizeof(*ret_e));
	return first + merge_rings(&r->exit[XPT_RDMA_FIRST], *ret_missing ? more % XPT_RDMA_LAST : 0, in_ring,
				   &r->exit[XPT_RDMA_FIRST + XPT_RDMA_LAST], erred, &ret_e[first]);
}
