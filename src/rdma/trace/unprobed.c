// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See unprobed.h: breadth first, for the nearest ones say most. */
#include "rdma/trace/unprobed.h"

#include "rdma/trace/trace.h"

enum { QUEUE = 32 };		/* functions without a probe that are looked into */

struct search {
	const struct xpt_rdma_watchlist *l;
	uint32_t nr_watched;		/* ids up to here have probes, unless they could not be attached */
	uint32_t queue[QUEUE], nr;
};

static bool is_watched(const struct search *s, uint32_t fn)
{
	uint32_t i;

	for (i = 0; i < s->nr_watched; i++)
		if (s->l->fn[i] == fn)
			return xpt_rdma_watchlist__is_probed(s->l, i + 1);
	return false;
}

static bool returns_errors(const struct xpt_rdma_fn *f)
{
	return f->ret == XPT_RDMA_RET_INT || f->ret == XPT_RDMA_RET_UNKNOWN || f->ret == XPT_RDMA_RET_LONG ||
	       f->ret == XPT_RDMA_RET_POINTER;
}

static bool makes_errno(const struct xpt_rdma_graph *g, const struct xpt_rdma_fn *f, int code)
{
	uint32_t i;

	for (i = 0; i < f->nr_errnos; i++)
		if (g->errnos[f->first_errno + i] == code)
			return true;
	return false;
}

static bool has_unknown_target(const struct xpt_rdma_graph *g, const struct xpt_rdma_fn *f)
{
	uint32_t i;

	for (i = 0; i < f->nr_sites; i++)
		if (g->sites[f->first_site + i].resolution == XPT_RDMA_UNRESOLVED)
			return true;
	return false;
}

/* Puts a callee in the queue, once, if an error may have come through it that no probe saw. */
static void add_callee(struct search *s, const struct xpt_rdma_call *c)
{
	const struct xpt_rdma_fn *f = &s->l->g->fns[c->callee];
	uint32_t i;

	if (c->unread || f->module == XPT_RDMA_KERNEL || !returns_errors(f) || s->nr == QUEUE)
		return;
	for (i = 0; i < s->nr; i++)
		if (s->queue[i] == c->callee)
			return;
	if (!is_watched(s, c->callee))
		s->queue[s->nr++] = c->callee;
}

uint32_t xpt_rdma_unprobed__find(const struct xpt_rdma_watchlist *l, bool is_deep, uint32_t fn, int code,
				 uint32_t *ret_v, uint32_t max)
{
	struct search s = { .l = l, .nr_watched = is_deep ? l->nr : l->nr_plain, .queue = { fn }, .nr = 1 };
	const struct xpt_rdma_graph *g = l->g;
	uint32_t i, k, found = 0;

	if (fn >= g->nr_fns)
		return 0;
	for (i = 0; i < s.nr && found < max; i++) {
		const struct xpt_rdma_fn *f = &g->fns[s.queue[i]];

		if (i && makes_errno(g, f, code))
			ret_v[found++] = s.queue[i];
		for (k = 0; k < f->nr_calls; k++)
			add_callee(&s, &g->calls[f->first_call + k]);
	}
	if (found < max && has_unknown_target(g, &g->fns[fn]))
		ret_v[found++] = XPT_RDMA_NONE;
	return found;
}
