/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Plans as text of 80 columns and as JSON (docs/rdma.md), to stdout.
 */
#ifndef XPT_CLI_COMMANDS_RDMA_SHOW_PLAN_H
#define XPT_CLI_COMMANDS_RDMA_SHOW_PLAN_H

#include "rdma/plan/prune.h"

/* The kernel, its modules, and a line for each of the n plans. */
void xpt_rdma_print__overview(const struct xpt_rdma_graph *g, struct xpt_rdma_plan *const *plans,
			      unsigned n);
/* One plan; all: with the functions that were dropped, and why. */
void xpt_rdma_print__plan(const struct xpt_rdma_graph *g, const struct xpt_rdma_plan *plan,
			  bool all);
void xpt_rdma_print__json(const struct xpt_rdma_graph *g, struct xpt_rdma_plan *const *plans,
			  unsigned n, const struct xpt_rdma_limits *limits);

#endif
