/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pieces of which pages are drawn: lines, tables, short numbers, lists in order. Between the files of this folder
 * only.
 */
#ifndef XPT_TOP_DRAW_H
#define XPT_TOP_DRAW_H

#include "top/view.h"

#define XPT_TOP_CELL 160		/* bytes of a cell */
#define XPT_TOP_LONG_NS 5000000000ull	/* a call that has lasted longer wants attention */

struct xpt_top_draw {			/* a page that is being drawn */
	struct xpt_top_view *v;
	const struct xpt_top_rates *r;
	struct xpt_top_page *page;
	/* The shown lines of a list, from 1 on, and how many lines it has. All 0: the whole list is shown. */
	uint32_t first, last, all;
};

struct xpt_top_column {
	const char *head;
	unsigned width;			/* 0: the rest of the line; one column of a table */
	unsigned from;			/* shown on pages that are at least so wide */
	bool is_left;			/* aligned */
	void (*print)(const struct xpt_top_draw *d, const void *row, char *buf, size_t n);
};

struct xpt_top_table {
	const struct xpt_top_column *column;
	unsigned nr;
	enum xpt_top_look (*look)(const struct xpt_top_draw *d, const void *row);	/* NULL: all are plain */
};

/* A new line; add to its text. Never NULL. */
struct xpt_strbuf *xpt_top_draw__line(struct xpt_top_draw *d, enum xpt_top_look look);
void xpt_top_draw__say(struct xpt_top_draw *d, enum xpt_top_look look, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void xpt_top_draw__head(struct xpt_top_draw *d, const struct xpt_top_table *t);
void xpt_top_draw__row(struct xpt_top_draw *d, const struct xpt_top_table *t, const void *row, bool is_selected);
/*
 * The rows of a list of pointers, as many as there is room for above `below` lines; selected: a row, or nr for none.
 * *top is moved so that it is among them.
 */
void xpt_top_draw__rows(struct xpt_top_draw *d, const struct xpt_top_table *t, const void *const *rows, uint32_t nr,
			uint32_t selected, uint32_t *top, unsigned below);
/*
 * Chooses which of the nr lines of a panel without a selection are drawn below the present lines of the page: from
 * ret_from to the line before ret_to. Keys scroll them.
 */
void xpt_top_draw__scroll(struct xpt_top_draw *d, uint32_t nr, uint32_t *ret_from, uint32_t *ret_to);
/* Returns the selected row: `found` (nr: it is gone), moved by the keys that were pressed. */
uint32_t xpt_top_draw__select(struct xpt_top_view *v, uint32_t found, uint32_t nr);

/* Short numbers, at most 5 characters: "0.5", "12", "1.2k"; "512", "1.5K", "12.3G"; "100%"; "31s", "5m04", "2h10". */
void xpt_top_fmt_rate(double by_second, char *buf, size_t n);
void xpt_top_fmt_bytes(double bytes, char *buf, size_t n);
void xpt_top_fmt_share(double share, char *buf, size_t n);
void xpt_top_fmt_age(uint64_t ns, char *buf, size_t n);

/* Processes of the view in its order; the caller frees the list. NULL: no memory. */
const struct xpt_top_process **xpt_top_list__processes(const struct xpt_top_view *v, const struct xpt_top_rates *r,
							uint32_t *ret_nr);
const struct xpt_top_function **xpt_top_list__functions(const struct xpt_top_view *v, const struct xpt_top_rates *r,
							 const struct xpt_top_process *p, uint32_t *ret_nr);

/*
 * How long the calls of a function took: its lines on this page, 0 where they find no room below three rows; and
 * draws them.
 */
unsigned xpt_top_durations__lines(const struct xpt_top_draw *d, const struct xpt_top_function *f);
void xpt_top_durations__draw(struct xpt_top_draw *d, const struct xpt_top_function *f, bool is_process);

/* The panels. */
void xpt_top_draw__gpus(struct xpt_top_draw *d, unsigned max);	/* a line each */
void xpt_top_draw__processes(struct xpt_top_draw *d);
void xpt_top_draw__functions(struct xpt_top_draw *d);
void xpt_top_draw__devices(struct xpt_top_draw *d);
void xpt_top_draw__rdma(struct xpt_top_draw *d);
void xpt_top_draw__help(struct xpt_top_draw *d);

#endif
