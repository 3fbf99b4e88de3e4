/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records of schemas to standard output by one of the sinks: "summary" (text), "json" or "tables" (CSV). Apart from
 * the RDMA headers, whose names for the return values of functions are other ones than those of sinks.
 */
#ifndef XPT_SESSION_RDMA_OUTPUT_RECORDS_OUT_H
#define XPT_SESSION_RDMA_OUTPUT_RECORDS_OUT_H

#include "model/output/schema.h"

struct xpt_rdma_out {
	const void *sink;
	void *st;
};

/* Errors are said. 0 or -errno. Close also after a failed open. */
int xpt_rdma_out__open(struct xpt_rdma_out *o, const char *sink);
int xpt_rdma_out__record(void *o, const struct xpt_schema *schema, const void *rec);
int xpt_rdma_out__close(struct xpt_rdma_out *o);

#endif
