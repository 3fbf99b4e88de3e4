/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Calls of the kernel's RDMA interface, by method and errno (cfg.uverbs). */
#ifndef XPT_ENGINE_SOURCES_UVERBS_SOURCE_H
#define XPT_ENGINE_SOURCES_UVERBS_SOURCE_H

struct xpt_engine;

/* Why the kernel refused probes on a module that is loaded: -errno, or 0. */
int xpt_uverbs__refused(const struct xpt_engine *e);

#endif
