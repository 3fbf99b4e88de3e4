/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What kind of failure it is, by where the error began and what it was: a table
 * of what is known of the kernel, its drivers and NCCL, the special rows first.
 */
#ifndef XPT_RDMA_CLASSIFY_H
#define XPT_RDMA_CLASSIFY_H

#include "rdma/diff.h"

/* Names are in outputs: append only. */
enum xpt_rdma_class {
	XPT_RDMA_UNKNOWN,
	XPT_RDMA_RESOURCES,	/* the device or a table of the kernel is full */
	XPT_RDMA_LIMITS,	/* limits of the process, privileges */
	XPT_RDMA_PARAMETER,	/* what the program asked for makes no sense */
	XPT_RDMA_DEVICE,	/* device or firmware */
	XPT_RDMA_UNSUPPORTED,
	XPT_RDMA_LINK,		/* network, addresses, asynchronous events */
	XPT_RDMA_DEFECT,	/* of a driver or of the kernel */
	XPT_RDMA_KERNEL_MEMORY,
	XPT_RDMA_BUSY,		/* in use, or interrupted: try again */
	XPT_RDMA_NR_CLASSES,
};

enum xpt_rdma_sure { XPT_RDMA_LOW, XPT_RDMA_MEDIUM, XPT_RDMA_HIGH };

struct xpt_rdma_cause {
	enum xpt_rdma_class cls;
	enum xpt_rdma_sure sure;
	const char *what;	/* a sentence without its end; names no values */
	const char *advice;	/* one or two sentences */
};

/* diff: against good traces, or NULL; its tree is good. */
void xpt_rdma_classify(const struct xpt_rdma_trace *t, const struct xpt_rdma_chain *chain,
		       const struct xpt_rdma_diff *diff, const struct xpt_rdma_tree *good,
		       struct xpt_rdma_cause *ret_cause);
const char *xpt_rdma_class_name(enum xpt_rdma_class cls);	/* "resources" */
const char *xpt_rdma_class_title(enum xpt_rdma_class cls);	/* "no resources left" */
const char *xpt_rdma_sure_name(enum xpt_rdma_sure sure);	/* "high" */

#endif
