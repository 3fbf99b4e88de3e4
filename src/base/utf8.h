/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Strict UTF-8 decoding: overlong forms, surrogates and values beyond
 * U+10FFFF are invalid, as JSON readers demand.
 */
#ifndef XPT_BASE_UTF8_H
#define XPT_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes (1 to 4) of the character at s, of which n bytes may be read; 0 if
 * it is not valid UTF-8 (or n is 0). *ret_cp: the code point. */
size_t xpt_utf8__decode(const char *s, size_t n, uint32_t *ret_cp);

#endif
