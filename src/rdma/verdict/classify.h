/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The class of a failure, by where the error began and its code: a table of known errors of the kernel, its drivers
 * and NCCL, the special rows first.
 */
#ifndef XPT_RDMA_VERDICT_CLASSIFY_H
#define XPT_RDMA_VERDICT_CLASSIFY_H

#include "rdma/baseline/diff.h"
#include "rdma/trace/cause.h"

/* diff: against good traces, or NULL; its tree is good. */
void xpt_rdma_classify(const struct xpt_rdma_trace *t, const struct xpt_rdma_chain *chain,
		       const struct xpt_rdma_diff *diff, const struct xpt_rdma_tree *good,
		       struct xpt_rdma_cause *ret_cause);
const char *xpt_rdma_class_name(enum xpt_rdma_class cls);	/* "resources" */
const char *xpt_rdma_class_title(enum xpt_rdma_class cls);	/* "no resources left" */
const char *xpt_rdma_confidence_name(enum xpt_rdma_confidence confidence);	/* "high" */

#endif
