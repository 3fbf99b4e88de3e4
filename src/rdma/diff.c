// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See diff.h. A comparison only ever looks at places; times play no part in it. */
#include <stdio.h>
#include <string.h>

#include "rdma/diff.h"

struct walk {
	const struct xpt_rdma_tree *good;
	const struct xpt_rdma_trace *bad;
	struct xpt_rdma_diff *diff;
	struct xpt_rdma_place_in in[XPT_RDMA_TRACE_NODES];
	uint16_t at[XPT_RDMA_TRACE_NODES];	/* its place, or XPT_RDMA_TREE_NONE */
	bool passed[XPT_RDMA_TRACE_NODES];	/* passed over: good ones may have it unseen */
	bool lenient;
};

static bool known_anywhere(const struct xpt_rdma_tree *good, const char *fn)
{
	uint32_t i;

	for (i = 0; i < good->nr; i++)
		if (xpt_rdma_same_fn(good->node[i].fn, fn))
			return true;
	return false;
}

/* The place of what called node i, as far as it was not passed over; false: none is known. */
static bool caller(const struct walk *w, uint16_t i, uint16_t *ret_place)
{
	uint16_t up = w->in[i].parent;

	while (up != XPT_RDMA_NO_NODE && w->passed[up])
		up = w->in[up].parent;
	*ret_place = up == XPT_RDMA_NO_NODE ? XPT_RDMA_TREE_NONE : w->at[up];
	return up == XPT_RDMA_NO_NODE ? !i : w->at[up] != XPT_RDMA_TREE_NONE;
}

static bool failed(const struct xpt_rdma_node *node)
{
	return node->flags & XPT_RDMA_NODE_FAILED && !(node->flags & XPT_RDMA_NODE_EXPECTED);
}

static void find_places(struct walk *w)
{
	uint16_t i, above;

	xpt_rdma_plain_places(w->bad, w->in);
	for (i = 0; i < w->bad->nr; i++) {
		const struct xpt_rdma_node *node = &w->bad->node[i];
		bool known = known_anywhere(w->good, node->fn);

		w->at[i] = XPT_RDMA_TREE_NONE;
		w->passed[i] = node->flags & XPT_RDMA_NODE_BEYOND;
		if (w->passed[i])
			continue;
		w->passed[i] = i && w->lenient && !known && !failed(node);
		if (caller(w, i, &above))
			w->at[i] = xpt_rdma_tree__find(w->good, above, node->fn, w->in[i].occ);
		w->diff->all++;
		w->diff->known += known;
	}
}

/* Does node i leave the way of good traces? */
static enum xpt_rdma_parted parts(const struct walk *w, uint16_t i)
{
	if (w->passed[i])
		return XPT_RDMA_NOT_PARTED;
	if (w->at[i] == XPT_RDMA_TREE_NONE)
		return XPT_RDMA_AT_CALL;
	return xpt_rdma_tree_node__had(&w->good->node[w->at[i]],
				       xpt_rdma_node__outcome(&w->bad->node[i])) ?
	       XPT_RDMA_NOT_PARTED : XPT_RDMA_AT_RESULT;
}

/* In the order of returns: what lies below a node comes before it. */
static bool first_of(const struct walk *w, uint16_t i, uint16_t *ret_node)
{
	uint16_t k;

	/* Of a call that good ones do not make, itself says more than what it called. */
	if (parts(w, i) == XPT_RDMA_AT_CALL) {
		*ret_node = i;
		return true;
	}
	for (k = (uint16_t)(i + 1); k <= w->in[i].last; k = (uint16_t)(w->in[k].last + 1))
		if (first_of(w, k, ret_node))
			return true;
	if (parts(w, i) == XPT_RDMA_NOT_PARTED)
		return false;
	*ret_node = i;
	return true;
}

static void find_missing(struct walk *w)
{
	uint16_t at, i;
	unsigned depth = 0;

	for (at = 0; at != XPT_RDMA_TREE_NONE; at = xpt_rdma_tree__next(w->good, at, &depth)) {
		for (i = 0; i < w->bad->nr && w->at[i] != at; i++)
			;
		if (i < w->bad->nr || w->good->node[at].seen < w->good->traces)
			continue;
		if (w->diff->nr_missing < XPT_RDMA_MISSING)
			w->diff->missing[w->diff->nr_missing] = at;
		w->diff->nr_missing++;
	}
}

static void compare_keys(const struct xpt_rdma_tree *good, const struct xpt_rdma_trace *bad,
			 struct xpt_rdma_diff *d)
{
	struct xpt_rdma_key key;

	xpt_rdma_key__of(bad, &key);
	d->other_kernel = strcmp(good->key.kernel, key.kernel);
	d->other_driver = strcmp(good->key.driver, key.driver);
	d->other_shape = strcmp(good->key.shape, key.shape);
}

void xpt_rdma_diff__make(const struct xpt_rdma_tree *good, const struct xpt_rdma_trace *bad,
			 struct xpt_rdma_diff *ret_diff)
{
	struct walk w = { .good = good, .bad = bad, .diff = ret_diff };

	*ret_diff = (struct xpt_rdma_diff){ .node = XPT_RDMA_NO_NODE, .place = XPT_RDMA_TREE_NONE };
	compare_keys(good, bad, ret_diff);
	if (!bad->nr || !good->nr || bad->nr > XPT_RDMA_TRACE_NODES) {
		ret_diff->parted = XPT_RDMA_STRANGER;
		return;
	}
	w.lenient = bad->flags & XPT_RDMA_TRACE_DEEP || ret_diff->other_kernel;
	find_places(&w);
	if (w.at[0] == XPT_RDMA_TREE_NONE || ret_diff->known * 2 < ret_diff->all) {
		ret_diff->parted = XPT_RDMA_STRANGER;
		return;
	}
	if (!(bad->flags & XPT_RDMA_TRACE_CUT))	/* else nobody knows what was reached */
		find_missing(&w);
	if (first_of(&w, 0, &ret_diff->node)) {
		ret_diff->parted = parts(&w, ret_diff->node);
		ret_diff->place = w.at[ret_diff->node];
	} else if (ret_diff->nr_missing) {
		ret_diff->parted = XPT_RDMA_AT_END;
	}
}
