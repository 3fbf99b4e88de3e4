/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * OpenMetrics 1.0, the other format that clients of metrics ask for: whether one asks for it, and a page of the text
 * format of Prometheus (base/formats/prom.h) in it. Samples are the same in both; only the lines before them differ.
 */
#ifndef XPT_HTTP_OPENMETRICS_H
#define XPT_HTTP_OPENMETRICS_H

#include <stdbool.h>
#include <stddef.h>
#include "base/strbuf.h"

#define XPT_OPENMETRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

/* Whether a client with this Accept header (RFC 9110, 12.5.1; NULL: it sent none) prefers OpenMetrics 1.0. */
bool xpt_openmetrics__is_preferred(const char *accept);

/* A page that is being read as OpenMetrics. */
struct xpt_openmetrics {
	const char *page;		/* as xpt_prom__add() writes it */
	size_t size;
	size_t at;			/* of the page */
	struct xpt_strbuf line;		/* the line that is given out instead of one of the page */
	size_t line_at;
	bool has_ended;			/* the last line was made */
};

/* The page has to stay as it is until __free(). */
void xpt_openmetrics__begin(struct xpt_openmetrics *ret_o, const char *page, size_t size);
/* The next bytes, at most max, into buf; how many; 0: there are no more, or there is no memory (line's error). */
size_t xpt_openmetrics__read(struct xpt_openmetrics *o, char *buf, size_t max);
void xpt_openmetrics__free(struct xpt_openmetrics *o);

#endif
