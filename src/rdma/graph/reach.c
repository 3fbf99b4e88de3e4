// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See reach.h: breadth first, once for each caller that somebody asks about. */
#include "rdma/graph/reach.h"

#include <stdlib.h>

struct below {
	bool is_open;		/* an indirect call whose targets are not known */
	uint8_t fns[];		/* a bit for each function */
};

struct xpt_rdma_reach {
	const struct xpt_rdma_graph *g;
	uint32_t *queue;
	struct below *below[];	/* by caller; NULL: not asked yet */
};

struct xpt_rdma_reach *xpt_rdma_reach__new(const struct xpt_rdma_graph *g)
{
	struct xpt_rdma_reach *r = calloc(1, sizeof(*r) + g->nr_fns * sizeof(*r->below));

	if (!r)
		return NULL;
	r->g = g;
	r->queue = calloc((size_t)g->nr_fns + 1, sizeof(*r->queue));
	if (!r->queue) {
		xpt_rdma_reach__free(r);
		return NULL;
	}
	return r;
}

void xpt_rdma_reach__free(struct xpt_rdma_reach *r)
{
	uint32_t i;

	if (!r)
		return;
	for (i = 0; i < r->g->nr_fns; i++)
		free(r->below[i]);
	free(r->queue);
	free(r);
}

static bool has_open_site(const struct xpt_rdma_graph *g, const struct xpt_rdma_fn *f)
{
	uint32_t i;

	for (i = 0; i < f->nr_sites; i++)
		if (g->sites[f->first_site + i].resolution == XPT_RDMA_UNRESOLVED ||
		    g->sites[f->first_site + i].resolution >= XPT_RDMA_BY_PROTO)	/* likely is not sure */
			return true;
	return false;
}

static bool has_fn(const struct below *b, uint32_t fn)
{
	return b->fns[fn / 8] & 1 << fn % 8;
}

static struct below *find_below(struct xpt_rdma_reach *r, uint32_t caller)
{
	struct below *b = calloc(1, sizeof(*b) + r->g->nr_fns / 8 + 1);
	uint32_t head = 0, tail = 0, i;

	if (!b)
		return NULL;
	r->queue[tail++] = caller;
	b->fns[caller / 8] |= (uint8_t)(1 << caller % 8);
	while (head < tail) {
		const struct xpt_rdma_fn *f = &r->g->fns[r->queue[head++]];

		b->is_open |= has_open_site(r->g, f);
		for (i = 0; i < f->nr_calls; i++) {
			uint32_t next = r->g->calls[f->first_call + i].callee;

			if (has_fn(b, next))
				continue;
			b->fns[next / 8] |= (uint8_t)(1 << next % 8);
			r->queue[tail++] = next;
		}
	}
	return b;
}

enum xpt_rdma_may xpt_rdma_reach__may(struct xpt_rdma_reach *r, uint32_t caller, uint32_t callee)
{
	if (!r || caller >= r->g->nr_fns || callee >= r->g->nr_fns)
		return XPT_RDMA_MAY_UNKNOWN;
	if (!r->below[caller])
		r->below[caller] = find_below(r, caller);
	if (!r->below[caller])
		return XPT_RDMA_MAY_UNKNOWN;
	if (has_fn(r->below[caller], callee))
		return XPT_RDMA_MAY;
	return r->below[caller]->is_open ? XPT_RDMA_MAY_UNKNOWN : XPT_RDMA_MAY_NOT;
}
