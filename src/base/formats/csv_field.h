/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One field of comma-separated values as RFC 4180 writes it: in quotes where
 * it holds a comma, a quote or the end of a line, or begins or ends with a
 * blank; quotes inside are doubled. Separators and line ends are the caller's.
 */
#ifndef XPT_BASE_FORMATS_CSV_FIELD_H
#define XPT_BASE_FORMATS_CSV_FIELD_H

#include "base/strbuf.h"

void xpt_csv__add(struct xpt_strbuf *sb, const char *s);
/*
 * The same for text of the traced side: hostile characters become "?" (utf8.h), and a text
 * that a spreadsheet would take for a formula (it begins with = + - @) gets an apostrophe in
 * front.
 */
void xpt_csv__add_text(struct xpt_strbuf *sb, const char *s);

#endif
