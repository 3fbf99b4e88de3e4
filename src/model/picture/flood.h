/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls that come faster than anybody can read lines: sums by function of the calls
 * since the last look, for a table that is shown in their place. It begins above
 * XPT_FLOOD_ABOVE calls in half a second of the trace and ends below half of that.
 */
#ifndef XPT_MODEL_PICTURE_FLOOD_H
#define XPT_MODEL_PICTURE_FLOOD_H

#include <stdbool.h>
#include <stdint.h>
#include "base/strbuf.h"
#include "model/event.h"

#define XPT_FLOOD_SPAN_NS 500000000ull	/* between two looks */
#define XPT_FLOOD_ABOVE 1500u
#define XPT_FLOOD_ROWS 8		/* functions that a table shows */

struct xpt_flood_fn {
	const struct xpt_fn *fn;	/* NULL: none */
	uint64_t calls, failed, time_ns, last;	/* last: calls at the last look */
};

struct xpt_flood {
	struct xpt_flood_fn *fns;	/* by function id; NULL until it begins for the first time */
	uint64_t span_ns, calls;	/* begin of the half second, calls in it */
	uint64_t since_ns, looked_ns, total;	/* begin and last table of this flood, its calls */
	bool on;
};

enum xpt_flood_step { XPT_FLOOD_SAME, XPT_FLOOD_BEGINS, XPT_FLOOD_LOOK, XPT_FLOOD_ENDS };

/* The stream has reached ts_ns. LOOK, ENDS: a table is due; after ENDS lines go on. */
enum xpt_flood_step xpt_flood__pass(struct xpt_flood *f, uint64_t ts_ns);
/* A call. True: it is in the sums, else it is to have a line. */
bool xpt_flood__add(struct xpt_flood *f, const struct xpt_call *c);
/* A table of at most XPT_FLOOD_ROWS + 2 lines; returns their number. */
unsigned xpt_flood__table(struct xpt_flood *f, uint64_t ts_ns, unsigned columns, bool utf8,
			  struct xpt_strbuf *sb);
void xpt_flood__free(struct xpt_flood *f);

#endif
