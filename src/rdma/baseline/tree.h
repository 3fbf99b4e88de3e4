/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Good traces of one kind, merged: which functions ran below which, how often, their results, and when they
 * returned. A function's place is its path from the root with the number of its run at each step (execution
 * indexing), so loops and calls that come and go do not shift the places after them. Names are without the
 * compiler's suffixes. Everything is in one block.
 */
#ifndef XPT_RDMA_BASELINE_TREE_H
#define XPT_RDMA_BASELINE_TREE_H

#include "base/strbuf.h"
#include "rdma/trace/chain.h"
#include "rdma/trace/trace.h"

enum {
	XPT_RDMA_TREE_NODES = 384,
	XPT_RDMA_TREE_OUTCOMES = 4,	/* different ones of a place */
	XPT_RDMA_TREE_UNWATCHED = 16,
	XPT_RDMA_TREE_NONE = 0xffff,
};

struct xpt_rdma_tree_node {
	char fn[64], module[32];
	uint16_t parent, occ, first_child, next;	/* indices; XPT_RDMA_TREE_NONE */
	uint32_t seen;			/* traces that have it */
	uint64_t exit_min, exit_max;	/* ns after the root's start; both 0: not known */
	uint32_t nr_outcomes;
	struct {
		int32_t value;
		uint32_t times;
	} outcome[XPT_RDMA_TREE_OUTCOMES];
};

/* The kind of a trace: traces of one key are alike. */
struct xpt_rdma_key {
	char method[64], object[32], shape[64], driver[32], kernel[96];
};

struct xpt_rdma_tree {
	struct xpt_rdma_key key;
	uint64_t traces, first_ns, last_ns;	/* how many; wall times of the first and the last */
	uint64_t dur_min, dur_max, dur_sum;
	uint64_t left_out;		/* places, outcomes and unwatched functions that found no room */
	char unwatched[XPT_RDMA_TREE_UNWATCHED][64];	/* functions that had no probe in some of the traces */
	uint32_t nr, nr_unwatched;
	struct xpt_rdma_tree_node node[XPT_RDMA_TREE_NODES];	/* the root first, if there is one */
};

void xpt_rdma_key__of(const struct xpt_rdma_trace *t, struct xpt_rdma_key *ret_key);
/* Empty, of a trace's kind; to be freed. NULL: no memory. */
struct xpt_rdma_tree *xpt_rdma_tree__new(const struct xpt_rdma_key *key);
/*
 * Nodes beyond the method's ordinary plan are left out. ret_at: t->nr places, of each node
 * the index in the tree or XPT_RDMA_TREE_NONE; may be NULL.
 */
void xpt_rdma_tree__add(struct xpt_rdma_tree *tree, const struct xpt_rdma_trace *t,
			uint16_t *ret_at);
/* Adds to tree the traces that more was made from; both are of one kind. */
void xpt_rdma_tree__merge(struct xpt_rdma_tree *tree, const struct xpt_rdma_tree *more);
/*
 * The place of a call below another (XPT_RDMA_TREE_NONE: the root). A run beyond those
 * that are known stands for the last one of its function. XPT_RDMA_TREE_NONE: there is none.
 */
uint16_t xpt_rdma_tree__find(const struct xpt_rdma_tree *tree, uint16_t parent, const char *fn,
			     unsigned occ);
/* Notes a function that had no probe in a trace; it may have run there. */
void xpt_rdma_tree__note_unwatched(struct xpt_rdma_tree *tree, const char *fn);
bool xpt_rdma_tree__is_unwatched(const struct xpt_rdma_tree *tree, const char *fn);
bool xpt_rdma_tree_node__had(const struct xpt_rdma_tree_node *node, int outcome);
/* In order of execution; depth: below the root. XPT_RDMA_TREE_NONE at the end; start with 0. */
uint16_t xpt_rdma_tree__next(const struct xpt_rdma_tree *tree, uint16_t at, unsigned *depth);

/* A line of JSON and back. -ENOMSG: of another type; -EBADMSG: not whole; -ENOMEM. */
void xpt_rdma_tree__print(const struct xpt_rdma_tree *tree, struct xpt_strbuf *sb);
int xpt_rdma_tree__parse(const char *line, size_t n, struct xpt_rdma_tree **ret_tree);

#endif
