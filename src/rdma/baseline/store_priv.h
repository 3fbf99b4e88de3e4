/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the store (store.c) and its file (store_lines.c) share. The file holds lines: merged trees, learned errors. */
#ifndef XPT_RDMA_BASELINE_STORE_PRIV_H
#define XPT_RDMA_BASELINE_STORE_PRIV_H

#include "rdma/baseline/store.h"

/* dirty: the file does not have all of it: not news, or, if that is NULL, not the tree as it is. */
struct xpt_rdma_slot {
	struct xpt_rdma_tree *tree;
	struct xpt_rdma_tree *news;	/* traces added since the file was written or read */
	bool dirty, there;		/* there: for who goes through the file */
};

struct xpt_rdma_store {
	struct xpt_rdma_slot slot[XPT_RDMA_STORE_TREES];
	unsigned nr;
	struct xpt_rdma_rules *rules;
	bool learned_dirty, rewrite;	/* rewrite: something went away, */
	struct xpt_rdma_key removed[XPT_RDMA_STORE_TREES];	/* these, */
	unsigned nr_removed;
	bool removed_more;		/* and others */
	uint64_t evicted;
	char *path;			/* NULL: in memory */
	bool no_wait;			/* for a lock of another */
	bool mended;
};

/*
 * Makes the content that the file should have of a slot, where another process may have written meanwhile: file is
 * the tree there, NULL if there is none; the slot's tree becomes that with the news. A tree from elsewhere stays as
 * it is, unless the file's is of more calls. Takes file.
 */
void xpt_rdma_slot__settle(struct xpt_rdma_slot *slot, struct xpt_rdma_tree *file);
struct xpt_rdma_slot *xpt_rdma_store__slot(struct xpt_rdma_store *store, const struct xpt_rdma_key *key);
/*
 * A file that is written as a whole is read again before: again() for each tree in it (which is the store's then),
 * then behind(): now the store has the content that the file should have.
 */
void xpt_rdma_store__again(struct xpt_rdma_store *store, struct xpt_rdma_tree *tree);
void xpt_rdma_store__behind(struct xpt_rdma_store *store);

enum { XPT_RDMA_TREE_LINE = 1 << 20 };	/* bytes of a stored line, at most */

/* A descriptor to read the file; never waits. -errno; -EISDIR; -EBADMSG: no regular file. */
int xpt_rdma_store__open_file(const char *path);
int xpt_rdma_lines__load(struct xpt_rdma_store *store);
int xpt_rdma_lines__save(struct xpt_rdma_store *store);

#endif
