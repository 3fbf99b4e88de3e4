/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lists that a running kernel gives of itself: functions that ftrace can
 * follow, all names, loaded modules. root stands in the place of / and is ""
 * for this machine. Files below another root may be of anybody: they are opened without leaving it.
 */
#ifndef XPT_RDMA_GRAPH_LISTS_H
#define XPT_RDMA_GRAPH_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include "base/hashmap.h"

/* Keys: xpt_hash() of a line, "NAME" or "NAME [MODULE]"; no values. -errno without. */
int xpt_rdma_lists__traceable(const char *root, struct xpt_hashmap **ret_map);
/* Keys: xpt_hash() of a name; values: uint32_t, functions that have it. -errno without. */
int xpt_rdma_lists__counts(const char *root, struct xpt_hashmap **ret_map);
/* Keys: xpt_hash() of a loaded module's name. -errno without. */
int xpt_rdma_lists__modules(const char *root, struct xpt_hashmap **ret_map);
bool xpt_rdma_lists__has(const struct xpt_hashmap *map, const char *key);	/* map may be NULL */
/* The build id in a file of notes (kernel/notes, module/X/notes/...), as hex; false: none. */
bool xpt_rdma_lists__build_id(const char *root, const char *path, char *buf, size_t n);

#endif
