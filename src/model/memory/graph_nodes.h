/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Nodes of graphs that allocate or free memory, learned from calls alone: who
 * added them, with address and bytes, and which graphs run them.
 *
 * Memory of such a node is there from a launch of its graph on, not when the
 * node is added. A graph that is made out of another one (instantiated) has
 * the same nodes. Knows classes, roles and kinds, no function names.
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
	const struct xpt_fn *outer;	/* a call of the same class around that, or NULL */
	const struct xpt_stack *stack;	/* of the outermost of them that has one, or NULL */
	bool frees;			/* bytes is 0 then */
};

struct xpt_graph_nodes;

int xpt_graph_nodes__new(struct xpt_graph_nodes **ret_g);	/* 0 or -ENOMEM */
void xpt_graph_nodes__free(struct xpt_graph_nodes *g);	/* NULL is fine */
/* Each call that worked, in order of completion. False: a node found no room. */
bool xpt_graph_nodes__call(struct xpt_graph_nodes *g, const struct xpt_call *c);
/* Nodes that the launch c runs, in the order of their adding; NULL if none. */
const struct xpt_graph_node *xpt_graph_nodes__of(const struct xpt_graph_nodes *g,
						 const struct xpt_call *c, size_t *ret_nr);
void xpt_graph_nodes__gone(struct xpt_graph_nodes *g, const struct xpt_proc *proc);
void xpt_graph_nodes__forget(struct xpt_graph_nodes *g);	/* at XPT_EV_FORGET */

#endif
