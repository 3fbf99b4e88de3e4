/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The order of traced calls. Within one boot of a machine it is that of the monotonic clock, whatever somebody did to
 * the wall clock meanwhile; between machines only the wall clocks can tell.
 */
#ifndef XPT_RDMA_TRACE_JOB_LOG_CALL_ORDER_H
#define XPT_RDMA_TRACE_JOB_LOG_CALL_ORDER_H

#include "rdma/trace/job_log/nccl_log.h"

/* Sets order_ns of all calls. 0 or -ENOMEM. */
int xpt_rdma_nccl__set_order(struct xpt_rdma_nccl *nccl);

#endif
