/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How wide text may be that people read. */
#ifndef XPT_BASE_TERMINAL_H
#define XPT_BASE_TERMINAL_H

#include <stdio.h>

enum { XPT_COLUMNS_MIN = 20, XPT_COLUMNS_MAX = 1000 };

/*
 * Returns the columns of text that goes to f, between XPT_COLUMNS_MIN and XPT_COLUMNS_MAX: the value of the
 * environment variable COLUMNS, else the width of the terminal. 0: f is no terminal, so that nothing need be
 * cut.
 */
unsigned xpt_terminal_columns(FILE *f);

#endif
