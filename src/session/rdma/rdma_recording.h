/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RDMA calls in a recording of `run` or `attach` (-d rdma): their lines
 * (docs/format.md), each with the calls of libraries that stood around it, and one for the
 * end of each process that has any.
 */
#ifndef XPT_SESSION_RDMA_RDMA_RECORDING_H
#define XPT_SESSION_RDMA_RDMA_RECORDING_H

#include <stdbool.h>
#include <stddef.h>

/* n bytes, without the line's end. */
typedef int (*xpt_rdma_line_fn)(void *ctx, const char *line, size_t n);

/* By its name, or JSON lines beside which xpt_read__pipeline() finds one. */
bool xpt_rdma_recording__is(const char *path);
/* All of them, until fn returns something else than 0. That, or -errno; it was said. */
int xpt_rdma_recording__read(const char *path, xpt_rdma_line_fn fn, void *ctx);

#endif
