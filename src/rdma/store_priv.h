/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The store's two kinds of files, behind one interface (store.c knows neither).
 * Both hold lines: merged trees by their key, and what was learned.
 */
#ifndef XPT_RDMA_STORE_PRIV_H
#define XPT_RDMA_STORE_PRIV_H

#include "rdma/store.h"

struct xpt_rdma_slot {
	struct xpt_rdma_tree *tree;
	bool dirty;
};

struct xpt_rdma_store {
	struct xpt_rdma_slot slot[XPT_RDMA_STORE_TREES];
	unsigned nr;
	struct xpt_rdma_rules *rules;
	bool learned_dirty, rewrite;	/* rewrite: something went away, */
	struct xpt_rdma_key removed[XPT_RDMA_STORE_TREES];	/* these, */
	unsigned nr_removed;
	bool removed_more;		/* and others */
	uint64_t offers[XPT_RDMA_NR_OFFERS], evicted;
	char *path;			/* NULL: in memory */
	bool sqlite;
};

enum { XPT_RDMA_TREE_LINE = 1 << 20 };	/* bytes of a stored line, at most */

int xpt_rdma_lines__load(struct xpt_rdma_store *store);
int xpt_rdma_lines__save(struct xpt_rdma_store *store);
int xpt_rdma_sqlite__load(struct xpt_rdma_store *store);
int xpt_rdma_sqlite__save(struct xpt_rdma_store *store);
bool xpt_rdma_sqlite__have(void);

#endif
