/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The one UTF-8 decoder: used where text of traced programs is written as
 * JSON and where columns are counted.
 */
#include "base/utf8.h"

#include <string.h>

size_t xpt_utf8__decode(const char *s, size_t n, uint32_t *ret_cp)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *u = (const unsigned char *)s;
	uint32_t cp;
	size_t len, i;

	if (!n)
		return 0;
	if (u[0] < 0x80) {
		*ret_cp = u[0];
		return 1;
	}
	len = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
	if (u[0] < 0xc2 || u[0] > 0xf4 || len > n)
		return 0;
	cp = u[0] & (0xffu >> (len + 1));
	for (i = 1; i < len; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		cp = cp << 6 | (u[i] & 0x3f);
	}
	if (cp < smallest[len] || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		return 0;
	*ret_cp = cp;
	return len;
}

/* Zero-width and direction characters. */
static bool is_invisible(uint32_t cp)
{
	return (cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) ||
	       (cp >= 0x2060 && cp <= 0x206f) || (cp >= 0xe0000 && cp <= 0xe0fff) ||
	       cp == 0x61c || cp == 0xfeff || cp == 0xad;
}

bool xpt_utf8__is_hostile(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || is_invisible(cp);
}

void xpt_utf8__clean(char *s, const char *keep)
{
	char *to = s;

	while (*s) {
		uint32_t cp = 0;
		size_t len = xpt_utf8__decode(s, strnlen(s, 4), &cp);

		if (len && (!xpt_utf8__is_hostile(cp) || (cp < 0x80 && strchr(keep, (int)cp)))) {
			memmove(to, s, len);
			to += len;
		} else {
			*to++ = '?';
		}
		s += len ? len : 1;
	}
	*to = '\0';
}
