/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Facts about the machine's NVIDIA GPUs when an RDMA call failed: memory of a GPU that fell off the bus, or whose
 * driver is of another version than nvidia_peermem, cannot be registered.
 */
#ifndef XPT_SESSION_RDMA_CONTEXT_GPU_H
#define XPT_SESSION_RDMA_CONTEXT_GPU_H

#include "proc/klog.h"

struct xpt_rdma_gpu {
	char driver[64];	/* its version; "" if there is none */
	char error[192];	/* "Xid 79 on 0000:3b:00 (fell off the bus), in the 10 s before the call"; "": none */
};

/*
 * Looks at the driver's version in a file of sysfs, and at the last Xid in the log that was written before end_ns, at
 * most 10 minutes before the call's start. Times are of CLOCK_MONOTONIC. log: NULL if it cannot be read.
 */
void xpt_rdma_gpu__find(const struct xpt_klog *log, const char *version_path, uint64_t start_ns, uint64_t end_ns,
			struct xpt_rdma_gpu *ret_g);

#define XPT_RDMA_GPU_VERSION "/sys/module/nvidia/version"

#endif
