/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much memory the machine had when a call got none: pages of CMA are free and still of no use to a
 * registration, which pins them for long.
 */
#ifndef XPT_SESSION_RDMA_MEMORY_H
#define XPT_SESSION_RDMA_MEMORY_H

#include "rdma/trace/trace.h"

#define XPT_RDMA_MEMINFO "/proc/meminfo"

/* Fills what a file of the form of /proc/meminfo tells; what it does not tell stays unknown. */
void xpt_rdma_memory__find(const char *path, struct xpt_rdma_trace *t);

#endif
