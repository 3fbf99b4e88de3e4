/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The picture of `xputrace timeline`: rows of cells in which calls leave their
 * time by class, printed with the glyph of the class that took most of it.
 */
#ifndef XPT_RECORDINGS_TIMELINE_H
#define XPT_RECORDINGS_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/event.h"

#define XPT_TL_LAYERS 3	/* rows of one thread: outermost calls, calls inside them, and deeper */

struct xpt_tl_grid {
	uint64_t from_ns, to_ns;	/* to_ns > from_ns */
	unsigned cells, rows;		/* rows of XPT_TL_LAYERS lines each */
	float *time;			/* [row][layer][cell][kind]: ns */
	bool *used;			/* [row][layer] */
	bool *lost;			/* [cell]: losses were recorded here */
};

/* Allocates; 0 or -ENOMEM. */
int xpt_tl_grid__init(struct xpt_tl_grid *g, uint64_t from_ns, uint64_t to_ns, unsigned cells,
		      unsigned rows);
void xpt_tl_grid__free(struct xpt_tl_grid *g);	/* zeroed is fine */
/* A call of a row; inflight: it has not returned. */
void xpt_tl_grid__add(struct xpt_tl_grid *g, unsigned row, const struct xpt_call *c, bool inflight);
void xpt_tl_grid__lose(struct xpt_tl_grid *g, uint64_t ts_ns);
/* One line of cells, trailing blanks cut, into sb. */
struct xpt_strbuf;
void xpt_tl_grid__line(const struct xpt_tl_grid *g, unsigned row, unsigned layer, bool utf8,
		       struct xpt_strbuf *sb);
void xpt_tl_grid__lost_line(const struct xpt_tl_grid *g, struct xpt_strbuf *sb);
/* Appends the meanings of the glyphs, in lines of at most columns. */
void xpt_tl__legend(unsigned columns, bool utf8, struct xpt_strbuf *sb);
/* "12.345 ms"; fine: six digits after the point. */
void xpt_tl__add_ms(struct xpt_strbuf *sb, uint64_t ns, bool fine);

#endif
