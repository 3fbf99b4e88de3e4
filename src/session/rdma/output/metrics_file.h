/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The file of metrics that `rdma watch --metrics` keeps: replaced as a whole, so
 * that a reader never sees half of one. Without a path all of these do nothing.
 */
#ifndef XPT_SESSION_RDMA_OUTPUT_METRICS_FILE_H
#define XPT_SESSION_RDMA_OUTPUT_METRICS_FILE_H

#include "rdma/verdict/watch_metrics.h"
#include "session/agent/page_file.h"
#include "wire/rdma.h"

struct xpt_rdma_page {
	struct xpt_page_file file;
	struct xpt_rdma_metrics *m;	/* NULL: none is kept */
	struct xpt_strbuf sb;
};

/*
 * Writes the first page, so that a file that cannot be written is reported before anything begins. Returns 0 or
 * -errno.
 */
int xpt_rdma_page__open(struct xpt_rdma_page *p, const char *path);
void xpt_rdma_page__failed(struct xpt_rdma_page *p, const struct xpt_rdma_trace *t,
			   enum xpt_rdma_class cls);
void xpt_rdma_page__event(struct xpt_rdma_page *p, const struct xpt_wire_rdma_rec *r);
/* Says that it failed once, until it has worked again. */
void xpt_rdma_page__write(struct xpt_rdma_page *p, const struct xpt_rdma_sums *sums);
void xpt_rdma_page__remove(const struct xpt_rdma_page *p);	/* if it was not there before */
void xpt_rdma_page__close(struct xpt_rdma_page *p);	/* zeroed is fine */

#endif
