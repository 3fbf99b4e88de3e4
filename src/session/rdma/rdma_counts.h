/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sums of the RDMA calls that a trace was sent, by process and function, and by error. They are told while the trace
 * lasts (metrics) and at its end; processes that have ended make room for others.
 */
#ifndef XPT_SESSION_RDMA_RDMA_COUNTS_H
#define XPT_SESSION_RDMA_RDMA_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

struct xpt_engine;
struct xpt_rdma_counts;
struct xpt_rec_call;

struct xpt_rdma_method_sum {		/* of a method, of all processes, ended ones too */
	uint64_t calls, time_ns;
	uint32_t fn;			/* of its last call */
};

int xpt_rdma_counts__new(struct xpt_rdma_counts **ret_c);	/* 0 or -ENOMEM */
void xpt_rdma_counts__free(struct xpt_rdma_counts *c);	/* NULL is fine */
/* A call of that method; failed: by call->ret, as well. False: the table is full, and it is in no sum. */
bool xpt_rdma_counts__add(struct xpt_rdma_counts *c, const struct xpt_rec_call *call, uint32_t method, bool failed);
/* What is not of one process: NULL: no call of it was added. */
const struct xpt_rdma_method_sum *xpt_rdma_counts__of_method(const struct xpt_rdma_counts *c, uint32_t method);
/* nested: calls are inside those of a library. so_far: the trace goes on. */
void xpt_rdma_counts__tell(const struct xpt_rdma_counts *c, struct xpt_engine *e, bool nested, bool so_far);
/* Tells those of processes that are gone for the last time, and makes room; now and then is enough. */
void xpt_rdma_counts__tell_ended(struct xpt_rdma_counts *c, struct xpt_engine *e, bool nested, uint64_t now_ns);

#endif
