/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The probe in the GPU driver that sees its reports (Xid) as they are made.
 */
#ifndef XPT_ENGINE_SOURCES_XIDS_XID_PROBE_H
#define XPT_ENGINE_SOURCES_XIDS_XID_PROBE_H

#include <stdint.h>
#include "engine/sources/xids/xid_merge.h"

struct call_bpf;
struct ring_buffer;
struct xpt_engine;

struct xpt_xid_probe {
	int fds[2];		/* the link, and the perf event of a kprobe; -1: none */
	uint32_t source;	/* enum xpt_xid_source; 0: not attached */
	uint64_t since_ns;	/* attached at that time, if it is */
	uint64_t module;	/* of which module it is (xpt_kmodule__born); 0: none */
	struct ring_buffer *ring;
	struct xpt_engine *e;
	struct xpt_xid_merge *merge;	/* gets each report, */
	xpt_xid_fn emit;	/* and so does this, with e */
};

/* Makes the programs load with the others. */
void xpt_xid_probe__configure(struct call_bpf *skel);
void xpt_xid_probe__init(struct xpt_xid_probe *p, struct xpt_engine *e, struct xpt_xid_merge *merge, xpt_xid_fn emit);
/*
 * Attaches it when the driver is there, once each time that it is loaded: by its
 * tracepoint, which keeps the driver from being unloaded, else by a kprobe.
 */
void xpt_xid_probe__look(struct xpt_xid_probe *p);
/* Emits the reports that have come since. */
void xpt_xid_probe__read(struct xpt_xid_probe *p);
void xpt_xid_probe__stop(struct xpt_xid_probe *p);

#endif
