/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory nodes of CUDA graphs, learned from calls alone: which function added a
 * node that allocates or frees memory, its address and bytes, and which graphs
 * contain it.
 *
 * The memory of such a node exists from a launch of its graph on, and not from
 * the call that adds the node. An instantiated graph has the nodes of the graph
 * from which it was made. Knows classes, roles and kinds, no function names.
 */
#ifndef XPT_MODEL_MEMORY_GRAPH_NODES_H
#define XPT_MODEL_MEMORY_GRAPH_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/event.h"

struct xpt_graph_node {
	uint64_t addr, bytes;
	const struct xpt_fn *fn;	/* the function that added it, the innermost call */
	const struct xpt_fn *outer;	/* the function of an enclosing call of the same class, or NULL */
	const struct xpt_stack *stack;	/* of the outermost of these calls that has one, or NULL */
	bool frees;			/* bytes is 0 then */
};

struct xpt_graph_nodes;

int xpt_graph_nodes__new(struct xpt_graph_nodes **ret_g);	/* 0 or -ENOMEM */
void xpt_graph_nodes__free(struct xpt_graph_nodes *g);	/* NULL is fine */
/* Feeds each successful call, in order of completion. Returns false if there was no room for a node. */
bool xpt_graph_nodes__call(struct xpt_graph_nodes *g, const struct xpt_call *c);
/* Returns the nodes that the graph launch c runs, in the order in which they were added; NULL if none. */
const struct xpt_graph_node *xpt_graph_nodes__of(const struct xpt_graph_nodes *g,
						 const struct xpt_call *c, size_t *ret_nr);
void xpt_graph_nodes__gone(struct xpt_graph_nodes *g, const struct xpt_proc *proc);
void xpt_graph_nodes__forget(struct xpt_graph_nodes *g);	/* at XPT_EV_FORGET */

#endif
