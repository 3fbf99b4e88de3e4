/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Describes functions of the trace that are points, and places of them, to kernel and stream. */
#ifndef XPT_ENGINE_SOURCES_POINTS_POINT_FNS_H
#define XPT_ENGINE_SOURCES_POINTS_POINT_FNS_H

#include "engine/priv.h"
#include "engine/sources/points/point_subject.h"

struct xpt_point_file;

/* Returns the function's id, made for f if it is new; 0 if there is no room. */
uint32_t xpt_point_fns__id(struct xpt_engine *e, const struct xpt_subject *s, const struct xpt_point_file *f);
/*
 * Names of enumerations that these hooks (a bit each) ask for, from the file at path; without time numbers are shown.
 */
void xpt_point_fns__read_enums(struct xpt_engine *e, const struct xpt_point_file *f, uint64_t hooks, const char *path);
/* Whether it needs no new function, because there is one of that name and description, or it gets none. */
bool xpt_point_fns__has(struct xpt_engine *e, const struct xpt_subject *s);
/* Finds or makes the description of a place, which like places share. Returns false if there is no room. */
bool xpt_point_fns__place(struct xpt_engine *e, const struct xpt_subject *s, const struct xpt_point_file *f,
			  uint32_t *ret_id);

#endif
