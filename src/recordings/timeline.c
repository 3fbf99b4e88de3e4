// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Cells and glyphs of the terminal's timeline, see timeline.h. Glyphs differ by
 * shape, so colours are not needed: filled for at least half of a cell, hollow
 * for less. In ASCII, upper and lower case.
 */
#include "recordings/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/strbuf.h"

enum kind { ALLOC, FREE, COPY, SET, LAUNCH, SYNC, OTHER, INFLIGHT, FAILED, NR_KINDS };

static const struct {
	const char *name, *full, *some, *ascii_full, *ascii_some;
} glyphs[NR_KINDS] = {
	[ALLOC] = { "alloc", "\u25b2", "\u25b3", "A", "a" },
	[FREE] = { "free", "\u25bc", "\u25bd", "F", "f" },
	[COPY] = { "copy", "\u25a0", "\u25a1", "C", "c" },
	[SET] = { "set", "\u25c6", "\u25c7", "S", "s" },
	[LAUNCH] = { "launch", "\u25cf", "\u25cb", "L", "l" },
	[SYNC] = { "wait", "\u2593", "\u2591", "W", "w" },
	[OTHER] = { "other", "\u2022", "\u00b7", "O", "o" },
	[INFLIGHT] = { "not returned", "\u00bb", "\u203a", ">", ">" },
	[FAILED] = { "failed", "\u2716", "\u2717", "X", "x" },
};

static enum kind kind_of(const struct xpt_call *c, bool inflight)
{
	if (inflight)
		return INFLIGHT;
	if (c->failed)
		return FAILED;
	switch (c->fn->cls) {
	case XPT_CLASS_ALLOC:
		return ALLOC;
	case XPT_CLASS_FREE:
		return FREE;
	case XPT_CLASS_COPY:
		return COPY;
	case XPT_CLASS_SET:
		return SET;
	case XPT_CLASS_LAUNCH:
		return LAUNCH;
	case XPT_CLASS_SYNC:
		return SYNC;
	default:
		return OTHER;
	}
}

int xpt_tl_grid__init(struct xpt_tl_grid *g, uint64_t from_ns, uint64_t to_ns, unsigned cells,
		      unsigned rows)
{
	*g = (struct xpt_tl_grid){ .from_ns = from_ns, .to_ns = to_ns, .cells = cells, .rows = rows };
	g->time = calloc((size_t)rows * XPT_TL_LAYERS * cells * NR_KINDS + 1, sizeof(*g->time));
	g->used = calloc((size_t)rows * XPT_TL_LAYERS + 1, sizeof(*g->used));
	g->lost = calloc(cells, sizeof(*g->lost));
	if (g->time && g->used && g->lost)
		return 0;
	xpt_tl_grid__free(g);
	return -ENOMEM;
}

void xpt_tl_grid__free(struct xpt_tl_grid *g)
{
	free(g->time);
	free(g->used);
	free(g->lost);
	*g = (struct xpt_tl_grid){ 0 };
}

static double cell_ns(const struct xpt_tl_grid *g)
{
	return (double)(g->to_ns - g->from_ns) / g->cells;
}

static unsigned cell_of(const struct xpt_tl_grid *g, uint64_t ts_ns)
{
	unsigned cell = (unsigned)((double)(ts_ns - g->from_ns) / cell_ns(g));

	return cell < g->cells ? cell : g->cells - 1;
}

void xpt_tl_grid__add(struct xpt_tl_grid *g, unsigned row, const struct xpt_call *c, bool inflight)
{
	unsigned layer = c->depth < XPT_TL_LAYERS ? c->depth : XPT_TL_LAYERS - 1, first, last;
	uint64_t start = c->start_ns, end = c->start_ns + c->dur_ns;
	enum kind kind = kind_of(c, inflight);
	float *time;

	if (end < g->from_ns || start > g->to_ns || row >= g->rows)
		return;
	start = start < g->from_ns ? g->from_ns : start;
	end = end > g->to_ns ? g->to_ns : end;
	first = cell_of(g, start);
	last = cell_of(g, end);
	g->used[row * XPT_TL_LAYERS + layer] = true;
	time = g->time + ((size_t)(row * XPT_TL_LAYERS + layer) * g->cells) * NR_KINDS + kind;
	for (unsigned i = first; i <= last; i++) {
		double left = (double)g->from_ns + i * cell_ns(g), right = left + cell_ns(g);

		left = (double)start > left ? (double)start : left;
		right = (double)end < right ? (double)end : right;
		/* A call of duration 0 gets a share of its cell, too. */
		time[i * NR_KINDS] += right > left ? (float)(right - left) : 1e-3f;
	}
}

void xpt_tl_grid__lose(struct xpt_tl_grid *g, uint64_t ts_ns)
{
	if (ts_ns >= g->from_ns && ts_ns <= g->to_ns)
		g->lost[cell_of(g, ts_ns)] = true;
}

/* Returns the glyph of a cell: failures always show, then the kind that took most time. */
static const char *choose_glyph(const float *time, double cell, bool utf8)
{
	unsigned best = NR_KINDS;
	float sum = 0;

	for (unsigned k = 0; k < NR_KINDS; k++) {
		sum += time[k];
		if (time[k] > 0 && (best == NR_KINDS || time[k] > time[best] || k == FAILED))
			best = k;
	}
	if (best == NR_KINDS)
		return " ";
	if ((double)sum * 2 >= cell)
		return utf8 ? glyphs[best].full : glyphs[best].ascii_full;
	return utf8 ? glyphs[best].some : glyphs[best].ascii_some;
}

static void cut_blanks(struct xpt_strbuf *sb)
{
	while (sb->len && sb->s[sb->len - 1] == ' ')
		sb->s[--sb->len] = '\0';
}

void xpt_tl_grid__line(const struct xpt_tl_grid *g, unsigned row, unsigned layer, bool utf8,
		       struct xpt_strbuf *sb)
{
	const float *time = g->time + (size_t)(row * XPT_TL_LAYERS + layer) * g->cells * NR_KINDS;

	for (unsigned i = 0; i < g->cells; i++)
		xpt_strbuf__add(sb, choose_glyph(time + i * NR_KINDS, cell_ns(g), utf8));
	cut_blanks(sb);
}

void xpt_tl_grid__lost_line(const struct xpt_tl_grid *g, struct xpt_strbuf *sb)
{
	for (unsigned i = 0; i < g->cells; i++)
		xpt_strbuf__addc(sb, g->lost[i] ? '!' : ' ');
	cut_blanks(sb);
}

void xpt_tl__legend(unsigned columns, bool utf8, struct xpt_strbuf *sb)
{
	size_t at = 0;

	for (unsigned k = 0; k < NR_KINDS; k++) {
		size_t n = strlen(glyphs[k].name) + 3;

		if (at && at + 1 + n > columns) {
			xpt_strbuf__addc(sb, '\n');
			at = 0;
		}
		if (at)
			xpt_strbuf__add(sb, " ");
		at += n + (at != 0);
		xpt_strbuf__add(sb, utf8 ? glyphs[k].full : glyphs[k].ascii_full);
		xpt_strbuf__add(sb, utf8 ? glyphs[k].some : glyphs[k].ascii_some);
		xpt_strbuf__addc(sb, ' ');
		xpt_strbuf__add(sb, glyphs[k].name);
	}
	xpt_strbuf__addc(sb, '\n');
	if (columns >= 60)
		xpt_strbuf__add(sb, utf8 ? "filled: at least half of the column, hollow: less\n"
					 : "upper case: at least half of the column, lower: less\n");
}

void xpt_tl__add_ms(struct xpt_strbuf *sb, uint64_t ns, bool fine)
{
	xpt_strbuf__addu64(sb, ns / 1000000);
	if (fine)
		xpt_strbuf__addf(sb, ".%06u ms", (unsigned)(ns % 1000000));
	else
		xpt_strbuf__addf(sb, ".%03u ms", (unsigned)(ns / 1000 % 1000));
}
