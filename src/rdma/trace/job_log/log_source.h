/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who has logged a message, by the prefix that the program writes:
 *	HOST:PID:TID [GPU] FILE:LINE NCCL WARN ...		NCCL, NVSHMEM's debug output
 *	[TIME] [HOST:PID:THREAD]  FILE:LINE  UCX  ERROR ...	UCX; its number of the thread
 *	[HOST:PID:THREAD:TID]  FILE:LINE  ...			UCX, when it gives up
 *	E0331 12:03:04.222625 TID FILE:LINE] ...		glog (Mooncake); year 2026 as E20260331
 */
#ifndef XPT_RDMA_TRACE_JOB_LOG_LOG_SOURCE_H
#define XPT_RDMA_TRACE_JOB_LOG_LOG_SOURCE_H

#include <stdint.h>
#include "rdma/trace/job_log/log_time.h"

struct xpt_rdma_log_source {
	char host[65];		/* as the program says, perhaps no UTF-8; "" if the line has none */
	uint32_t pid, tid;	/* as the program sees them; 0 if the line has none */
	char level;		/* glog: I, W, E, F; else 0 */
	struct xpt_rdma_log_time when;	/* by the program itself */
};

/*
 * Finds the last source in the text from there to end: output of two programs may share a line.
 * Returns where it begins, with the time before it, or NULL: there is none, and *ret_source is empty.
 */
const char *xpt_rdma_log_source__find(const char *from, const char *end, struct xpt_rdma_log_source *ret_source);
/*
 * Two programs that write at once leave no line feed between them. Returns where the text of the second one
 * begins in the word from `word` to end, if that is glued to the text of an error ("Bad addressnode7"), which
 * may begin at `from`; else word.
 */
const char *xpt_rdma_log_unglue(const char *from, const char *word, const char *end);

#endif
