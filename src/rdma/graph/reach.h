/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which functions of the call graph may run below another one. Found when it is
 * asked, and kept: some hundred bytes for each function that was asked about.
 */
#ifndef XPT_RDMA_GRAPH_REACH_H
#define XPT_RDMA_GRAPH_REACH_H

#include <stdint.h>
#include "rdma/graph/graph.h"

enum xpt_rdma_may {
	XPT_RDMA_MAY_NOT,
	XPT_RDMA_MAY,		/* it is the other one, calls it, or calls a function that may */
	XPT_RDMA_MAY_UNKNOWN,	/* the targets of an indirect call below it are not known */
};

struct xpt_rdma_reach;

/* NULL: no memory. g must live longer. */
struct xpt_rdma_reach *xpt_rdma_reach__new(const struct xpt_rdma_graph *g);
void xpt_rdma_reach__free(struct xpt_rdma_reach *r);	/* NULL is fine */
/*
 * Whether a call of caller may lead to one of callee in the same thread. UNKNOWN also for
 * XPT_RDMA_NONE, and without memory. Functions outside of the RDMA modules count as calling
 * nothing in them.
 */
enum xpt_rdma_may xpt_rdma_reach__may(struct xpt_rdma_reach *r, uint32_t caller, uint32_t callee);

#endif
