// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See rebuild.h. What has returned and has no caller yet is a stack; a return
 * takes from its top what lies below it. So each is taken once, and the result
 * is a tree even if every place is a lie.
 */
#include "rdma/rebuild.h"

#include <string.h>

/* Trampolines and kretprobes see a place differently by at most one word. */
#define SLACK 8
#define NONE UINT16_MAX

struct tree {
	uint16_t first[XPT_RDMA_EXITS];	/* child; NONE */
	uint16_t next[XPT_RDMA_EXITS];	/* sibling */
	uint16_t open[XPT_RDMA_EXITS];	/* without a caller yet */
	uint32_t nr_open;
};

static bool is_below(const struct xpt_wire_rdma_exit *callee, const struct xpt_wire_rdma_exit *caller,
		     xpt_rdma_calls_fn calls, void *ctx)
{
	int diff = (int)caller->place - (int)callee->place;

	if (diff > SLACK || diff < -SLACK)
		return diff > 0;
	/* At one place: two calls of one function, or the second went on with a jump to the first. */
	return calls && calls(ctx, caller->fn, callee->fn);
}

static void grow(struct tree *t, const struct xpt_wire_rdma_exit *e, uint32_t n,
		 xpt_rdma_calls_fn calls, void *ctx)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		uint16_t first = NONE;

		while (t->nr_open) {
			uint16_t top = t->open[t->nr_open - 1];

			if (i + 1 < n && !is_below(&e[top], &e[i], calls, ctx))
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

void xpt_rdma_rebuild(const struct xpt_wire_rdma_exit *e, uint32_t n, xpt_rdma_calls_fn calls,
		      void *ctx, uint16_t *ret_order, uint16_t *ret_depth)
{
	uint16_t stack[XPT_RDMA_EXITS], depth = 0;
	struct tree t = { .nr_open = 0 };
	uint32_t out = 0;
	uint16_t at;

	if (!n || n > XPT_RDMA_EXITS)
		return;
	grow(&t, e, n, calls, ctx);
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

uint32_t xpt_rdma_exits(const struct xpt_wire_rdma_rec *r, struct xpt_wire_rdma_exit *ret_e,
			uint32_t *ret_missing)
{
	uint32_t n = r->nr, oldest, i;

	*ret_missing = n > XPT_RDMA_EXITS ? n - XPT_RDMA_EXITS : 0;
	if (n > XPT_RDMA_EXITS)
		n = XPT_RDMA_EXITS;
	memcpy(ret_e, r->exit, n * sizeof(*ret_e));
	if (!*ret_missing)
		return n;
	oldest = (r->nr - XPT_RDMA_FIRST) % XPT_RDMA_LAST;
	for (i = 0; i < XPT_RDMA_LAST; i++)
		ret_e[XPT_RDMA_FIRST + i] = r->exit[XPT_RDMA_FIRST + (oldest + i) % XPT_RDMA_LAST];
	return n;
}
