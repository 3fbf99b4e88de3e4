/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Points that a domain knows: those of its provider that have a row. For points.c.
 */
#ifndef XPT_ENGINE_SOURCES_POINTS_DOMAIN_POINTS_H
#define XPT_ENGINE_SOURCES_POINTS_DOMAIN_POINTS_H

#include <stdbool.h>
#include <stdint.h>
#include "elf/usdt.h"
#include "model/domain/captures.h"

struct xpt_engine;

struct xpt_point_row {
	const struct xpt_domain *d;	/* NULL: none */
	const struct xpt_fn_row *row;
};

/* Returns the row of a place, if one of these probes belongs to a domain that has a row for it. */
bool xpt_domain_points__find(struct xpt_engine *e, uint64_t probes, const struct xpt_usdt_site *s,
			     struct xpt_point_row *ret_row);
void xpt_domain_points__captures(const struct xpt_point_row *r, struct xpt_captures *ret_caps);
/* Removes the capture of the TSC if the probe has a constant in its place. loc: locations of the place. */
void xpt_domain_points__fix_args(const struct xpt_point_row *r, struct xpt_wire_loc *loc);
struct xpt_enum;
/*
 * Writes the names of the numbers of states in that file and in those before it; numbers that differ in meaning have
 * none. written: the names written so far, for each of XPT_KIND__MAX kinds of objects; the caller frees each.
 */
void xpt_domain_points__write_names(struct xpt_engine *e, struct xpt_enum **written, const struct xpt_domain *d, const char *path);

#endif
