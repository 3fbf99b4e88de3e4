/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The cause of a failed call: its class, how sure that is, and the sentences that say it.
 */
#ifndef XPT_RDMA_TRACE_CAUSE_H
#define XPT_RDMA_TRACE_CAUSE_H

/* Names are in outputs: append only. */
enum xpt_rdma_class {
	XPT_RDMA_UNKNOWN,
	XPT_RDMA_RESOURCES,	/* the device or a table of the kernel is full */
	XPT_RDMA_LIMITS,	/* limits of the process, privileges */
	XPT_RDMA_PARAMETER,	/* the program's request makes no sense */
	XPT_RDMA_DEVICE,	/* device or firmware */
	XPT_RDMA_UNSUPPORTED,
	XPT_RDMA_LINK,		/* network, addresses, asynchronous events */
	XPT_RDMA_DEFECT,	/* of a driver or of the kernel */
	XPT_RDMA_KERNEL_MEMORY,
	XPT_RDMA_BUSY,		/* in use, or interrupted: try again */
	XPT_RDMA_NR_CLASSES,
};

enum xpt_rdma_confidence { XPT_RDMA_LOW, XPT_RDMA_MEDIUM, XPT_RDMA_HIGH };

struct xpt_rdma_cause {
	enum xpt_rdma_class cls;
	enum xpt_rdma_confidence confidence;
	const char *sentence;	/* without its full stop; names no values */
	const char *advice;	/* one or two sentences */
};

#endif
