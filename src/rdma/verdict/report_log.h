/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The job's log in a report: its lines with their calls, its completions, and its events with those of the trace. */
#ifndef XPT_RDMA_VERDICT_REPORT_LOG_H
#define XPT_RDMA_VERDICT_REPORT_LOG_H

#include "rdma/trace/job_log/nccl_log.h"
#include "rdma/verdict/report_tables.h"

/* Gives the records to fn until it returns an error, which is returned. traced: the events in the files. */
int xpt_rdma_report_log__emit(const struct xpt_rdma_nccl *nccl, const struct xpt_rdma_rows *traced,
			      int (*fn)(void *ctx, const struct xpt_schema *schema, const void *rec), void *ctx);

#endif
