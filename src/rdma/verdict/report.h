/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Many judged calls added up: by failure, class, process, job and device. The results are records of schemas, which
 * any sink can write.
 */
#ifndef XPT_RDMA_VERDICT_REPORT_H
#define XPT_RDMA_VERDICT_REPORT_H

#include "model/output/schema.h"
#include "rdma/verdict/judge.h"
#include "rdma/trace/job_log/nccl_log.h"
#include "rdma/trace/event_line.h"

struct xpt_rdma_report;

struct xpt_rdma_report *xpt_rdma_report__new(void);	/* NULL: no memory */
void xpt_rdma_report__free(struct xpt_rdma_report *r);	/* NULL is fine */
void xpt_rdma_report__add(struct xpt_rdma_report *r, const struct xpt_rdma_trace *t,
			  const struct xpt_rdma_verdict *v);
/* "ncclCommInitRank -> ibv_reg_dmabuf_mr -> ib_umem_dmabuf_map_pages" */
void xpt_rdma_report__way(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v, char *buf,
			  size_t n);
/* The job's log, its lines matched, whose calls have their way and cause; it outlives the report. */
void xpt_rdma_report__set_log(struct xpt_rdma_report *r, const struct xpt_rdma_nccl *nccl);
/*
 * The end of a process after its calls: the time since its last failure is lost, by that
 * failure's rows. Or an event.
 */
void xpt_rdma_report__other(struct xpt_rdma_report *r, const struct xpt_rdma_other_line *line);
/*
 * Gives all records to fn, section by section, the most failures first, until it
 * returns an error, which is returned. bad_lines: of the files, that were left out.
 */
int xpt_rdma_report__emit(struct xpt_rdma_report *r, uint64_t bad_lines,
			  int (*fn)(void *ctx, const struct xpt_schema *schema, const void *rec),
			  void *ctx);

#endif
