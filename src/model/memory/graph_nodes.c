/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Nodes of graphs that allocate or free memory, see graph_nodes.h.
 *
 * A node is a call of class MODIFY and kind GRAPH with an address; with a size
 * it allocates, without one it frees. Handles are given out again, so a graph
 * that is made begins without nodes, or with those of the graph from which it
 * is made. Programs without such nodes pay for one look at an empty table.
 */
#include "model/memory/graph_nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/hashmap.h"
#include "model/call.h"

#define MAX_GRAPHS 16384
#define MAX_NODES 16384		/* of all graphs */
#define MAX_EACH 256		/* of a graph: each launch goes through them */

struct key {
	const struct xpt_proc *proc;
	uint64_t handle;
};

struct list {
	struct xpt_graph_node *node;
	uint32_t nr, cap;
	uint64_t since_ns;	/* when the call that began it returned */
};

struct xpt_graph_nodes {
	struct xpt_hashmap *lists;	/* struct key -> struct list */
	size_t nr_nodes;
};

int xpt_graph_nodes__new(struct xpt_graph_nodes **ret_g)
{
	struct xpt_graph_nodes *g = calloc(1, sizeof(*g));
	int err;

	if (!g)
		return -ENOMEM;
	err = xpt_hashmap__new(sizeof(struct key), sizeof(struct list), MAX_GRAPHS, &g->lists);
	if (err)
		free(g);
	else
		*ret_g = g;
	return err;
}

void xpt_graph_nodes__free(struct xpt_graph_nodes *g)
{
	const void *key;
	size_t pos = 0;
	void *val;

	if (!g)
		return;
	while (xpt_hashmap__next(g->lists, &pos, &key, &val))
		free(((struct list *)val)->node);
	xpt_hashmap__free(g->lists);
	free(g);
}

static void drop_graph(struct xpt_graph_nodes *g, struct key key)
{
	struct list *l = xpt_hashmap__find(g->lists, &key);

	if (!l)
		return;
	g->nr_nodes -= l->nr;
	free(l->node);
	xpt_hashmap__del(g->lists, &key);
}

/* Appends nr nodes that the call c adds; false if there is no room for all of them. */
static bool append_nodes(struct xpt_graph_nodes *g, struct key key, const struct xpt_graph_node *nodes,
			 uint32_t nr, const struct xpt_call *c)
{
	struct xpt_graph_node *grown;
	struct list *l;
	uint32_t cap;

	if (nr > MAX_NODES - g->nr_nodes)
		return false;
	l = xpt_hashmap__get(g->lists, &key, NULL);
	if (!l || nr > MAX_EACH - l->nr)
		return false;
	if (nr > l->cap - l->nr) {
		cap = 2 * l->cap > l->nr + nr ? 2 * l->cap : l->nr + nr;
		grown = realloc(l->node, cap * sizeof(*grown));
		if (!grown)
			return false;
		l->node = grown;
		l->cap = cap;
	}
	if (!l->nr)
		l->since_ns = xpt_call__end_ns(c);
	memcpy(l->node + l->nr, nodes, nr * sizeof(*nodes));
	l->nr += nr;
	g->nr_nodes += nr;
	return true;
}

/* Notes the call around the one that added the node: the function that the program itself
 * called. */
static void adopt_node(struct xpt_graph_nodes *g, const struct xpt_call *c, struct key key, uint64_t addr)
{
	struct list *l = xpt_hashmap__find(g->lists, &key);
	struct xpt_graph_node *last = l && l->nr ? &l->node[l->nr - 1] : NULL;

	if (!last || last->addr != addr)
		return;
	last->outer = c->fn;
	if (c->stack)
		last->stack = c->stack;
}

static bool on_node(struct xpt_graph_nodes *g, const struct xpt_call *c)
{
	struct xpt_graph_node node = { .fn = c->fn, .stack = c->stack };
	struct key key = { .proc = c->proc };

	if (!xpt_call__role(c, XPT_ROLE_GRAPH, &key.handle) ||
	    !xpt_call__role(c, XPT_ROLE_ADDR, &node.addr) || !node.addr)
		return true;
	if (!xpt_call__counts(c)) {
		adopt_node(g, c, key, node.addr);
		return true;
	}
	node.frees = c->fn->role_idx[XPT_ROLE_SIZE] < 0;
	xpt_call__bytes(c, &node.bytes);
	return append_nodes(g, key, &node, 1, c);
}

/* Made out of another graph, or empty. */
static bool on_made(struct xpt_graph_nodes *g, const struct xpt_call *c)
{
	struct key key = { .proc = c->proc }, from = { .proc = c->proc };
	const struct list *l;

	if (!xpt_hashmap__len(g->lists) || !xpt_call__role(c, XPT_ROLE_HANDLE, &key.handle))
		return true;
	drop_graph(g, key);
	if (!xpt_call__role(c, XPT_ROLE_GRAPH, &from.handle))
		return true;
	l = xpt_hashmap__find(g->lists, &from);
	return !l || append_nodes(g, key, l->node, l->nr, c);
}

static void destroy_graph(struct xpt_graph_nodes *g, const struct xpt_call *c, struct key key)
{
	const struct list *l = xpt_hashmap__find(g->lists, &key);

	if (l && xpt_call__may_end(c, l->since_ns))
		drop_graph(g, key);
}

bool xpt_graph_nodes__call(struct xpt_graph_nodes *g, const struct xpt_call *c)
{
	struct key key = { .proc = c->proc };

	if (c->fn->kind != XPT_KIND_GRAPH)
		return true;
	if (c->fn->cls == XPT_CLASS_MODIFY)
		return on_node(g, c);
	if (!xpt_call__counts(c))
		return true;
	if (c->fn->cls == XPT_CLASS_CREATE)
		return on_made(g, c);
	if (c->fn->cls == XPT_CLASS_DESTROY && xpt_call__role(c, XPT_ROLE_HANDLE, &key.handle))
		destroy_graph(g, c, key);
	return true;
}

const struct xpt_graph_node *xpt_graph_nodes__of(const struct xpt_graph_nodes *g,
						 const struct xpt_call *c, size_t *ret_nr)
{
	struct key key = { .proc = c->proc };
	const struct list *l;

	if (!xpt_hashmap__len(g->lists) || !xpt_call__role(c, XPT_ROLE_GRAPH, &key.handle))
		return NULL;
	l = xpt_hashmap__find(g->lists, &key);
	if (!l || !l->nr)
		return NULL;
	*ret_nr = l->nr;
	return l->node;
}

/* proc NULL: of all that go at XPT_EV_FORGET */
static void drop_all(struct xpt_graph_nodes *g, const struct xpt_proc *proc)
{
	const void *key;
	size_t pos = 0;
	void *val;

	if (!xpt_hashmap__len(g->lists))
		return;
	while (xpt_hashmap__next(g->lists, &pos, &key, &val)) {
		struct key k = *(const struct key *)key;

		if (proc ? k.proc == proc : k.proc->forgotten)
			drop_graph(g, k);
	}
}

void xpt_graph_nodes__gone(struct xpt_graph_nodes *g, const struct xpt_proc *proc)
{
	drop_all(g, proc);
}

void xpt_graph_nodes__forget(struct xpt_graph_nodes *g)
{
	drop_all(g, NULL);
}
