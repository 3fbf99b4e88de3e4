/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much memory the machine had when a call got none: pages of CMA are free and still of no use to a
 * registration, which pins them for long.
 */
#ifndef XPT_SESSION_RDMA_CONTEXT_FREE_MEMORY_H
#define XPT_SESSION_RDMA_CONTEXT_FREE_MEMORY_H

#include "rdma/trace/trace.h"

#define XPT_RDMA_MEMINFO "/proc/meminfo"

/* Fills the sizes from a file in the format of /proc/meminfo; sizes that it lacks stay unknown. */
void xpt_rdma_memory__find(const char *path, struct xpt_rdma_trace *t);

#endif
