/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keeps a graph in a file. The file is only believed if it belongs to the
 * caller, is for the same key, and all of its indices are in range.
 */
#ifndef XPT_RDMA_GRAPH_CACHE_H
#define XPT_RDMA_GRAPH_CACHE_H

#include "rdma/graph/graph.h"

/* key: of everything that the graph was made from. */
int xpt_rdma_cache__read(const char *path, uint64_t key, struct xpt_rdma_graph **ret_g);
/* Replaces the file as a whole. -errno of writing. */
int xpt_rdma_cache__write(const char *path, uint64_t key, const struct xpt_rdma_graph *g);
/* The same, from n bytes in memory. -EBADMSG: not a graph for this key. */
int xpt_rdma_cache__parse(const void *data, size_t n, uint64_t key, struct xpt_rdma_graph **ret_g);

#endif
