/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text for terminals: the rule of what may pass, and shortening by columns.
 * Everything here is one walk over code points, written or only measured.
 */
#include "model/text.h"

#include <langinfo.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>
#include "base/utf8.h"

bool xpt_text_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* Zero-width and direction characters, with which a name could pose as another. */
static bool invisible(uint32_t cp)
{
	return (cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) ||
	       (cp >= 0x2060 && cp <= 0x206f) || (cp >= 0xe0000 && cp <= 0xe0fff) ||
	       cp == 0x61c || cp == 0xfeff || cp == 0xad;
}

/* Columns of cp (valid or not) as it will be written; *ret_as: ASCII stand-in or 0. */
static size_t measure(uint32_t cp, bool valid, bool utf8, char *ret_as)
{
	int w;

	*ret_as = 0;
	if (valid && cp >= 0x20 && cp < 0x7f)
		return 1;
	*ret_as = valid && cp >= '\t' && cp <= '\r' ? ' ' : '?';
	if (!valid || cp < 0xa0 || !utf8 || invisible(cp))
		return 1;
	w = wcwidth((wchar_t)cp);
	if (w < 0)
		return 1;
	*ret_as = 0;
	return (size_t)w;
}

/* Bytes from s on, at most max, that are one column each and pass as they are. */
static size_t plain_run(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n] >= 0x20 && s[n] < 0x7f)
		n++;
	return n;
}

/*
 * Appends (sb not NULL) or only measures the start of s that takes at most
 * max columns. *ret_all says whether that was all of it.
 */
static size_t walk(struct xpt_strbuf *sb, const char *s, size_t max, bool utf8, bool *ret_all)
{
	size_t cols = plain_run(s, max);	/* nearly always all of it */

	if (sb)
		xpt_strbuf__addn(sb, s, cols);
	s += cols;
	while (*s) {
		uint32_t cp = 0;
		size_t len = xpt_utf8__decode(s, strnlen(s, 4), &cp), w;
		char as;

		w = measure(cp, len > 0, utf8, &as);
		if (w > max - cols)
			break;
		if (sb && as)
			xpt_strbuf__addc(sb, as);
		else if (sb)
			xpt_strbuf__addn(sb, s, len);
		cols += w;
		s += len ? len : 1;
	}
	*ret_all = !*s;
	return cols;
}

/* n bytes of s, all of them. */
static void add_span(struct xpt_strbuf *sb, const char *s, size_t n, bool utf8)
{
	for (const char *end = s + n; s < end;) {
		uint32_t cp = 0;
		size_t len = xpt_utf8__decode(s, (size_t)(end - s) < 4 ? (size_t)(end - s) : 4, &cp);
		char as;

		measure(cp, len > 0, utf8, &as);
		if (as)
			xpt_strbuf__addc(sb, as);
		else
			xpt_strbuf__addn(sb, s, len);
		s += len ? len : 1;
	}
}

size_t xpt_text_columns(const char *s, bool utf8)
{
	bool all;

	return walk(NULL, s, SIZE_MAX, utf8, &all);
}

size_t xpt_text__add(struct xpt_strbuf *sb, const char *s, size_t max, bool utf8)
{
	size_t dots = utf8 ? 1 : 3, cols;
	bool all;

	walk(NULL, s, max, utf8, &all);
	if (all)
		return walk(sb, s, max, utf8, &all);
	if (max < dots)
		return walk(sb, s, max, utf8, &all);
	cols = walk(sb, s, max - dots, utf8, &all);
	xpt_strbuf__add(sb, utf8 ? "\u2026" : "...");
	return cols + dots;
}

void xpt_text__pad(struct xpt_strbuf *sb, size_t n)
{
	static const char blanks[] = "                                ";

	for (; n >= sizeof(blanks); n -= sizeof(blanks) - 1)
		xpt_strbuf__addn(sb, blanks, sizeof(blanks) - 1);
	xpt_strbuf__addn(sb, blanks, n);
}

void xpt_text__cell(struct xpt_strbuf *sb, const char *s, size_t width, bool right, bool utf8)
{
	size_t cols = xpt_text_columns(s, utf8);

	if (right && cols < width)
		xpt_text__pad(sb, width - cols);
	cols = xpt_text__add(sb, s, width, utf8);
	if (!right && cols < width)
		xpt_text__pad(sb, width - cols);
}

void xpt_text__add_lines(struct xpt_strbuf *sb, const char *s, bool utf8)
{
	size_t n;

	for (; *s; s += n + (s[n] == '\n')) {
		n = strcspn(s, "\n");
		add_span(sb, s, n, utf8);
		if (s[n])
			xpt_strbuf__addc(sb, '\n');
	}
}
