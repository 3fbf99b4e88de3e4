/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the messages that a library of communication has logged: a failed call of libibverbs, a
 * completion with an error, or an asynchronous event; of NCCL, NVSHMEM, UCX and Mooncake.
 */
#ifndef XPT_RDMA_TRACE_JOB_LOG_LOG_FORMS_H
#define XPT_RDMA_TRACE_JOB_LOG_LOG_FORMS_H

#include <stdbool.h>

#include "rdma/trace/job_log/log_form.h"

/* Whether a line can have a message; few others can. For lines as they are in the file. */
bool xpt_rdma_log_form__is_possible(const char *line);
/*
 * Begins to read text, of one line, without tags and timestamps around it. The text ends with NUL, and is whole
 * again after each step.
 */
void xpt_rdma_log_form__begin(struct xpt_rdma_log_scan *scan, char *text, const struct xpt_rdma_log_tag *tag);
/* Reads the next message. False: there is none. Texts in *ret_form control no terminal. */
bool xpt_rdma_log_form__next(struct xpt_rdma_log_scan *scan, struct xpt_rdma_log_form *ret_form);

#endif
