/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes that the user named, in the engine: found in files and in mappings of
 * processes, attached once per inode.
 */
#ifndef XPT_ENGINE_SOURCES_POINTS_POINTS_H
#define XPT_ENGINE_SOURCES_POINTS_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include "engine/attach/shared_probe.h"
#include "kernel/bpf_links.h"

struct xpt_elib;
struct xpt_engine;
struct xpt_mapping;

/* Links points of a file and returns their number. semas: NULL, or 0 where a point has none. Changes the order. */
uint32_t xpt_points__link(struct xpt_engine *e, struct xpt_elib *lib, const char *path, uint64_t *offsets,
			  uint64_t *semas, uint64_t *cookies, uint32_t n);
uint32_t xpt_points__slow_links(const struct xpt_engine *e);	/* those of perf events, which close one by one */

#endif
