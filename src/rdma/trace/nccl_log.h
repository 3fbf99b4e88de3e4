/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lines of NCCL's log that name a call of libibverbs that failed, and which traced
 * call each of them is about: by the call, the error, and the order.
 */
#ifndef XPT_RDMA_TRACE_NCCL_LOG_H
#define XPT_RDMA_TRACE_NCCL_LOG_H

#include <stdio.h>
#include "rdma/trace/trace.h"

enum { XPT_RDMA_NCCL_LINES = 1024 };

struct xpt_rdma_nccl_line {
	char verb[48];		/* "ibv_reg_dmabuf_mr" */
	char text[200];		/* from "Call to" on */
	uint64_t number;	/* of the line, from 1 */
	int code;		/* positive errno; 0: not known */
	bool matched;
	bool like_normal;	/* a call with that error is counted as normal */
};

struct xpt_rdma_nccl {
	struct xpt_rdma_nccl_line line[XPT_RDMA_NCCL_LINES];
	unsigned nr;
	uint64_t left_out;	/* lines that found no room */
};

struct xpt_rdma_nccl *xpt_rdma_nccl__new(void);	/* NULL: no memory; free() it */
/* "... Call to ibv_X failed with ..."; false: another line. */
bool xpt_rdma_nccl__parse(const char *s, struct xpt_rdma_nccl_line *ret_line);
int xpt_rdma_nccl__read(struct xpt_rdma_nccl *nccl, FILE *f);	/* 0, -EIO */
/* The first line that is about a failed call like this and has no other; it is taken. NULL: none. */
const struct xpt_rdma_nccl_line *xpt_rdma_nccl__match(struct xpt_rdma_nccl *nccl,
						      const struct xpt_rdma_trace *t);
/* Marks lines that a call counted as normal could be about; it takes none. */
void xpt_rdma_nccl__is_like(struct xpt_rdma_nccl *nccl, const struct xpt_rdma_trace *t);

#endif
