/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages of NVSHMEM, which writes each one in three pieces, so that those of several processes
 * are mixed in a line: "FILE:LINE: non-zero status: 110 ", "ibv_modify_qp failed ", a line feed.
 */
#ifndef XPT_RDMA_TRACE_JOB_LOG_LOG_NVSHMEM_H
#define XPT_RDMA_TRACE_JOB_LOG_LOG_NVSHMEM_H

#include "rdma/trace/job_log/log_form.h"

/* Tells whether a text may have such messages. */
bool xpt_rdma_log_nvshmem__is_possible(const char *text);
/* Reads the next message of the text and moves on. False: the rest has none, and is as it was. */
bool xpt_rdma_log_nvshmem__next(struct xpt_rdma_log_scan *scan, struct xpt_rdma_log_form *ret_form);
/*
 * Returns where from there on, before end, the first message of NVSHMEM begins, or the rest of a message; NULL if
 * there is none. The text goes on at end, or is over.
 */
const char *xpt_rdma_log_nvshmem__find(const char *from, const char *end);

#endif
