/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text for terminals: a strict UTF-8 decoder, the rule of what may pass, and
 * shortening by columns.
 */
#include "model/text.h"

#include <langinfo.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

bool xpt_text_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* Bytes of the sequence that starts with b and the value bits of b; 0: none. */
static size_t lead(unsigned char b, uint32_t *ret_bits, uint32_t *ret_min)
{
	if (b >= 0xc2 && b <= 0xdf) {
		*ret_bits = b & 0x1f;
		*ret_min = 0x80;
		return 2;
	}
	if ((b & 0xf0) == 0xe0) {
		*ret_bits = b & 0x0f;
		*ret_min = 0x800;
		return 3;
	}
	if (b >= 0xf0 && b <= 0xf4) {
		*ret_bits = b & 0x07;
		*ret_min = 0x10000;
		return 4;
	}
	return 0;
}

/* The code point at s (not at its end) and its length; UINT32_MAX, 1: invalid. */
static uint32_t decode(const char *s, size_t *ret_len)
{
	const unsigned char *p = (const unsigned char *)s;
	uint32_t cp = p[0], min = 0;
	size_t n;

	*ret_len = 1;
	if (p[0] < 0x80)
		return p[0];
	n = lead(p[0], &cp, &min);
	if (!n)
		return UINT32_MAX;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return UINT32_MAX;
		cp = cp << 6 | (p[i] & 0x3f);
	}
	if (cp < min || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		return UINT32_MAX;
	*ret_len = n;
	return cp;
}

/* Zero-width and direction characters, with which a name could pose as another. */
static bool invisible(uint32_t cp)
{
	return (cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) ||
	       (cp >= 0x2060 && cp <= 0x206f) || cp == 0xfeff || cp == 0xad;
}

/* Columns of cp as it will be written; *ret_as is the ASCII stand-in or 0. */
static size_t measure(uint32_t cp, bool utf8, char *ret_as)
{
	int w;

	*ret_as = 0;
	if (cp >= 0x20 && cp < 0x7f)
		return 1;
	*ret_as = cp >= '\t' && cp <= '\r' ? ' ' : '?';
	if (cp < 0xa0 || cp == UINT32_MAX || !utf8 || invisible(cp))
		return 1;
	w = wcwidth((wchar_t)cp);
	if (w < 0)
		return 1;
	*ret_as = 0;
	return (size_t)w;
}

/*
 * Appends (sb not NULL) or only measures the start of s that takes at most
 * max columns. *ret_all says whether that was all of it.
 */
static size_t walk(struct xpt_strbuf *sb, const char *s, size_t max, bool utf8, bool *ret_all)
{
	size_t cols = 0;

	while (*s) {
		size_t len, w;
		char as;
		uint32_t cp = decode(s, &len);

		w = measure(cp, utf8, &as);
		if (w > max - cols)
			break;
		if (sb && as)
			xpt_strbuf__addc(sb, as);
		else if (sb)
			xpt_strbuf__addn(sb, s, len);
		cols += w;
		s += len;
	}
	*ret_all = !*s;
	return cols;
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
