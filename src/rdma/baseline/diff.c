// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See diff.h. A comparison only ever looks at places; times play no part in it. */
#include <stdio.h>
#include <string.h>

#include "rdma/baseline/diff.h"

struct walk {
	const struct xpt_rdma_tree *good;
	const struct xpt_rdma_trace *bad;
	struct xpt_rdma_diff *diff;
	struct xpt_rdma_place_in in[XPT_RDMA_TRACE_NODES];
	uint16_t at[XPT_RDMA_TRACE_NODES];	/* its place, or XPT_RDMA_TREE_NONE */
	bool passed[XPT_RDMA_TRACE_NODES];	/* passed over: good ones may have it unseen */
	bool lenient;
};

/* The first place of a function, wherever it ran; XPT_RDMA_TREE_NONE. */
static uint16_t find_anywhere(const struct xpt_rdma_tree *good, const char *fn)
{
	uint16_t i;

	for (i = 0; i < good->nr; i++)
		if (xpt_rdma_same_fn(good->node[i].fn, fn))
			return i;
	return XPT_RDMA_TREE_NONE;
}

/* Where there was no room for more results nobody knows that it was none of them. */
static bool may_have_had(const struct xpt_rdma_tree_node *node, int outcome)
{
	return node->nr_outcomes == XPT_RDMA_TREE_OUTCOMES || xpt_rdma_tree_node__had(node, outcome);
}

static bool had_anywhere(const struct xpt_rdma_tree *good, const char *fn, int outcome)
{
	uint16_t i;

	for (i = 0; i < good->nr; i++)
		if (xpt_rdma_same_fn(good->node[i].fn, fn) && may_have_had(&good->node[i], outcome))
			return true;
	return false;
}

/* Finds the place of the caller of node i, as far as it was not passed over; false: none is known. */
static bool find_caller(const struct walk *w, uint16_t i, uint16_t *ret_place)
{
	uint16_t up = w->in[i].parent;

	while (up != XPT_RDMA_NO_NODE && w->passed[up])
		up = w->in[up].parent;
	*ret_place = up == XPT_RDMA_NO_NODE ? XPT_RDMA_TREE_NONE : w->at[up];
	return up == XPT_RDMA_NO_NODE ? !i : w->at[up] != XPT_RDMA_TREE_NONE;
}

static bool has_failed(const struct xpt_rdma_node *node)
{
	return node->flags & XPT_RDMA_NODE_FAILED && !(node->flags & XPT_RDMA_NODE_EXPECTED);
}

static void find_places(struct walk *w)
{
	uint16_t i, above;

	xpt_rdma_plain_places(w->bad, w->in);
	for (i = 0; i < w->bad->nr; i++) {
		const struct xpt_rdma_node *node = &w->bad->node[i];
		bool known = find_anywhere(w->good, node->fn) != XPT_RDMA_TREE_NONE;

		w->at[i] = XPT_RDMA_TREE_NONE;
		w->passed[i] = node->flags & XPT_RDMA_NODE_BEYOND;
		if (w->passed[i])
			continue;
		w->passed[i] = i && w->lenient && !known && !has_failed(node);
		if (find_caller(w, i, &above))
			w->at[i] = xpt_rdma_tree__find(w->good, above, node->fn, w->in[i].occ);
		w->diff->all++;
		w->diff->known += known;
	}
}

/*
 * Does node i leave the way of good traces? A function that these have at other places, in
 * another run or below another caller, was called there as well: then only a result that it had at
 * none of them is new.
 */
static enum xpt_rdma_parted find_parting(const struct walk *w, uint16_t i)
{
	const struct xpt_rdma_node *node = &w->bad->node[i];
	int outcome = xpt_rdma_node__outcome(node);
	bool had;

	if (w->passed[i])
		return XPT_RDMA_NOT_PARTED;
	if (w->at[i] == XPT_RDMA_TREE_NONE && find_anywhere(w->good, node->fn) == XPT_RDMA_TREE_NONE)
		return w->good->left_out || xpt_rdma_tree__is_unwatched(w->good, node->fn) ? XPT_RDMA_NOT_PARTED :
		       XPT_RDMA_AT_CALL;
	had = w->at[i] == XPT_RDMA_TREE_NONE ? had_anywhere(w->good, node->fn, outcome) :
	      may_have_had(&w->good->node[w->at[i]], outcome);
	return had ? XPT_RDMA_NOT_PARTED : XPT_RDMA_AT_RESULT;
}

/*
 * In the order of returns: nodes below a node come before it. Of a call that did not fail nothing more is known
 * about where it went another way.
 */
static bool first_of(const struct walk *w, uint16_t i, uint16_t *ret_node)
{
	uint16_t k;

	/* Of a call that good ones do not make, the call itself explains more than its callees. */
	if (find_parting(w, i) == XPT_RDMA_AT_CALL) {
		*ret_node = i;
		return true;
	}
	for (k = (uint16_t)(i + 1); k <= w->in[i].last; k = (uint16_t)(w->in[k].last + 1))
		if (first_of(w, k, ret_node))
			return true;
	if (find_parting(w, i) == XPT_RDMA_NOT_PARTED)
		return false;
	*ret_node = i;
	return true;
}

/*
 * Of a call that failed only functions that handed its error on are meant: beside the error's way there is
 * rollback, and functions that run differently for other reasons. A function that called something new is above
 * that; else the first to return is taken.
 */
static bool first_on_way(const struct walk *w, const struct xpt_rdma_chain *chain, uint16_t *ret_node)
{
	unsigned i;

	for (i = 0; i < chain->nr; i++) {
		*ret_node = chain->node[i];
		if (find_parting(w, *ret_node) == XPT_RDMA_AT_CALL)
			return true;
	}
	for (i = chain->nr; i-- > 0;) {
		*ret_node = chain->node[i];
		if (find_parting(w, *ret_node) != XPT_RDMA_NOT_PARTED)
			return true;
	}
	*ret_node = XPT_RDMA_NO_NODE;
	return false;
}

static bool has_run(const struct xpt_rdma_trace *t, const char *fn)
{
	uint32_t i;

	for (i = 0; i < t->nr; i++)
		if (xpt_rdma_same_fn(t->node[i].fn, fn))
			return true;
	return false;
}

static bool may_have_run_unseen(const struct xpt_rdma_trace *t, const char *fn)
{
	uint32_t i;

	for (i = 0; i < t->nr_unwatched; i++)
		if (xpt_rdma_same_fn(t->unwatched[i], fn))
			return true;
	return false;
}

/* Functions that ran elsewhere in the bad call, as after a jump from another function, were reached. */
static void find_missing(struct walk *w)
{
	uint16_t at, i;
	unsigned depth = 0;

	for (at = 0; at != XPT_RDMA_TREE_NONE; at = xpt_rdma_tree__next(w->good, at, &depth)) {
		for (i = 0; i < w->bad->nr && w->at[i] != at; i++)
			;
		if (i < w->bad->nr || w->good->node[at].seen < w->good->traces ||
		    has_run(w->bad, w->good->node[at].fn) || may_have_run_unseen(w->bad, w->good->node[at].fn))
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
	d->other_driver = *key.driver && strcmp(good->key.driver, key.driver);
	d->other_shape = strcmp(good->key.shape, key.shape);
}

void xpt_rdma_diff__make(const struct xpt_rdma_tree *good, const struct xpt_rdma_trace *bad,
			 struct xpt_rdma_diff *ret_diff)
{
	struct walk w = { .good = good, .bad = bad, .diff = ret_diff };
	struct xpt_rdma_chain chain;
	bool found;

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
	if (!(bad->flags & (XPT_RDMA_TRACE_CUT | XPT_RDMA_TRACE_LOST)))	/* else nobody knows which functions were reached */
		find_missing(&w);
	xpt_rdma_chain__find(bad, &chain);
	found = xpt_rdma_is_errno(bad->ret) ? first_on_way(&w, &chain, &ret_diff->node) :
		first_of(&w, 0, &ret_diff->node);
	if (found) {
		ret_diff->parted = find_parting(&w, ret_diff->node);
		ret_diff->place = w.at[ret_diff->node] != XPT_RDMA_TREE_NONE ? w.at[ret_diff->node] :
				  find_anywhere(good, bad->node[ret_diff->node].fn);
	} else if (ret_diff->nr_missing) {
		ret_diff->parted = XPT_RDMA_AT_END;
	}
}
