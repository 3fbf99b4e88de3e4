/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sums of the RDMA calls that a trace was sent, by process and function, and by error. They are written while the trace
 * lasts, for metrics, and at its end. Where they are written meanwhile, processes that have ended make room for others.
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
/* Adds a call of that method; failed: to the sums of errors, too. Returns false if the table is full: a sum lacks it. */
bool xpt_rdma_counts__add(struct xpt_rdma_counts *c, const struct xpt_rec_call *call, uint32_t method, bool failed);
/* The sum over all processes; NULL if no call of the method was added. */
const struct xpt_rdma_method_sum *xpt_rdma_counts__of_method(const struct xpt_rdma_counts *c, uint32_t method);
/* Writes all sums. nested: calls are inside those of a library. so_far: the trace goes on. */
void xpt_rdma_counts__tell(const struct xpt_rdma_counts *c, struct xpt_engine *e, bool nested, bool so_far);
/* Writes the sums of processes that have ended for the last time, and removes them. To be called before each __tell(so_far). */
void xpt_rdma_counts__tell_ended(struct xpt_rdma_counts *c, struct xpt_engine *e, bool nested);

#endif
