/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A field of comma-separated values, see csv_field.h.
 */
#include "base/formats/csv_field.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static bool needs_quotes(const char *s)
{
	size_t n = strlen(s);

	return s[strcspn(s, ",\"\r\n")] || (n && (s[0] == ' ' || s[n - 1] == ' '));
}

void xpt_csv__add(struct xpt_strbuf *sb, const char *s)
{
	size_t n;

	if (!needs_quotes(s)) {
		xpt_strbuf__add(sb, s);
		return;
	}
	xpt_strbuf__addc(sb, '"');
	for (; s[n = strcspn(s, "\"")]; s += n + 1) {
		xpt_strbuf__addn(sb, s, n);
		xpt_strbuf__add(sb, "\"\"");
	}
	xpt_strbuf__add(sb, s);
	xpt_strbuf__addc(sb, '"');
}

/* Formulas: OWASP, "CSV Injection". */
void xpt_csv__add_text(struct xpt_strbuf *sb, const char *s)
{
	bool is_formula = *s && strchr("=+-@", *s);
	size_t n = strlen(s);
	char *copy = malloc(n + 2);

	if (!copy) {
		xpt_strbuf__add(sb, "?");
		return;
	}
	copy[0] = '\'';
	memcpy(copy + is_formula, s, n + 1);
	xpt_utf8__clean(copy, "");
	xpt_csv__add(sb, copy);
	free(copy);
}
