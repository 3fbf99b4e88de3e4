/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When returns of functions were missed: the kernel counts them, and says neither when nor of which
 * call. A call during which the count may have grown may lack some.
 */
#ifndef XPT_RDMA_TRACE_MISSES_H
#define XPT_RDMA_TRACE_MISSES_H

#include <stdbool.h>
#include <stdint.h>

struct xpt_rdma_misses {	/* zeroed: nothing was missed yet */
	uint64_t count, asked_ns;	/* when the kernel was asked last */
	uint64_t from_ns, to_ns;	/* between these the count grew last; to_ns 0: never */
};

/* The count as the kernel has it at now_ns; all times are of CLOCK_MONOTONIC. */
void xpt_rdma_misses__set(struct xpt_rdma_misses *m, uint64_t count, uint64_t now_ns);
/* Whether returns of a call between these times may have been missed. */
bool xpt_rdma_misses__during(const struct xpt_rdma_misses *m, uint64_t start_ns, uint64_t end_ns);

#endif
