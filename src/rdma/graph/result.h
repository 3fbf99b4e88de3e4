/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whether anybody reads the result of a function. Where a compiler changes a function (NAME.isra.0,
 * NAME.constprop.0) it also removes a result that no caller reads. Nothing in the symbols or the types shows that,
 * and the register then has its old value: often the caller's own errno.
 */
#ifndef XPT_RDMA_GRAPH_RESULT_H
#define XPT_RDMA_GRAPH_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include "rdma/graph/flow.h"

/*
 * Whether the result of the call at index `call` of f's instructions is read on some way from
 * there; also true where that cannot be told: it may be the result of f's function itself
 * (returns_void: it has none), or the way leads out of these instructions. Of f only insns,
 * calls and nr are used.
 */
bool xpt_rdma_result__is_read(const struct xpt_flow *f, uint32_t call, bool returns_void);

/* Whether a callee is known to have no result; fn as in struct xpt_flow_call. */
typedef bool (*xpt_rdma_is_void)(void *ctx, uint32_t fn);
/*
 * Whether the function comes to its end on some way with nothing in the register that it, or a
 * callee with a result, put there: then it has none. Jumps out of the instructions count as ways
 * that have one.
 */
bool xpt_rdma_result__is_unset(const struct xpt_flow *f, xpt_rdma_is_void is_void, void *ctx);

#endif
