/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One trace entry as a line: the columns of SPDK's trace.py, and JSON. Time is
 * microseconds since the first entry, by the trace's own rate of the TSC.
 */
#ifndef XPT_SPDK_SPDK_LINE_H
#define XPT_SPDK_SPDK_LINE_H

#include "base/strbuf.h"
#include "spdk/join.h"
#include "spdk/spdk_record.h"
#include "spdk/spdk_trace.h"

struct xpt_spdk_clock {
	uint64_t rate, first;	/* ticks a second; of the first entry */
	/* Two moments by both clocks, which pictures go by; equal: not known. */
	struct xpt_spdk_pair begin, end;
};

/* Lines end with \n. Text that would move a cursor is replaced in text, not in JSON. */
void xpt_spdk_line__text(struct xpt_strbuf *sb, const struct xpt_spdk_clock *clock,
			 const struct xpt_spdk_entry *e, const struct xpt_spdk_note *note);
void xpt_spdk_line__json(struct xpt_strbuf *sb, const struct xpt_spdk_clock *clock,
			 const struct xpt_spdk_entry *e, const struct xpt_spdk_note *note);
/*
 * ticks * 10^6 / rate with 3 decimals, as a double shows them (%.3f): the exact quotient is rounded to a double
 * first. After width blanks, less its own length. rate: not 0.
 */
void xpt_spdk_line__add_us(struct xpt_strbuf *sb, bool negative, uint64_t ticks, uint64_t rate,
			   unsigned width);

#endif
