/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From the order in which functions returned to who called whom. A callee
 * returns first, and its return address lies lower in the stack than that of
 * its caller: so a function adopts what has returned before it from below.
 */
#ifndef XPT_RDMA_REBUILD_H
#define XPT_RDMA_REBUILD_H

#include <stdbool.h>
#include <stdint.h>
#include "wire/rdma.h"

/* Whether one function may call the other: asked where the places do not tell. */
typedef bool (*xpt_rdma_calls_fn)(void *ctx, uint32_t caller, uint32_t callee);

/*
 * n returns, at most XPT_RDMA_EXITS, in order of time; the last is the root.
 * ret_order has their indices in order of entry, ret_depth how deep each of them
 * is; whatever the places say, that is a tree, below the root.
 */
void xpt_rdma_rebuild(const struct xpt_wire_rdma_exit *e, uint32_t n, xpt_rdma_calls_fn calls,
		      void *ctx, uint16_t *ret_order, uint16_t *ret_depth);
/*
 * The exits of a record in order of time, at most XPT_RDMA_EXITS; their number.
 * *ret_missing: how many there were between the first and the last ones.
 */
uint32_t xpt_rdma_exits(const struct xpt_wire_rdma_rec *r, struct xpt_wire_rdma_exit *ret_e,
			uint32_t *ret_missing);

#endif
