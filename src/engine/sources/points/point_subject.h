/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The description of a probe's function, by which it is found again and made known to kernel and stream. */
#ifndef XPT_ENGINE_SOURCES_POINTS_POINT_SUBJECT_H
#define XPT_ENGINE_SOURCES_POINTS_POINT_SUBJECT_H

#include "elf/dwarf/dwarf_args.h"
#include "engine/sources/points/domain_points.h"
#include "wire/point.h"

#define XPT_POINT_FN_ARGS 6		/* of any function: the integer argument registers */
#define XPT_POINT_CALL_ARGS 13		/* and seven words of the stack, for hooks on calls */

struct xpt_subject {		/* description of a function of the trace */
	const char *domain, *sym;
	uint8_t layer, nr_args;
	uint16_t strings;	/* bit i: argument i points to one */
	const struct xpt_wire_loc *loc;
	uint8_t cost_kind;	/* enum xpt_cost_kind */
	uint8_t hook;		/* 1 + number of its hook, 0: none */
	const struct xpt_domain *known;	/* of a hook: who knows the function, or NULL */
	const struct xpt_dwarf_fn *types;	/* its types by debug information, or NULL */
	struct xpt_point_row of;	/* whose probe it is */
};

#endif
