// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See tree.h. A new place goes after the one that the same trace was at before,
 * so that the children of a place stay in order of execution.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rdma/baseline/tree.h"

static void copy_name(char *to, size_t n, const char *s)
{
	snprintf(to, n, "%s", s ? s : "");
}

/* Without the suffix of the compiler. */
static void copy_fn(char *to, size_t n, const char *s)
{
	snprintf(to, n, "%.*s", (int)strcspn(s, "."), s);
}

void xpt_rdma_key__of(const struct xpt_rdma_trace *t, struct xpt_rdma_key *ret_key)
{
	memset(ret_key, 0, sizeof(*ret_key));
	copy_name(ret_key->method, sizeof(ret_key->method), t->method);
	copy_name(ret_key->object, sizeof(ret_key->object), t->object);
	copy_name(ret_key->shape, sizeof(ret_key->shape), t->shape);
	copy_name(ret_key->driver, sizeof(ret_key->driver), t->driver);
	copy_name(ret_key->kernel, sizeof(ret_key->kernel), t->kernel);
}

struct xpt_rdma_tree *xpt_rdma_tree__new(const struct xpt_rdma_key *key)
{
	struct xpt_rdma_tree *tree = calloc(1, sizeof(*tree));

	if (tree)
		tree->key = *key;
	return tree;
}

uint16_t xpt_rdma_tree__find(const struct xpt_rdma_tree *tree, uint16_t parent, const char *fn,
			     unsigned occ)
{
	uint16_t at, last = XPT_RDMA_TREE_NONE;

	at = parent == XPT_RDMA_TREE_NONE ? (tree->nr ? 0 : XPT_RDMA_TREE_NONE) :
		tree->node[parent].first_child;
	for (; at != XPT_RDMA_TREE_NONE; at = tree->node[at].next) {
		if (!xpt_rdma_same_fn(tree->node[at].fn, fn))
			continue;
		last = at;
		if (tree->node[at].occ == occ)
			break;
	}
	return last;
}

bool xpt_rdma_tree_node__had(const struct xpt_rdma_tree_node *node, int outcome)
{
	uint32_t i;

	for (i = 0; i < node->nr_outcomes; i++)
		if (node->outcome[i].value == outcome)
			return true;
	return false;
}

/* A new place below parent, after prev (or the first). */
static uint16_t insert_place(struct xpt_rdma_tree *tree, uint16_t parent, uint16_t prev,
			     const struct xpt_rdma_node *from, uint16_t occ)
{
	struct xpt_rdma_tree_node *node;
	uint16_t at = (uint16_t)tree->nr, *link;

	if (tree->nr == XPT_RDMA_TREE_NODES) {
		tree->left_out++;
		return XPT_RDMA_TREE_NONE;
	}
	node = &tree->node[tree->nr++];
	memset(node, 0, sizeof(*node));
	copy_fn(node->fn, sizeof(node->fn), from->fn);
	copy_name(node->module, sizeof(node->module), from->module);
	node->parent = parent;
	node->occ = occ;
	node->first_child = node->next = XPT_RDMA_TREE_NONE;
	if (parent == XPT_RDMA_TREE_NONE)
		return at;
	link = prev == XPT_RDMA_TREE_NONE ? &tree->node[parent].first_child :
		&tree->node[prev].next;
	node->next = *link;
	*link = at;
	return at;
}

static void count_outcome(struct xpt_rdma_tree *tree, struct xpt_rdma_tree_node *node, int outcome,
			  uint32_t times)
{
	uint32_t i;

	for (i = 0; i < node->nr_outcomes && node->outcome[i].value != outcome; i++)
		;
	if (i == XPT_RDMA_TREE_OUTCOMES) {
		tree->left_out += times;
		return;
	}
	node->outcome[i].value = outcome;
	node->outcome[i].times += times;
	if (i == node->nr_outcomes)
		node->nr_outcomes++;
}

static void time_of(struct xpt_rdma_tree_node *node, uint64_t exit_ns)
{
	if (!exit_ns)
		return;
	if (!node->exit_max || exit_ns < node->exit_min)
		node->exit_min = exit_ns;
	if (exit_ns > node->exit_max)
		node->exit_max = exit_ns;
}

/* The place of node i, whose parent and elder siblings have theirs. */
static uint16_t place_node(struct xpt_rdma_tree *tree, const struct xpt_rdma_trace *t,
			   const struct xpt_rdma_place_in *in, const uint16_t *at, uint16_t i)
{
	uint16_t parent, prev = XPT_RDMA_TREE_NONE, found, k;

	parent = in[i].parent == XPT_RDMA_NO_NODE ? XPT_RDMA_TREE_NONE : at[in[i].parent];
	if (parent == XPT_RDMA_TREE_NONE && i)
		return XPT_RDMA_TREE_NONE;
	found = xpt_rdma_tree__find(tree, parent, t->node[i].fn, in[i].occ);
	if (found != XPT_RDMA_TREE_NONE && tree->node[found].occ == in[i].occ)
		return found;
	if (!i && tree->nr)
		return XPT_RDMA_TREE_NONE;	/* another root than all before */
	for (k = i; k-- > 0;)
		if (in[k].parent == in[i].parent && at[k] != XPT_RDMA_TREE_NONE)
			break;
	if (k != UINT16_MAX && i)
		prev = at[k];
	return insert_place(tree, parent, prev, &t->node[i], in[i].occ);
}

bool xpt_rdma_tree__is_unwatched(const struct xpt_rdma_tree *tree, const char *fn)
{
	uint32_t i;

	for (i = 0; i < tree->nr_unwatched; i++)
		if (xpt_rdma_same_fn(tree->unwatched[i], fn))
			return true;
	return false;
}

void xpt_rdma_tree__note_unwatched(struct xpt_rdma_tree *tree, const char *fn)
{
	if (!*fn || xpt_rdma_tree__is_unwatched(tree, fn))
		return;
	if (tree->nr_unwatched == XPT_RDMA_TREE_UNWATCHED)
		tree->left_out++;
	else
		copy_fn(tree->unwatched[tree->nr_unwatched++], sizeof(tree->unwatched[0]), fn);
}

static void add_times(struct xpt_rdma_tree *tree, const struct xpt_rdma_trace *t)
{
	if (!tree->traces || t->dur_ns < tree->dur_min)
		tree->dur_min = t->dur_ns;
	if (t->dur_ns > tree->dur_max)
		tree->dur_max = t->dur_ns;
	tree->dur_sum += t->dur_ns;
	if (!tree->traces || t->wall_ns < tree->first_ns)
		tree->first_ns = t->wall_ns;
	if (t->wall_ns > tree->last_ns)
		tree->last_ns = t->wall_ns;
	tree->traces++;
}

void xpt_rdma_tree__add(struct xpt_rdma_tree *tree, const struct xpt_rdma_trace *t,
			uint16_t *ret_at)
{
	struct xpt_rdma_place_in in[XPT_RDMA_TRACE_NODES];
	uint16_t at[XPT_RDMA_TRACE_NODES], i, k, nr;

	nr = (uint16_t)(t->nr < XPT_RDMA_TRACE_NODES ? t->nr : XPT_RDMA_TRACE_NODES);
	xpt_rdma_plain_places(t, in);
	for (i = 0; i < nr; i++) {
		at[i] = t->node[i].flags & XPT_RDMA_NODE_BEYOND ? XPT_RDMA_TREE_NONE :
			place_node(tree, t, in, at, i);
		if (at[i] == XPT_RDMA_TREE_NONE)
			continue;
		for (k = 0; k < i && at[k] != at[i]; k++)
			;
		tree->node[at[i]].seen += k == i;
		count_outcome(tree, &tree->node[at[i]], xpt_rdma_node__outcome(&t->node[i]), 1);
		time_of(&tree->node[at[i]], t->node[i].exit_ns);
	}
	for (i = 0; i < t->nr_unwatched; i++)
		xpt_rdma_tree__note_unwatched(tree, t->unwatched[i]);
	add_times(tree, t);
	if (ret_at)
		memcpy(ret_at, at, nr * sizeof(*at));
}

/* The place of more's node i in tree, after that of its elder sibling. */
static uint16_t place_of(struct xpt_rdma_tree *tree, const struct xpt_rdma_tree *more,
			 const uint16_t *at, uint16_t i)
{
	const struct xpt_rdma_tree_node *from = &more->node[i];
	const struct xpt_rdma_node node = { .fn = from->fn, .module = from->module };
	uint16_t parent = XPT_RDMA_TREE_NONE, prev = XPT_RDMA_TREE_NONE, found, k;

	if (i) {
		parent = at[from->parent];
		if (parent == XPT_RDMA_TREE_NONE)
			return parent;
		for (k = more->node[from->parent].first_child; k != i; k = more->node[k].next)
			prev = at[k] == XPT_RDMA_TREE_NONE ? prev : at[k];
	}
	found = xpt_rdma_tree__find(tree, parent, from->fn, from->occ);
	if (found != XPT_RDMA_TREE_NONE && tree->node[found].occ == from->occ)
		return found;
	return !i && tree->nr ? XPT_RDMA_TREE_NONE : insert_place(tree, parent, prev, &node, from->occ);
}

static void merge_times(struct xpt_rdma_tree *tree, const struct xpt_rdma_tree *more)
{
	if (!tree->traces || more->dur_min < tree->dur_min)
		tree->dur_min = more->dur_min;
	if (more->dur_max > tree->dur_max)
		tree->dur_max = more->dur_max;
	tree->dur_sum += more->dur_sum;
	if (!tree->traces || more->first_ns < tree->first_ns)
		tree->first_ns = more->first_ns;
	if (more->last_ns > tree->last_ns)
		tree->last_ns = more->last_ns;
	tree->traces += more->traces;
	tree->left_out += more->left_out;
}

void xpt_rdma_tree__merge(struct xpt_rdma_tree *tree, const struct xpt_rdma_tree *more)
{
	uint16_t at[XPT_RDMA_TREE_NODES], i;
	unsigned depth = 0;
	uint32_t k;

	for (i = more->nr ? 0 : XPT_RDMA_TREE_NONE; i != XPT_RDMA_TREE_NONE;
	     i = xpt_rdma_tree__next(more, i, &depth)) {
		const struct xpt_rdma_tree_node *from = &more->node[i];
		struct xpt_rdma_tree_node *to;

		at[i] = place_of(tree, more, at, i);
		if (at[i] == XPT_RDMA_TREE_NONE)
			continue;
		to = &tree->node[at[i]];
		to->seen += from->seen;
		for (k = 0; k < from->nr_outcomes; k++)
			count_outcome(tree, to, from->outcome[k].value, from->outcome[k].times);
		time_of(to, from->exit_min);
		time_of(to, from->exit_max);
	}
	for (k = 0; k < more->nr_unwatched; k++)
		xpt_rdma_tree__note_unwatched(tree, more->unwatched[k]);
	merge_times(tree, more);
}

uint16_t xpt_rdma_tree__next(const struct xpt_rdma_tree *tree, uint16_t at, unsigned *depth)
{
	if (tree->node[at].first_child != XPT_RDMA_TREE_NONE) {
		++*depth;
		return tree->node[at].first_child;
	}
	while (at != XPT_RDMA_TREE_NONE && tree->node[at].next == XPT_RDMA_TREE_NONE) {
		at = tree->node[at].parent;
		--*depth;
	}
	return at == XPT_RDMA_TREE_NONE ? at : tree->node[at].next;
}
