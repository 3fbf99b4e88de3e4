/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sums by function in the place of too many lines, see flood.h.
 */
#include "model/picture/flood.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/fmt.h"
#include "model/text.h"

#define NUMBERS_W 44	/* columns of CALLS, CALLS/S, FAILED, TIME and MEAN */
#define MIN_NAME 12

static bool begin_sums(struct xpt_flood *f, uint64_t ts_ns)
{
	if (!f->fns)
		f->fns = calloc(XPT_MAX_FNS, sizeof(*f->fns));
	else
		memset(f->fns, 0, XPT_MAX_FNS * sizeof(*f->fns));
	f->on = f->fns != NULL;	/* without memory lines go on */
	f->since_ns = f->looked_ns = ts_ns;
	f->total = 0;
	return f->on;
}

enum xpt_flood_step xpt_flood__pass(struct xpt_flood *f, uint64_t ts_ns)
{
	bool over = f->calls > XPT_FLOOD_ABOVE, late = ts_ns >= f->span_ns + XPT_FLOOD_SPAN_NS;

	if (!f->on && over && !late)	/* not only when the half second is over */
		return begin_sums(f, ts_ns) ? XPT_FLOOD_BEGINS : XPT_FLOOD_SAME;
	if (!late)
		return XPT_FLOOD_SAME;
	over = f->calls > XPT_FLOOD_ABOVE / 2;
	f->span_ns = ts_ns;
	f->calls = 0;
	if (!f->on)
		return XPT_FLOOD_SAME;
	f->on = over;
	return over ? XPT_FLOOD_LOOK : XPT_FLOOD_ENDS;
}

bool xpt_flood__add(struct xpt_flood *f, const struct xpt_call *c)
{
	struct xpt_flood_fn *s;

	f->calls++;
	if (!f->on)
		return false;
	s = &f->fns[c->fn->id % XPT_MAX_FNS];
	s->fn = c->fn;
	s->calls++;
	s->failed += c->failed;
	s->time_ns += c->dur_ns;
	f->total++;
	return true;
}

/* The functions with most calls since the last look, most first. */
static unsigned pick_rows(const struct xpt_flood *f, struct xpt_flood_fn **top)
{
	unsigned n = 0, at;

	for (size_t i = 0; i < XPT_MAX_FNS; i++) {
		struct xpt_flood_fn *s = &f->fns[i];

		for (at = n; at && top[at - 1]->calls - top[at - 1]->last < s->calls - s->last; at--)
			;
		if (!s->fn || at == XPT_FLOOD_ROWS)
			continue;
		n += n < XPT_FLOOD_ROWS;
		memmove(&top[at + 1], &top[at], (n - 1 - at) * sizeof(*top));
		top[at] = s;
	}
	return n;
}

static void add_row(const struct xpt_flood_fn *s, unsigned name, bool utf8, uint64_t ns,
		    struct xpt_strbuf *sb)
{
	char calls[32], rate[32], failed[32], time[32], mean[32], text[128];
	double per_s = ns ? (double)(s->calls - s->last) * 1e9 / (double)ns : 0;

	xpt_text__cell(sb, s->fn->name, name, false, utf8);
	snprintf(text, sizeof(text), " %9s %8s %7s %8s %8s\n", xpt_fmt_count(s->calls, calls, sizeof(calls)),
		 xpt_fmt_count((uint64_t)per_s, rate, sizeof(rate)),
		 xpt_fmt_count(s->failed, failed, sizeof(failed)), xpt_fmt_ns(s->time_ns, time, sizeof(time)),
		 xpt_fmt_ns(s->time_ns / s->calls, mean, sizeof(mean)));
	xpt_strbuf__add(sb, text);
}

unsigned xpt_flood__table(struct xpt_flood *f, uint64_t ts_ns, unsigned columns, bool utf8,
			  struct xpt_strbuf *sb)
{
	struct xpt_flood_fn *top[XPT_FLOOD_ROWS];
	unsigned name = columns > NUMBERS_W + MIN_NAME ? columns - NUMBERS_W - 1 : MIN_NAME, n;
	char calls[32], age[32];

	if (!f->fns)
		return 0;
	n = pick_rows(f, top);
	xpt_strbuf__addf(sb, "# %s calls in %s, too many for lines: sums by function\n",
			 xpt_fmt_count(f->total, calls, sizeof(calls)),
			 xpt_fmt_ns(ts_ns > f->since_ns ? ts_ns - f->since_ns : 0, age, sizeof(age)));
	xpt_text__cell(sb, "FUNCTION", name, false, utf8);
	xpt_strbuf__addf(sb, " %9s %8s %7s %8s %8s\n", "CALLS", "CALLS/S", "FAILED", "TIME", "MEAN");
	for (unsigned i = 0; i < n; i++)
		add_row(top[i], name, utf8, ts_ns - f->looked_ns, sb);
	for (size_t i = 0; i < XPT_MAX_FNS; i++)
		f->fns[i].last = f->fns[i].calls;
	f->looked_ns = ts_ns;
	return n + 2;
}

void xpt_flood__free(struct xpt_flood *f)
{
	free(f->fns);
	f->fns = NULL;
}
