// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See prom.h. The format is described in Prometheus's documentation ("exposition
 * formats"): in a label's value backslash, quote and line feed are escaped, in a
 * HELP text the first and the last of them.
 */
#include "base/prom.h"

#include <stdlib.h>

#include "base/utf8.h"

static const char *value_of(const struct xpt_prom_row *row, unsigned i)
{
	return row->label[i] ? row->label[i] : "";
}

static int by_labels(const void *x, const void *y)
{
	unsigned i;
	int c = 0;

	for (i = 0; !c && i < XPT_PROM_LABELS; i++)
		c = strcmp(value_of(x, i), value_of(y, i));
	return c;
}

static void add_escaped(struct xpt_strbuf *sb, const char *s, const char *special)
{
	size_t left = strlen(s), len;
	uint32_t cp;

	for (; left; s += len, left -= len) {
		len = xpt_utf8__decode(s, left, &cp);
		if (!len) {
			xpt_strbuf__add(sb, "\xef\xbf\xbd");
			len = 1;
		} else if (cp < 0x80 && strchr(special, (int)cp)) {
			xpt_strbuf__addc(sb, '\\');
			xpt_strbuf__addc(sb, cp == '\n' ? 'n' : (char)cp);
		} else {
			xpt_strbuf__addn(sb, s, len);
		}
	}
}

static void add_row(struct xpt_strbuf *sb, const struct xpt_prom_family *f,
		    const struct xpt_prom_row *row, uint64_t value)
{
	unsigned i;

	xpt_strbuf__add(sb, f->name);
	for (i = 0; i < XPT_PROM_LABELS && f->label[i]; i++) {
		xpt_strbuf__addf(sb, "%c%s=\"", i ? ',' : '{', f->label[i]);
		add_escaped(sb, value_of(row, i), "\\\"\n");
		xpt_strbuf__addc(sb, '"');
	}
	xpt_strbuf__add(sb, i ? "} " : " ");
	if (f->digits)
		xpt_strbuf__add_fixed(sb, value, f->digits);
	else
		xpt_strbuf__addu64(sb, value);
	xpt_strbuf__addc(sb, '\n');
}

void xpt_prom__add(struct xpt_strbuf *sb, const struct xpt_prom_family *f, struct xpt_prom_row *rows,
		   size_t n)
{
	size_t i, k;

	if (!n)
		return;
	qsort(rows, n, sizeof(*rows), by_labels);
	xpt_strbuf__addf(sb, "# HELP %s ", f->name);
	add_escaped(sb, f->help, "\\\n");
	xpt_strbuf__addf(sb, "\n# TYPE %s %s\n", f->name, f->type == XPT_PROM_COUNTER ? "counter" : "gauge");
	for (i = 0; i < n; i = k) {
		uint64_t sum = 0;

		for (k = i; k < n && !by_labels(&rows[i], &rows[k]); k++)
			sum += rows[k].value;
		add_row(sb, f, &rows[i], sum);
	}
}
