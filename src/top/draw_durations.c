// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The histogram of one function: a line for each bucket from the first to the last one that has calls. See draw.h. */
#include <inttypes.h>
#include <stdio.h>

#include "base/fmt.h"
#include "model/text.h"
#include "top/draw.h"

#define MIN_ROWS 3			/* of functions, above */
#define BEFORE_BAR 39			/* columns */

struct histogram {
	const uint64_t *calls;
	bool since_start;
	unsigned first, end;		/* buckets that are drawn: end is one past the last */
};

/* Without an interval there are only the counts since the start. */
static struct histogram choose_histogram(const struct xpt_top_draw *d, const struct xpt_top_function *f)
{
	struct histogram h = { .since_start = d->v->since_start || !d->r->interval_ns };

	h.calls = h.since_start ? f->row->took : f->took;
	while (h.end < XPT_DURATIONS && !h.calls[h.end])
		h.end++;
	h.first = h.end;
	for (unsigned i = h.first; i < XPT_DURATIONS; i++)
		h.end = h.calls[i] ? i + 1 : h.end;
	return h;
}

unsigned xpt_top_durations__lines(const struct xpt_top_draw *d, const struct xpt_top_function *f)
{
	struct histogram h = choose_histogram(d, f);
	unsigned lines = 1 + h.end - h.first;

	/* The document does not say how long they took, or no call has returned yet. */
	if (xpt_durations__quantile(f->row->took, 50) == XPT_DURATIONS)
		return 0;
	return d->page->nr + MIN_ROWS + lines + 1 <= d->page->height ? lines : 0;
}

static void draw_bucket(struct xpt_top_draw *d, const struct histogram *h, unsigned i, uint64_t most)
{
	struct xpt_strbuf *sb = xpt_top_draw__line(d, XPT_TOP_PLAIN);
	char from[16] = "0", to[16] = "", calls[24];

	if (i)
		xpt_fmt_ns(xpt_durations__bound(i - 1), from, sizeof(from));
	if (i < XPT_DURATION_BOUNDS)
		xpt_fmt_ns(xpt_durations__bound(i), to, sizeof(to));
	xpt_strbuf__addf(sb, "%8s - %8s %10s %3s %3s ", from, to, xpt_fmt_count(h->calls[i], calls, sizeof(calls)),
			 xpt_durations__quantile(h->calls, 50) == i ? "p50" : "",
			 xpt_durations__quantile(h->calls, 99) == i ? "p99" : "");
	xpt_text__bar(sb, h->calls[i], most, d->page->width > BEFORE_BAR ? d->page->width - BEFORE_BAR : 1, d->v->utf8);
}

void xpt_top_durations__draw(struct xpt_top_draw *d, const struct xpt_top_function *f, bool is_process)
{
	struct histogram h = choose_histogram(d, f);
	const char *whose = is_process ? "this process" : "these processes";
	double seconds = (double)d->r->interval_ns / 1e9;
	uint64_t most = 0;

	for (unsigned i = h.first; i < h.end; i++)
		most = h.calls[i] > most ? h.calls[i] : most;
	if (h.since_start)
		xpt_top_draw__say(d, XPT_TOP_BOLD, "LATENCY %s, of %s, since the start", f->function->name, whose);
	else
		xpt_top_draw__say(d, XPT_TOP_BOLD, most ? "LATENCY %s, of %s, in %.1f s" :
				  "LATENCY %s, of %s: no call has returned in %.1f s", f->function->name, whose, seconds);
	for (unsigned i = h.first; i < h.end; i++)
		draw_bucket(d, &h, i, most);
}
