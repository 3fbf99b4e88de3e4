// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See wrapped.h. A word longer than a line is cut, and what controls a terminal is replaced. */
#include "rdma/verdict/wrapped.h"

#include <stdio.h>
#include <string.h>

#include "model/text.h"

void xpt_rdma_wrapped__add(struct xpt_strbuf *sb, const char *s, size_t indent, size_t *col)
{
	bool utf8 = xpt_text_utf8();
	char word[128];
	size_t n, cols;

	for (;;) {
		s += strspn(s, " \t\n");
		n = strcspn(s, " \t\n");
		if (!n)
			return;
		snprintf(word, sizeof(word), "%.*s", (int)n, s);
		s += n;
		cols = xpt_text_columns(word, utf8);
		if (*col + 1 + cols > XPT_RDMA_COLUMNS && *col > indent) {
			xpt_strbuf__addc(sb, '\n');
			*col = 0;
		}
		if (!*col)
			xpt_text__pad(sb, indent);
		else
			xpt_strbuf__addc(sb, ' ');
		*col = (*col ? *col + 1 : indent) + xpt_text__add(sb, word, XPT_RDMA_COLUMNS - indent, utf8);
	}
}

void xpt_rdma_wrapped__line(struct xpt_strbuf *sb, size_t indent, const char *s)
{
	size_t col = 0;

	xpt_rdma_wrapped__add(sb, s, indent, &col);
	xpt_strbuf__addc(sb, '\n');
}
