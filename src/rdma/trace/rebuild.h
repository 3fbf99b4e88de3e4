/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From the order in which functions returned to who called whom. A callee returns first, and its return address is
 * lower in the stack than the return address of its caller: so a function becomes the parent of earlier returns
 * from below it.
 *
 * That is not all. A function that is entered by a jump at the end of its caller (a tail call) begins where the
 * caller's frame was, so it lies above the caller's earlier callees, too; and so does any function that is called
 * after an unwatched one whose callees are watched. Then the code to which a callee returned determines its caller.
 */
#ifndef XPT_RDMA_TRACE_REBUILD_H
#define XPT_RDMA_TRACE_REBUILD_H

#include <stdbool.h>
#include <stdint.h>
#include "rdma/graph/reach.h"
#include "wire/rdma.h"

/*
 * Facts about the code, asked where the places in the stack do not decide. Functions are indices of the call graph,
 * XPT_RDMA_NONE where they are not known.
 */
struct xpt_rdma_code_facts {
	void *ctx;
	uint32_t (*function)(void *ctx, uint32_t id);	/* of an exit's fn */
	uint32_t (*owner)(void *ctx, uint32_t from);	/* whose code an exit's return address lies in */
	bool (*calls)(void *ctx, uint32_t caller, uint32_t callee);	/* directly */
	enum xpt_rdma_may (*reaches)(void *ctx, uint32_t caller, uint32_t callee);
};

/*
 * n returns, at most XPT_RDMA_EXITS, in order of time; the last is the root.
 * ret_order has their indices in order of entry, ret_depth how deep each of them
 * is; whatever the places say, that is a tree, below the root. facts: NULL if there are none.
 */
void xpt_rdma_rebuild(const struct xpt_wire_rdma_exit *e, uint32_t n,
		      const struct xpt_rdma_code_facts *facts, uint16_t *ret_order,
		      uint16_t *ret_depth);
/*
 * The exits of a record in order of time, at most XPT_RDMA_EXITS; their number.
 * *ret_missing: how many there were between the first and the last ones, and are not kept.
 */
uint32_t xpt_rdma_exits(const struct xpt_wire_rdma_rec *r, struct xpt_wire_rdma_exit *ret_e,
			uint32_t *ret_missing);

#endif
