/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether a line of a job's log may be about a traced call: who made it, its name and error, and when. */
#ifndef XPT_RDMA_TRACE_JOB_LOG_NCCL_FIT_H
#define XPT_RDMA_TRACE_JOB_LOG_NCCL_FIT_H

#include "rdma/trace/job_log/nccl_log.h"

/* How well line and call agree on who made it, the best first. */
enum xpt_rdma_nccl_who {
	XPT_RDMA_SAME_THREAD,
	XPT_RDMA_SAME_PROCESS,	/* the line names no thread, */
	XPT_RDMA_OTHER_THREAD,	/* or another one of that process */
	XPT_RDMA_SOMEBODY,	/* the line names no process */
	XPT_RDMA_INSIDE,	/* the call was made in a container, and its ids there are not known */
	XPT_RDMA_STRANGER,
};

enum xpt_rdma_nccl_window { XPT_RDMA_AT_ONCE, XPT_RDMA_SOON };	/* how long after its call a line is written */

enum xpt_rdma_nccl_who xpt_rdma_nccl__who(const struct xpt_rdma_log_form *f, const struct xpt_rdma_nccl_call *c);
/* Tells whether name, error, new state and syndrome are the same, as far as both have them. */
bool xpt_rdma_nccl__is_about(const struct xpt_rdma_nccl_line *line, const struct xpt_rdma_nccl_call *c);
/* Tells whether the line has a time that can be compared. */
bool xpt_rdma_nccl__has_time(const struct xpt_rdma_log_form *f);
/* Tells whether the line was written in that window; without a time it may have been. *ret_ns: how far it is. */
bool xpt_rdma_nccl__is_in_time(const struct xpt_rdma_log_form *f, const struct xpt_rdma_nccl_call *c,
			       enum xpt_rdma_nccl_window window, uint64_t *ret_ns);
/* Tells whether it makes no difference to a reader which of two calls a line is about. */
bool xpt_rdma_nccl__are_alike(const struct xpt_rdma_nccl_call *a, const struct xpt_rdma_nccl_call *b);

#endif
