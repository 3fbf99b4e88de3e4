// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Pages of text: lines that are cut to the width, tables, and the frame of title, panel and last line. See view.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fmt.h"
#include "model/text.h"
#include "top/draw.h"

#define LINE_BYTES 4096

/* --- lines ------------------------------------------------------------------------------------------ */

struct xpt_strbuf *xpt_top_draw__line(struct xpt_top_draw *d, enum xpt_top_look look)
{
	static struct xpt_strbuf nowhere;	/* where there is no memory */
	struct xpt_top_page *p = d->page;
	struct xpt_top_line *larger;

	if (!(p->nr & (p->nr - 1))) {
		larger = reallocarray(p->line, p->nr ? 2ul * p->nr : 1, sizeof(*p->line));
		if (!larger) {
			p->err = -ENOMEM;
			return &nowhere;
		}
		p->line = larger;
	}
	p->line[p->nr].look = look;
	xpt_strbuf__init(&p->line[p->nr].text, LINE_BYTES);
	return &p->line[p->nr++].text;
}

void xpt_top_draw__say(struct xpt_top_draw *d, enum xpt_top_look look, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	xpt_text__add(xpt_top_draw__line(d, look), text, d->page->width, d->v->utf8);
}

void xpt_top_page__free(struct xpt_top_page *page)
{
	for (unsigned i = 0; i < page->nr; i++)
		xpt_strbuf__free(&page->line[i].text);
	free(page->line);
	*page = (struct xpt_top_page){ .line = NULL };
}

/* --- tables ------------------------------------------------------------------------------------------- */

static bool is_shown(const struct xpt_top_draw *d, const struct xpt_top_column *c)
{
	return d->page->width >= c->from;
}

/* Returns the width that is left for the column that takes the rest. */
static unsigned rest_of(const struct xpt_top_draw *d, const struct xpt_top_table *t)
{
	unsigned used = 0;

	for (unsigned i = 0; i < t->nr; i++)
		used += is_shown(d, &t->column[i]) ? t->column[i].width + 1 : 0;
	return used < d->page->width ? d->page->width - used + 1 : 1;
}

static void add_cell(struct xpt_strbuf *sb, const struct xpt_top_draw *d, const struct xpt_top_column *c, unsigned rest,
		     const char *text)
{
	if (sb->len)
		xpt_strbuf__addc(sb, ' ');
	xpt_text__cell(sb, text, c->width ? c->width : rest, !c->is_left, d->v->utf8);
}

void xpt_top_draw__head(struct xpt_top_draw *d, const struct xpt_top_table *t)
{
	struct xpt_strbuf *sb = xpt_top_draw__line(d, XPT_TOP_HEAD);
	unsigned rest = rest_of(d, t);

	for (unsigned i = 0; i < t->nr; i++)
		if (is_shown(d, &t->column[i]))
			add_cell(sb, d, &t->column[i], rest, t->column[i].head);
}

void xpt_top_draw__row(struct xpt_top_draw *d, const struct xpt_top_table *t, const void *row, bool is_selected)
{
	enum xpt_top_look look = t->look ? t->look(d, row) : XPT_TOP_PLAIN;
	struct xpt_strbuf *sb = xpt_top_draw__line(d, is_selected ? XPT_TOP_SELECTED : look);
	unsigned rest = rest_of(d, t);
	char text[XPT_TOP_CELL];

	for (unsigned i = 0; i < t->nr; i++) {
		if (!is_shown(d, &t->column[i]))
			continue;
		text[0] = '\0';
		t->column[i].print(d, row, text, sizeof(text));
		add_cell(sb, d, &t->column[i], rest, text);
	}
}

static void note_range(struct xpt_top_draw *d, uint32_t top, uint32_t room, uint32_t nr)
{
	d->first = top + 1;
	d->last = top + room;
	d->all = nr;
}

void xpt_top_draw__rows(struct xpt_top_draw *d, const struct xpt_top_table *t, const void *const *rows, uint32_t nr,
			uint32_t selected, uint32_t *top, unsigned below)
{
	unsigned used = d->page->nr + below, room = d->page->height;

	room = !room ? nr : used < room ? room - used : 1;
	if (selected < nr && selected < *top)
		*top = selected;
	if (selected < nr && selected - *top >= room)
		*top = selected - room + 1;
	if (*top + room > nr)
		*top = nr > room ? nr - room : 0;
	if (room < nr)
		note_range(d, *top, room, nr);
	for (uint32_t i = *top; i < nr && i - *top < room; i++)
		xpt_top_draw__row(d, t, rows[i], i == selected && !d->v->is_page);
}

void xpt_top_draw__scroll(struct xpt_top_draw *d, uint32_t nr, uint32_t *ret_from, uint32_t *ret_to)
{
	unsigned used = d->page->nr + 1, room = d->page->height;
	uint32_t *top = &d->v->top[d->v->panel];
	int64_t at = (int64_t)*top + d->v->move, max;

	d->v->move = 0;
	room = !room ? nr : used < room ? room - used : 1;
	max = nr > room ? nr - room : 0;
	*top = (uint32_t)(at < 0 ? 0 : at > max ? max : at);
	*ret_from = *top;
	*ret_to = *top + (room < nr ? room : nr);
	if (room < nr)
		note_range(d, *top, room, nr);
}

uint32_t xpt_top_draw__select(struct xpt_top_view *v, uint32_t found, uint32_t nr)
{
	int64_t at = (found < nr ? (int64_t)found : 0) + v->move;

	v->move = 0;
	return at < 0 || !nr ? 0 : at >= nr ? nr - 1 : (uint32_t)at;
}

/* --- the frame ------------------------------------------------------------------------------------------ */

static uint32_t count_running(const struct xpt_top_rates *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->nr_processes; i++)
		n += r->process[i].process.pid && !r->process[i].process.ended_ns;
	return n;
}

/* Adds notes on rows that the page does not show. */
static void add_notes(const struct xpt_top_draw *d, char *buf, size_t n)
{
	int used = 0;

	buf[0] = '\0';
	if (d->r->now->cut)
		used = snprintf(buf, n, "too large: %" PRIu64 " rows cut  ", d->r->now->cut);
	if (d->all)
		snprintf(buf + used, n - (size_t)used, "lines %" PRIu32 "-%" PRIu32 " of %" PRIu32 "  ", d->first, d->last,
			 d->all);
}

/* Drawn last, into a line that is there already. */
static void draw_title(struct xpt_top_draw *d)
{
	const struct xpt_top_rates *r = d->r;
	char left[256], right[192] = "", time[32];
	struct xpt_strbuf *sb = &d->page->line[0].text;
	size_t used;

	snprintf(left, sizeof(left), "xputrace top: %s", d->v->source ? d->v->source : "");
	if (r) {
		uint32_t n = count_running(r);

		snprintf(left, sizeof(left), "xputrace top: %" PRIu32 " process%s, counted by %s", n, n == 1 ? "" : "es",
			 d->v->source ? d->v->source : "?");
		xpt_fmt_wall(r->now->unix_ns, time, sizeof(time));
		time[8] = '\0';		/* whole seconds */
		add_notes(d, right, sizeof(right));
		used = strlen(right);
		if (r->interval_ns)
			snprintf(right + used, sizeof(right) - used, "%.1f s to %s", (double)r->interval_ns / 1e9, time);
		else
			snprintf(right + used, sizeof(right) - used, "first look at %s", time);
	}
	used = xpt_text_columns(right, d->v->utf8) + 1;
	if (used > d->page->width)
		used = 0;
	xpt_text__cell(sb, left, d->page->width - used, false, d->v->utf8);
	if (used) {
		xpt_strbuf__addc(sb, ' ');
		xpt_strbuf__add(sb, right);
	}
}

/* A panel that is too long loses its end. */
static void cut_page(struct xpt_top_page *page, unsigned height)
{
	while (page->nr > height)
		xpt_strbuf__free(&page->line[--page->nr].text);
}

/* Tables need more columns than a narrow page has. */
static void cut_lines(struct xpt_top_draw *d)
{
	for (unsigned i = 0; i < d->page->nr; i++) {
		struct xpt_strbuf *text = &d->page->line[i].text, cut;

		if (xpt_text_columns(xpt_strbuf__str(text), d->v->utf8) <= d->page->width)
			continue;
		xpt_strbuf__init(&cut, LINE_BYTES);
		xpt_text__add(&cut, xpt_strbuf__str(text), d->page->width, d->v->utf8);
		xpt_strbuf__free(text);
		*text = cut;
	}
}

/* Draws the last line: the typed text, a message, or the keys. */
static void draw_foot(struct xpt_top_draw *d)
{
	static const char *const keys[] = {
		[XPT_TOP_PROCESSES] = "Enter functions  / filter  d devices  r RDMA  h help and sort keys  q quit",
		[XPT_TOP_FUNCTIONS] = "Esc back  t since start  sort: w share  c calls  b bytes  e errors  h help",
		[XPT_TOP_DEVICES] = "Esc back  r RDMA  h help  q quit",
		[XPT_TOP_RDMA] = "Esc back  d devices  h help  q quit",
		[XPT_TOP_HELP] = "Esc back  q quit",
	};
	const struct xpt_top_view *v = d->v;

	cut_page(d->page, d->page->height - 1);
	while (!d->page->err && d->page->nr + 1 < d->page->height)
		xpt_top_draw__line(d, XPT_TOP_PLAIN);
	if (v->typing)
		xpt_top_draw__say(d, XPT_TOP_BOLD, "Filter (name, user, container or pid): %s_", v->filter);
	else if (v->message)
		xpt_top_draw__say(d, XPT_TOP_ALERT, "%s", v->message);
	else
		xpt_top_draw__say(d, XPT_TOP_DIM, "%s", keys[v->panel]);
}

static void draw_panel(struct xpt_top_draw *d)
{
	switch (d->v->panel) {
	case XPT_TOP_FUNCTIONS:
		xpt_top_draw__functions(d);
		break;
	case XPT_TOP_DEVICES:
		xpt_top_draw__devices(d);
		break;
	case XPT_TOP_RDMA:
		xpt_top_draw__rdma(d);
		break;
	default:
		xpt_top_draw__processes(d);
	}
}

void xpt_top_view__draw(struct xpt_top_view *v, const struct xpt_top_rates *r, unsigned width, unsigned height,
			struct xpt_top_page *page)
{
	struct xpt_top_draw d = { .v = v, .r = r, .page = page };

	xpt_top_page__free(page);
	page->width = width ? width : 1;
	page->height = height;
	xpt_top_draw__line(&d, XPT_TOP_TITLE);
	if (v->panel == XPT_TOP_HELP)
		xpt_top_draw__help(&d);
	else if (r)
		draw_panel(&d);
	else
		xpt_top_draw__say(&d, XPT_TOP_DIM, "%s", v->nothing ? v->nothing : "Waiting for the first counts ...");
	if (page->nr)
		draw_title(&d);
	if (!v->is_page)
		draw_foot(&d);
	cut_lines(&d);
}
