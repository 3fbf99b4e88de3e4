/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text for terminals. Names, command lines and paths come from the traced
 * side and may hold anything: whatever could move the cursor, change colours
 * or reorder a line is replaced before it is written. Widths are terminal
 * columns, not bytes.
 */
#ifndef XPT_MODEL_TEXT_H
#define XPT_MODEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/strbuf.h"

/* True if the locale that setlocale() chose writes UTF-8; false: ASCII only. */
bool xpt_text_utf8(void);
/* Columns that s takes once cleaned. */
size_t xpt_text_columns(const char *s, bool utf8);
/*
 * Appends s, cleaned, in at most max columns, shortened with an ellipsis if
 * it is longer. Blanks stand for tabs and line ends, "?" for other control
 * characters, invisible direction marks, invalid UTF-8, and for all that is
 * not ASCII where utf8 is false. A handle without a name, "unknown(0x7f...)", keeps its
 * last digits, a place in code, "step+0x1a", its offset. Returns the columns it took.
 */
size_t xpt_text__add(struct xpt_strbuf *sb, const char *s, size_t max, bool utf8);
/* Appends text that has line ends: all of s, cleaned, and with its line ends. */
void xpt_text__add_lines(struct xpt_strbuf *sb, const char *s, bool utf8);
/* Appends n blanks. */
void xpt_text__pad(struct xpt_strbuf *sb, size_t n);
/* The same, padded to width columns on the right (left-aligned) or left. */
void xpt_text__cell(struct xpt_strbuf *sb, const char *s, size_t width, bool right, bool utf8);
/*
 * Appends a bar: v of most (above 0) as a share of width columns, in eighths where the terminal has them; never
 * nothing for some.
 */
void xpt_text__bar(struct xpt_strbuf *sb, uint64_t v, uint64_t most, unsigned width, bool utf8);

#endif
