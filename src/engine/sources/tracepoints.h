/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tracepoints of the kernel, which hooks name.
 */
#ifndef XPT_ENGINE_SOURCES_TRACEPOINTS_H
#define XPT_ENGINE_SOURCES_TRACEPOINTS_H

#include <stdbool.h>

/* Calls fn for each tracepoint; false: there is no tracefs. */
bool xpt_tracepoints__each(void (*fn)(void *ctx, const char *category, const char *name), void *ctx);

#endif
