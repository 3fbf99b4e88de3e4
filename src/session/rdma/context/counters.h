/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters of RDMA ports around calls that failed. A reader process (devices/reader.h) reads them every 10 s, and once
 * more after a failure, at most once a second. Only then is it waited for, and not for long.
 */
#ifndef XPT_SESSION_RDMA_CONTEXT_COUNTERS_H
#define XPT_SESSION_RDMA_CONTEXT_COUNTERS_H

#include "rdma/trace/evidence/moved.h"

struct xpt_rdma_counters;

/* root: the folder to read instead of /sys; NULL: /sys. Returns 0 or -errno. */
int xpt_rdma_counters__new(const char *root, struct xpt_rdma_counters **ret_c);
void xpt_rdma_counters__free(struct xpt_rdma_counters *c);	/* NULL is fine */
/* Does the work that is due. now_ns: CLOCK_MONOTONIC. NULL is fine. */
void xpt_rdma_counters__step(struct xpt_rdma_counters *c, uint64_t now_ns);
/* Waits for the first reading, for 200 ms at most: calls that fail soon are compared with it. NULL is fine. */
void xpt_rdma_counters__await(struct xpt_rdma_counters *c);
/*
 * Returns the counters that moved around a call that failed; may wait for 50 ms. Good until the next call of this
 * function.
 */
const struct xpt_rdma_moved *xpt_rdma_counters__around(struct xpt_rdma_counters *c, const char *device, uint64_t start_ns,
						       uint64_t end_ns);

#endif
