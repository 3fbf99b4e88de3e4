/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The counts of a watch as metrics (docs/format.md has their names): functions and methods from the kernel's
 * counters, failures by class, events, losses. The number of lines is bounded; none has a process in it.
 */
#ifndef XPT_RDMA_VERDICT_WATCH_METRICS_H
#define XPT_RDMA_VERDICT_WATCH_METRICS_H

#include "base/strbuf.h"
#include "rdma/verdict/classify.h"
#include "rdma/verdict/sums.h"

enum {
	XPT_RDMA_METRICS_KINDS = 256,	/* of failures, and of events; further ones are "(other)" */
	XPT_RDMA_METRICS_MAX = 4 << 20,	/* bytes of a page, more than there can be */
};

struct xpt_rdma_metrics;

/* kernel: uname -r. NULL: no memory; xpt_rdma_metrics__free() it. */
struct xpt_rdma_metrics *xpt_rdma_metrics__new(uint64_t start_wall_ns, const char *kernel);
void xpt_rdma_metrics__free(struct xpt_rdma_metrics *m);	/* NULL is fine */
/* A call that failed, which is not normal. */
void xpt_rdma_metrics__failed(struct xpt_rdma_metrics *m, const struct xpt_rdma_trace *t,
			      enum xpt_rdma_class cls);
void xpt_rdma_metrics__event(struct xpt_rdma_metrics *m, const char *event, const char *device);
/* Appends the page; in the same order every time. sums: NULL at the start. 0, -ENOMEM, -E2BIG. */
int xpt_rdma_metrics__print(const struct xpt_rdma_metrics *m, const struct xpt_rdma_sums *sums,
			    struct xpt_strbuf *sb);

#endif
