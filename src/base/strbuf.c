/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The growing text buffer. Every append is all or nothing; the first one that
 * does not fit sets err and the buffer then stays as it was. Memory doubles,
 * so a long text costs a constant amount per byte.
 */
#include "base/strbuf.h"
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/utf8.h"

void xpt_strbuf__init(struct xpt_strbuf *sb, size_t max)
{
	*sb = (struct xpt_strbuf){ .max = max < SIZE_MAX / 2 ? max : SIZE_MAX / 2 };
}

void xpt_strbuf__free(struct xpt_strbuf *sb)
{
	if (!sb)
		return;
	free(sb->s);
	*sb = (struct xpt_strbuf){ .max = sb->max };
}

void xpt_strbuf__reset(struct xpt_strbuf *sb)
{
	sb->len = 0;
	sb->err = 0;
	if (sb->s)
		sb->s[0] = '\0';
}

int xpt_strbuf__err(const struct xpt_strbuf *sb)
{
	return sb->err;
}

const char *xpt_strbuf__str(const struct xpt_strbuf *sb)
{
	return sb->s ? sb->s : "";
}

/* Makes room for n more bytes and the NUL; false and err set if it cannot. */
static bool reserve_room(struct xpt_strbuf *sb, size_t n)
{
	size_t cap = sb->cap ? sb->cap : 64;
	char *s;

	if (sb->err)
		return false;
	if (n > sb->max - sb->len) {
		sb->err = -E2BIG;
		return false;
	}
	if (sb->len + n < sb->cap)
		return true;
	while (cap <= sb->len + n)
		cap *= 2;
	if (cap > sb->max + 1)
		cap = sb->max + 1;
	s = realloc(sb->s, cap);
	if (!s) {
		sb->err = -ENOMEM;
		return false;
	}
	sb->s = s;
	sb->cap = cap;
	return true;
}

void xpt_strbuf__grow_addn(struct xpt_strbuf *sb, const void *s, size_t n)
{
	if (!reserve_room(sb, n))
		return;
	if (n)
		memcpy(sb->s + sb->len, s, n);
	sb->len += n;
	sb->s[sb->len] = '\0';
}

void xpt_strbuf__addf(struct xpt_strbuf *sb, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0) {
		sb->err = sb->err ? sb->err : -ENOMEM;
		return;
	}
	if (!reserve_room(sb, (size_t)n))
		return;
	va_start(ap, fmt);
	vsnprintf(sb->s + sb->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	sb->len += (size_t)n;
}

void xpt_strbuf__add_fixed(struct xpt_strbuf *sb, unsigned long long v, unsigned digits)
{
	char buf[48];
	size_t i = sizeof(buf);

	digits = digits > 20 ? 20 : digits;
	for (unsigned k = 0; k < digits; k++, v /= 10)
		buf[--i] = (char)('0' + v % 10);
	buf[--i] = '.';
	do {
		buf[--i] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	xpt_strbuf__addn(sb, buf + i, sizeof(buf) - i);
}

void xpt_strbuf__addu64(struct xpt_strbuf *sb, unsigned long long v)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
		"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
		"8081828384858687888990919293949596979899";
	char digits[20];
	size_t i = sizeof(digits);

	while (v >= 10) {	/* two digits for one division */
		i -= 2;
		memcpy(digits + i, pairs + v % 100 * 2, 2);
		v /= 100;
		if (!v) {
			i += digits[i] == '0';
			break;
		}
	}
	if (v || i == sizeof(digits))
		digits[--i] = (char)('0' + v);
	xpt_strbuf__addn(sb, digits + i, sizeof(digits) - i);
}

/* Beyond U+FFFF by two surrogates, RFC 8259 section 7. */
static void add_escape(struct xpt_strbuf *sb, uint32_t cp)
{
	static const char plain[] = "\"\\\b\f\n\r\t";
	static const char letter[] = "\"\\bfnrt";
	const char *at = cp && cp < 0x80 ? strchr(plain, (int)cp) : NULL;
	char esc[13];

	if (at)
		snprintf(esc, sizeof(esc), "\\%c", letter[at - plain]);
	else if (cp < 0x10000)
		snprintf(esc, sizeof(esc), "\\u%04x", cp);
	else
		snprintf(esc, sizeof(esc), "\\u%04x\\u%04x", 0xd800 + (((cp - 0x10000) >> 10) & 0x3ff),
			 0xdc00 + (cp & 0x3ff));
	xpt_strbuf__add(sb, esc);
}

/* Characters that JSON does not take as they are, or that a terminal showing the line would
 * obey. */
static bool is_escaped(uint32_t cp)
{
	return cp == '"' || cp == '\\' || xpt_utf8__is_hostile(cp);
}

/* Bytes from s on that stay as they are and that are ASCII. */
static size_t plain_run(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= 0x20 && s[i] != 0x7f && s[i] != '"' && s[i] != '\\')
		i++;
	return i;
}

void xpt_strbuf__add_json(struct xpt_strbuf *sb, const char *s)
{
	size_t start = sb->len, left = strlen(s), run = 0, len;
	uint32_t cp;

	if (sb->err)
		return;
	xpt_strbuf__addc(sb, '"');
	run = plain_run(s, left);
	while (run < left) {	/* s + run: first byte that is not copied as it is */
		len = xpt_utf8__decode(s + run, left - run, &cp);
		if (len && !is_escaped(cp)) {
			run += len;
			continue;
		}
		xpt_strbuf__addn(sb, s, run);
		if (len)
			add_escape(sb, cp);
		else
			xpt_strbuf__add(sb, "\xef\xbf\xbd");
		run += len ? len : 1;
		s += run;
		left -= run;
		run = 0;
	}
	xpt_strbuf__addn(sb, s, run);
	xpt_strbuf__addc(sb, '"');
	if (sb->err) {	/* all or nothing */
		sb->len = start;
		if (sb->s)
			sb->s[start] = '\0';
	}
}
