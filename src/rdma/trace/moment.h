/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When something happened, and on which boot of which machine. Within a boot the monotonic clock says what came first,
 * whatever somebody did to the wall clock meanwhile; process ids and names of devices mean something within a boot, too.
 */
#ifndef XPT_RDMA_TRACE_MOMENT_H
#define XPT_RDMA_TRACE_MOMENT_H

#include "rdma/trace/trace.h"

struct xpt_rdma_moment {
	const char *host, *boot_id;	/* "" or NULL: not known */
	uint64_t monotonic_ns;		/* CLOCK_MONOTONIC of that boot; 0: not known, as in older files */
	uint64_t wall_ns;		/* since 1970 */
};

/* When the call began. The moment refers to the trace's texts. */
struct xpt_rdma_moment xpt_rdma_trace__moment(const struct xpt_rdma_trace *t);
/* Tells whether both may be of one boot of one machine: they do not differ in what is known of both. */
bool xpt_rdma_moment__may_share_boot(const struct xpt_rdma_moment *a, const struct xpt_rdma_moment *b);
/*
 * Returns how many ns after b the moment a was, negative if it was before: by the monotonic clock if both are known to
 * be of one boot, else by the wall clocks.
 */
int64_t xpt_rdma_moment__since(const struct xpt_rdma_moment *a, const struct xpt_rdma_moment *b);

#endif
