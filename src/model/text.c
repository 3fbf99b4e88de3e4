/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text for terminals: the rule of which characters may pass, and shortening by
 * columns. Everything here is one walk over code points, written or only
 * measured.
 */
#include "model/text.h"

#include <langinfo.h>
#include <string.h>
#include <wchar.h>
#include "base/utf8.h"

#define DIGITS "0123456789abcdef"
#define WORD "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define HANDLE_END 6	/* five digits and ")" */
#define MIN_HEAD 1	/* columns of the beginning that stay before an end */

bool xpt_text_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* Columns of cp (valid or not) as it will be written; *ret_as: ASCII stand-in or 0. */
static size_t measure_char(uint32_t cp, bool valid, bool utf8, char *ret_as)
{
	int w;

	*ret_as = 0;
	if (valid && cp >= 0x20 && cp < 0x7f)
		return 1;
	*ret_as = valid && cp >= '\t' && cp <= '\r' ? ' ' : '?';
	if (!valid || !utf8 || xpt_utf8__is_hostile(cp))
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
static size_t walk_text(struct xpt_strbuf *sb, const char *s, size_t max, bool utf8, bool *ret_all)
{
	size_t cols = plain_run(s, max);	/* nearly always all of it */

	if (sb)
		xpt_strbuf__addn(sb, s, cols);
	s += cols;
	while (*s) {
		uint32_t cp = 0;
		size_t len = xpt_utf8__decode(s, strnlen(s, 4), &cp), w;
		char as;

		w = measure_char(cp, len > 0, utf8, &as);
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

		measure_char(cp, len > 0, utf8, &as);
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

	return walk_text(NULL, s, SIZE_MAX, utf8, &all);
}

/*
 * Bytes of the end of s that are to be kept in max columns, because they distinguish it from
 * others: of "unknown(0x7f...)" the last digits, of "step+0x1a" the offset, of
 * "ioctl:NV_ESC_RM_CONTROL:NV2080_CTRL_CMD_GR_GET_INFO" two thirds of the columns. 0: none.
 */
static size_t end_of(const char *s, size_t max)
{
	static const char handle[] = "unknown(0x", command[] = "ioctl:";
	const char *plus = strrchr(s, '+');
	size_t n = sizeof(handle) - 1;

	if (!strncmp(s, handle, n) && s[n + strspn(s + n, DIGITS)] == ')')
		return s[n + strspn(s + n, DIGITS) + 1] ? 0 : HANDLE_END;
	if (!strncmp(s, command, sizeof(command) - 1) && !s[strspn(s, WORD ":")])
		return max - max / 3;
	if (!plus || strncmp(plus, "+0x", 3) != 0 || !plus[3] || plus[3 + strspn(plus + 3, DIGITS)])
		return 0;
	return strlen(plus);
}

size_t xpt_text__add(struct xpt_strbuf *sb, const char *s, size_t max, bool utf8)
{
	size_t dots = utf8 ? 1 : 3, cols, end;
	bool all;

	walk_text(NULL, s, max, utf8, &all);
	if (all)
		return walk_text(sb, s, max, utf8, &all);
	if (max < dots)
		return walk_text(sb, s, max, utf8, &all);
	end = end_of(s, max);
	end = end + dots + MIN_HEAD <= max ? end : 0;
	cols = walk_text(sb, s, max - dots - end, utf8, &all);
	xpt_strbuf__add(sb, utf8 ? "\u2026" : "...");
	xpt_strbuf__add(sb, end ? s + strlen(s) - end : "");
	return cols + dots + end;
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

void xpt_text__bar(struct xpt_strbuf *sb, uint64_t v, uint64_t most, unsigned width, bool utf8)
{
	static const char *const eighths[8] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	unsigned of = utf8 ? 8 : 1;
	unsigned n = (unsigned)((double)v / (double)most * width * of + 0.5);

	if (v && !n)
		n = 1;
	for (unsigned i = 0; i < n / of; i++)
		xpt_strbuf__add(sb, utf8 ? "█" : "#");
	if (utf8)
		xpt_strbuf__add(sb, eighths[n % 8]);
}
