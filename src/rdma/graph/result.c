// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See result.h. All ways from the call are followed, up to a few hundred instructions. */
#include "rdma/graph/result.h"

#define RAX (1u << XPT_REG_RAX)
#define MAX_WAYS 64u
#define MAX_STEPS 512u

struct ways {
	const struct xpt_flow *f;
	uint32_t steps, nr_ways, nr_begun;
	uint32_t way[MAX_WAYS];	/* where ways begin that were not followed yet */
	uint32_t begun[MAX_WAYS];
	bool returns_void;
};

static uint32_t find_insn(const struct ways *w, uint64_t offset)
{
	uint32_t low = 0, high = w->f->nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (w->f->insns[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < w->f->nr && w->f->insns[low].offset == offset ? low : w->f->nr;
}

/* False: it leads out of the instructions, or there are too many. */
static bool add_way(struct ways *w, uint32_t at)
{
	uint32_t i;

	for (i = 0; i < w->nr_begun; i++)
		if (w->begun[i] == at)
			return true;
	if (at >= w->f->nr || w->nr_begun == MAX_WAYS)
		return false;
	w->begun[w->nr_begun++] = at;
	w->way[w->nr_ways++] = at;
	return true;
}

enum step { GO_ON, IS_READ, IS_OVER };

/* Returns the effect on the register of an instruction that leads elsewhere. */
static enum step step_of_transfer(struct ways *w, uint32_t at)
{
	const struct xpt_code_insn *i = &w->f->insns[at];
	bool jumps = i->op == XPT_CODE_JUMP || i->op == XPT_CODE_BRANCH;

	switch (w->f->calls[at].to) {
	case XPT_TO_CALLER:
		return w->returns_void ? IS_OVER : IS_READ;
	case XPT_TO_SELF:
		if (!add_way(w, find_insn(w, i->target)))
			return IS_READ;
		return i->op == XPT_CODE_BRANCH ? GO_ON : IS_OVER;
	case XPT_TO_FUNCTION:	/* arguments are elsewhere, and the result is the callee's */
		return i->op == XPT_CODE_BRANCH ? GO_ON : IS_OVER;
	case XPT_TO_POINTER:
		return i->reads & RAX || w->f->calls[at].reg == XPT_REG_RAX ? IS_READ : IS_OVER;
	default:
		return jumps ? IS_READ : GO_ON;
	}
}

static enum step step_of(struct ways *w, uint32_t at)
{
	const struct xpt_code_insn *i = &w->f->insns[at];

	if (i->op >= XPT_CODE_CALL)
		return step_of_transfer(w, at);
	return i->reads & RAX ? IS_READ : i->clobbers & RAX ? IS_OVER : GO_ON;
}

/* Follows one way until the register is read or written; branches become further ways. */
static bool is_read_on(struct ways *w, uint32_t at)
{
	enum step step = GO_ON;

	for (; step == GO_ON && at < w->f->nr && w->steps < MAX_STEPS; at++, w->steps++)
		step = step_of(w, at);
	return step != IS_OVER;
}

bool xpt_rdma_result__is_read(const struct xpt_flow *f, uint32_t call, bool returns_void)
{
	struct ways w = { .f = f, .returns_void = returns_void };

	if (!add_way(&w, call + 1))
		return true;
	while (w.nr_ways)
		if (is_read_on(&w, w.way[--w.nr_ways]))
			return true;
	return false;
}

/*
 * Follows a way on which nothing was written yet: does it come to the end so? Callees leave their result, and a
 * callee that has none leaves anything.
 */
static bool stays_unset(struct ways *w, uint32_t at, xpt_rdma_is_void is_void, void *ctx)
{
	for (; at < w->f->nr && w->steps < MAX_STEPS; at++, w->steps++) {
		const struct xpt_code_insn *i = &w->f->insns[at];
		const struct xpt_flow_call *c = &w->f->calls[at];

		if (c->to == XPT_TO_CALLER)
			return true;
		if (c->to == XPT_TO_SELF)	/* one that is known, or too many: nobody knows */
			add_way(w, find_insn(w, i->target));
		else if (c->to == XPT_TO_FUNCTION && i->op != XPT_CODE_BRANCH)
			return i->op == XPT_CODE_JUMP && is_void(ctx, c->fn);
		else if (c->to == XPT_TO_POINTER)
			return false;
		if (i->op == XPT_CODE_JUMP || (i->op < XPT_CODE_CALL && i->clobbers & RAX))
			return false;
	}
	return false;
}

bool xpt_rdma_result__is_unset(const struct xpt_flow *f, xpt_rdma_is_void is_void, void *ctx)
{
	struct ways w = { .f = f };
	uint32_t i;

	add_way(&w, 0);
	for (i = 0; i < f->nr; i++)
		if (f->insns[i].op == XPT_CODE_CALL && f->calls[i].to == XPT_TO_FUNCTION &&
		    is_void(ctx, f->calls[i].fn))
			add_way(&w, i + 1);
	while (w.nr_ways)
		if (stays_unset(&w, w.way[--w.nr_ways], is_void, ctx))
			return true;
	return false;
}
