/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The one UTF-8 decoder: used where text of traced programs is written as
 * JSON and where columns are counted.
 */
#include "base/utf8.h"

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
