// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See prom.h. The format is described in Prometheus's documentation ("exposition
 * formats"): in a label's value backslash, quote and line feed are escaped, in a
 * HELP text the first and the last of them. Labels hold text of the traced side, so they go through the
 * rule for hostile text (utf8.h) as in every other output, and are compared as they will be written.
 */
#include "base/formats/prom.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/utf8.h"

#define INVALID 0xfffdu	/* U+FFFD, for a byte that is no UTF-8 */

static const char *value_of(const struct xpt_prom_row *row, unsigned i)
{
	return row->label[i] ? row->label[i] : "";
}

/* The character at *s as it is written, 0 at the end; *s moves after it. */
static uint32_t next_clean(const char **s)
{
	uint32_t cp = 0;
	size_t len = xpt_utf8__decode(*s, strnlen(*s, 4), &cp);

	if (!**s)
		return 0;
	*s += len ? len : 1;
	if (!len)
		return INVALID;
	return xpt_utf8__is_hostile(cp) ? '?' : cp;
}

/* --- long labels -------------------------------------------------------------------------------- */

struct cut {			/* a label that is too long, as it is shown */
	struct cut *next;
	char text[XPT_PROM_LABEL_MAX + 1];
};

/* The beginning, then a hash of the whole, which is the same at each start: series go on under their names. */
static void write_cut(const char *label, struct cut *c)
{
	char end[24];
	size_t n;

	n = XPT_PROM_LABEL_MAX - (size_t)snprintf(end, sizeof(end), "~%016" PRIx64, xpt_hash(label, strlen(label)));
	while (n && ((unsigned char)label[n] & 0xc0) == 0x80)	/* not inside of a character */
		n--;
	snprintf(c->text, sizeof(c->text), "%.*s%s", (int)n, label, end);
}

/*
 * Cuts labels that are too long: a program chooses the names of its functions, and thousands of lines have one. They
 * are compared as they are then. The texts are freed with *cuts.
 */
static void cut_labels(const char **label, size_t n, struct cut **cuts)
{
	for (size_t i = 0; i < n; i++) {
		struct cut *c;

		if (!label[i] || strnlen(label[i], XPT_PROM_LABEL_MAX + 1) <= XPT_PROM_LABEL_MAX)
			continue;
		c = malloc(sizeof(*c));
		if (c) {
			write_cut(label[i], c);
			c->next = *cuts;
			*cuts = c;
		}
		label[i] = c ? c->text : "(too long)";
	}
}

static void free_cuts(struct cut *c)
{
	for (struct cut *next; c; c = next) {
		next = c->next;
		free(c);
	}
}

/* --- families ------------------------------------------------------------------------------------ */

static int compare_clean(const char *a, const char *b)
{
	uint32_t x, y;

	for (; *a == *b && *a >= 0x20 && *a < 0x7f; a++, b++)	/* written as it is */
		;
	do {
		x = next_clean(&a);
		y = next_clean(&b);
	} while (x && x == y);
	return x == y ? 0 : x < y ? -1 : 1;
}

static int by_labels(const void *x, const void *y)
{
	unsigned i;
	int c = 0;

	for (i = 0; !c && i < XPT_PROM_LABELS; i++)
		c = compare_clean(value_of(x, i), value_of(y, i));
	return c;
}

static void add_label(struct xpt_strbuf *sb, const char *s)
{
	const char *at = s;
	uint32_t cp;

	for (; (cp = next_clean(&s)); at = s) {
		if (cp == '\\' || cp == '"')
			xpt_strbuf__addc(sb, '\\');
		if (cp == INVALID)
			xpt_strbuf__add(sb, "\xef\xbf\xbd");
		else if (cp < 0x80)
			xpt_strbuf__addc(sb, (char)cp);
		else
			xpt_strbuf__addn(sb, at, (size_t)(s - at));
	}
}

/* Text of our own. */
static void add_help(struct xpt_strbuf *sb, const char *s)
{
	for (; *s; s++) {
		if (*s == '\\' || *s == '\n')
			xpt_strbuf__addc(sb, '\\');
		xpt_strbuf__addc(sb, *s == '\n' ? 'n' : *s);
	}
}

static void add_number(struct xpt_strbuf *sb, uint64_t value, unsigned digits)
{
	if (digits)
		xpt_strbuf__add_fixed(sb, value, digits);
	else
		xpt_strbuf__addu64(sb, value);
}

/* The labels, without the brace after them; returns their number. */
static unsigned add_labels(struct xpt_strbuf *sb, const struct xpt_prom_family *f, const char *const *label)
{
	unsigned n = 0;

	for (unsigned i = 0; i < XPT_PROM_LABELS && f->label[i]; i++) {
		const char *value = label[i] ? label[i] : "";
		bool optional = f->label[i][0] == '?';

		if (optional && !*value)
			continue;
		xpt_strbuf__addf(sb, "%c%s=\"", n++ ? ',' : '{', f->label[i] + optional);
		add_label(sb, value);
		xpt_strbuf__addc(sb, '"');
	}
	return n;
}

static void add_row(struct xpt_strbuf *sb, const struct xpt_prom_family *f,
		    const struct xpt_prom_row *row, uint64_t value)
{
	xpt_strbuf__add(sb, f->name);
	xpt_strbuf__add(sb, add_labels(sb, f, row->label) ? "} " : " ");
	add_number(sb, value, f->digits);
	xpt_strbuf__addc(sb, '\n');
}

static void add_head(struct xpt_strbuf *sb, const struct xpt_prom_family *f)
{
	static const char *const type[] = { "counter", "gauge", "histogram" };

	xpt_strbuf__addf(sb, "# HELP %s ", f->name);
	add_help(sb, f->help);
	xpt_strbuf__addf(sb, "\n# TYPE %s %s\n", f->name, type[f->type]);
}

void xpt_prom__add(struct xpt_strbuf *sb, const struct xpt_prom_family *f, struct xpt_prom_row *rows,
		   size_t n)
{
	struct cut *cuts = NULL;
	size_t i, k;

	if (!n)
		return;
	for (i = 0; i < n; i++)
		cut_labels(rows[i].label, XPT_PROM_LABELS, &cuts);
	qsort(rows, n, sizeof(*rows), by_labels);
	add_head(sb, f);
	for (i = 0; i < n; i = k) {
		uint64_t sum = 0;

		for (k = i; k < n && !by_labels(&rows[i], &rows[k]); k++)
			sum += rows[k].value;
		add_row(sb, f, &rows[i], sum);
	}
	free_cuts(cuts);
}

/* --- histograms ------------------------------------------------------------------------------- */

static int by_histogram_labels(const void *x, const void *y)
{
	const struct xpt_prom_histogram *a = x, *b = y;
	int c = 0;

	for (unsigned i = 0; !c && i < XPT_PROM_LABELS - 1; i++)
		c = compare_clean(a->label[i] ? a->label[i] : "", b->label[i] ? b->label[i] : "");
	return c;
}

/* One line of a histogram: bound NULL is infinity. */
static void add_bucket(struct xpt_strbuf *sb, const struct xpt_prom_family *f, const struct xpt_prom_histogram *h,
		       const uint64_t *bound, uint64_t n)
{
	unsigned nr;

	xpt_strbuf__addf(sb, "%s_bucket", f->name);
	nr = add_labels(sb, f, h->label);
	xpt_strbuf__add(sb, nr ? ",le=\"" : "{le=\"");
	if (bound)
		add_number(sb, *bound, f->digits);
	else
		xpt_strbuf__add(sb, "+Inf");
	xpt_strbuf__addf(sb, "\"} ");
	xpt_strbuf__addu64(sb, n);
	xpt_strbuf__addc(sb, '\n');
}

static void add_sum(struct xpt_strbuf *sb, const struct xpt_prom_family *f, const struct xpt_prom_histogram *h,
		    const char *what, uint64_t value, unsigned digits)
{
	xpt_strbuf__addf(sb, "%s_%s", f->name, what);
	xpt_strbuf__add(sb, add_labels(sb, f, h->label) ? "} " : " ");
	add_number(sb, value, digits);
	xpt_strbuf__addc(sb, '\n');
}

/* Adds those after h[0] to it whose labels are the same; how many there are with it. */
static size_t merge_alike(struct xpt_prom_histogram *h, size_t n, size_t nr_bounds)
{
	size_t i;

	for (i = 1; i < n && !by_histogram_labels(&h[0], &h[i]); i++) {
		for (size_t k = 0; k < nr_bounds; k++)
			h[0].below[k] += h[i].below[k];
		h[0].count += h[i].count;
		h[0].sum += h[i].sum;
	}
	return i;
}

void xpt_prom__add_histograms(struct xpt_strbuf *sb, const struct xpt_prom_family *f, const uint64_t *bound,
			      size_t nr_bounds, struct xpt_prom_histogram *h, size_t n)
{
	struct cut *cuts = NULL;
	size_t alike;

	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		cut_labels(h[i].label, XPT_PROM_LABELS - 1, &cuts);
	qsort(h, n, sizeof(*h), by_histogram_labels);
	add_head(sb, f);
	for (size_t i = 0; i < n; i += alike) {
		alike = merge_alike(&h[i], n - i, nr_bounds);
		for (size_t k = 0; k < nr_bounds; k++)
			add_bucket(sb, f, &h[i], &bound[k], h[i].below[k]);
		add_bucket(sb, f, &h[i], NULL, h[i].count);
		add_sum(sb, f, &h[i], "sum", h[i].sum, f->digits);
		add_sum(sb, f, &h[i], "count", h[i].count, 0);
	}
	free_cuts(cuts);
}
