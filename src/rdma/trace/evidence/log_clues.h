/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Clues of lines of the kernel's log about a call: which of them belong to its process, its device or its driver,
 * and whether memory ran out.
 */
#ifndef XPT_RDMA_TRACE_EVIDENCE_LOG_CLUES_H
#define XPT_RDMA_TRACE_EVIDENCE_LOG_CLUES_H

#include "rdma/trace/trace.h"

/*
 * Picks the most relevant of n lines (oldest first), at most max of them and in their order; returns how many.
 * ret_v may be v. Lines that name nothing of the call fill the remaining room, the latest first.
 */
unsigned xpt_rdma_log__pick(const struct xpt_rdma_trace *t, const char *const *v, unsigned n,
			    const char **ret_v, unsigned max);

enum xpt_rdma_oom {
	XPT_RDMA_NO_OOM,
	XPT_RDMA_OOM_ALLOCATION,	/* the kernel could not give a block of memory */
	XPT_RDMA_OOM_MACHINE,		/* a process was killed, since the machine had no memory */
	XPT_RDMA_OOM_CGROUP,		/* ... since its control group had none */
};

/*
 * Whether the call's lines tell of memory that ran out; *ret_own: the process that was killed is the
 * call's.
 */
enum xpt_rdma_oom xpt_rdma_log__oom(const struct xpt_rdma_trace *t, bool *ret_own);

#endif
