/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From a record of the kernel-side programs to a trace: the tree, names, errors and which of them are normal,
 * values that were narrowed.
 */
#ifndef XPT_RDMA_TRACE_RECORD_H
#define XPT_RDMA_TRACE_RECORD_H

#include "rdma/trace/asked_for.h"
#include "rdma/trace/evidence/firmware.h"
#include "rdma/trace/trace.h"
#include "rdma/plan/watchlist.h"

/* A trace with room for the objects it points to. */
struct xpt_rdma_box {
	struct xpt_rdma_trace t;
	struct xpt_rdma_node node[XPT_RDMA_EXITS];
	struct xpt_rdma_firmware firmware;
	struct xpt_rdma_asked_for asked_for;
	const char *unprobed[XPT_RDMA_TRACE_UNPROBED];
	uint32_t unprobed_fn[XPT_RDMA_TRACE_UNPROBED];
	const char *unwatched[XPT_RDMA_TRACE_UNWATCHED];
	uint32_t id_of[XPT_RDMA_EXITS];	/* of the nodes' functions in the record */
	uint32_t missing;	/* returns that are not in it */
	char method[48], shape[48], comm[17];
	char device[XPT_RDMA_NAME + 1], driver[XPT_RDMA_NAME + 1], ns_host[XPT_RDMA_HOST + 1];
};

/*
 * Fills all of the trace that the record tells; the rest is "" or 0. wall_ns is the
 * record's start on the monotonic clock plus wall_offset. A method of no plan is
 * "write 41" or "object 3 method 4097".
 */
void xpt_rdma_record__trace(const struct xpt_rdma_watchlist *l, const struct xpt_wire_rdma_rec *r,
			    uint64_t wall_offset, struct xpt_rdma_box *ret_box);
/* The transition that a modify_qp requests: mask of attributes << 8 | enum ib_qp_state; "INIT>RTR". Returns buf. */
char *xpt_rdma_transition(uint64_t value, char *buf, size_t n);
/*
 * Whether a glob means a shape of modify_qp: all of it, or the state that is wanted ("RTR");
 * whether it means any that there is.
 */
bool xpt_rdma_shape__matches(const char *pattern, const char *shape);
bool xpt_rdma_shape__is_possible(const char *pattern);
/*
 * How the error of a failed trace travelled: indices of nodes from the root down to where it came from, at most
 * max. A node hands on the result of its last callee with that errno, or the low half of a callee's result. 0: the
 * root did not fail.
 */
uint32_t xpt_rdma_trace__chain(const struct xpt_rdma_trace *t, uint16_t *ret_v, uint32_t max);
/* Whether all of that chain is normal. */
bool xpt_rdma_trace__is_expected(const struct xpt_rdma_trace *t);

#endif
