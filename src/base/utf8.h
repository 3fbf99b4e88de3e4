/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Strict UTF-8 decoding: overlong forms, surrogates and values beyond
 * U+10FFFF are invalid, as JSON readers demand.
 */
#ifndef XPT_BASE_UTF8_H
#define XPT_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes (1 to 4) of the character at s, of which n bytes may be read; 0 if
 * it is not valid UTF-8 (or n is 0). *ret_cp: the code point. */
size_t xpt_utf8__decode(const char *s, size_t n, uint32_t *ret_cp);

/*
 * Whether a character could move a cursor, change colours, reorder a line, or make one name
 * pose as another: C0 and C1 controls (line ends and tabs, too), DEL, zero-width characters
 * and those of directions (Unicode Standard Annex #9).
 */
bool xpt_utf8__is_hostile(uint32_t cp);
/*
 * Replaces hostile characters, and bytes that are no UTF-8, by "?", in place: for text of the
 * traced side on its way out. keep: ASCII characters that may stay all the same.
 */
void xpt_utf8__clean(char *s, const char *keep);

#endif
