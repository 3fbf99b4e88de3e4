/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Facts about an RDMA call that its record does not have: the process's cgroup and container, the driver's version,
 * the lines of the kernel's log around it. For the commands that watch: `rdma watch`, and `run` and `attach` with
 * -d rdma.
 */
#ifndef XPT_SESSION_RDMA_CONTEXT_CONTEXT_H
#define XPT_SESSION_RDMA_CONTEXT_CONTEXT_H

#include "engine/rdma/rdma_probes.h"
#include "proc/cgroup.h"
#include "proc/klog.h"
#include "rdma/trace/evidence/firmware.h"
#include "rdma/trace/trace.h"
#include "session/rdma/context/gpu.h"

struct xpt_rdma_context {	/* zeroed before */
	struct xpt_klog *log;	/* NULL: it cannot be read */
	char version[64], firmware_version[64];	/* of driver and device of the last call, */
	const char *driver_why, *firmware_why;	/* or why they are not known */
	char version_of[XPT_RDMA_NAME + 1], device_of[XPT_RDMA_NAME + 1];
	uint64_t asked_ns;
	char cgroup[512], container[XPT_CONTAINER_LEN];
	const char *all[XPT_KLOG_LINES];	/* lines of the call's time, */
	const char *lines[XPT_RDMA_TRACE_LOG];	/* and those that are about it */
	struct xpt_rdma_firmware firmware;	/* by those lines */
	struct xpt_rdma_gpu gpu;
};

void xpt_rdma_context__open(struct xpt_rdma_context *c);
void xpt_rdma_context__close(struct xpt_rdma_context *c);
/* Completes a trace of that record; its texts are good until the next one. */
void xpt_rdma_context__fill(struct xpt_rdma_context *c, const struct xpt_wire_rdma_rec *r,
			    struct xpt_rdma_trace *t);

/* Reports why watching could not begin; err: the engine's return value. Returns an exit status. */
int xpt_rdma_explain(int err);
void xpt_rdma_tell_losses(const struct xpt_rdma_watch_stats *st);

#endif
