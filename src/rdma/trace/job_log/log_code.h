/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers, errors and statuses of completions in the words of a log.
 */
#ifndef XPT_RDMA_TRACE_JOB_LOG_LOG_CODE_H
#define XPT_RDMA_TRACE_JOB_LOG_LOG_CODE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads a decimal number at s, which blanks and zeros may pad and no letter follows. 0: there is none
 * up to max. *ret_end, unless NULL: where it ends.
 */
uint32_t xpt_rdma_log_number(const char *s, uint32_t max, const char **ret_end);
/* Reads a hexadecimal number at s, with or without 0x. 0: there is none of 32 bits. */
uint32_t xpt_rdma_log_hex(const char *s);
/*
 * Returns the positive errno of a reason, "Bad address", "-12", "error Unknown error 524", "x errno 93",
 * "x [110]", or 0. A number goes before a text: NCCL calls strerror() with -ENOMEM, too.
 */
int xpt_rdma_log_errno(const char *reason);
/* Returns the errno whose text s begins with, or 0; *ret_n, unless NULL: the bytes of that text. */
int xpt_rdma_log_errno_text(const char *s, size_t *ret_n);
/* Returns the errno that a colon of s is followed by, as its text or in brackets at the end, or 0. */
int xpt_rdma_log_errno_behind(const char *s);
/* Returns enum ibv_wc_status of the text that libibverbs has for it at the beginning of s, or 0. */
unsigned xpt_rdma_log_status_text(const char *s);
/* Returns enum ibv_wc_status of the syndrome of an mlx5 completion, or 0: none is known. */
unsigned xpt_rdma_log_status_mlx5(uint32_t syndrome);
/* "RETRY_EXC_ERR"; a status without a name as a number. Returns buf or a constant. */
const char *xpt_rdma_log_status(unsigned status, char *buf, size_t n);

#endif
