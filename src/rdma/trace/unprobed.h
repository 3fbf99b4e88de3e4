/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The limits of the probes for an error's origin: it is the deepest function that was seen to return the error, and
 * a function without a probe below it may have made it.
 */
#ifndef XPT_RDMA_TRACE_UNPROBED_H
#define XPT_RDMA_TRACE_UNPROBED_H

#include "rdma/plan/watchlist.h"

/*
 * Finds the functions without a probe below the function fn of the graph from which it may have got the errno code
 * (negative): those that it calls, directly or through others without a probe, whose results are read and which
 * have that errno in their own code. XPT_RDMA_NONE is among them if the function calls one by a pointer whose
 * targets are not known. is_deep: the call was watched with the deeper plan. Returns how many functions of the graph
 * ret_v has, at most max.
 */
uint32_t xpt_rdma_unprobed__find(const struct xpt_rdma_watchlist *l, bool is_deep, uint32_t fn, int code,
				 uint32_t *ret_v, uint32_t max);

#endif
