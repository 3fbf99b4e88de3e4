/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A terminal as a screen: puts a page there, reads keys, follows its size. One at a time. */
#ifndef XPT_TOP_SCREEN_H
#define XPT_TOP_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include "top/view.h"

struct xpt_screen;

/* Signals that shall not end the program behind a screen have handlers by then. 0; -ENOTSUP: ncursesw is missing;
 * -ENOTTY: standard input and output are no terminal, or one of a type that is not known. */
int xpt_screen__open(bool color, struct xpt_screen **ret_s);
/* Its size now; true if it has another one than before. */
bool xpt_screen__size(struct xpt_screen *s, unsigned *ret_width, unsigned *ret_height);
void xpt_screen__show(struct xpt_screen *s, const struct xpt_top_page *page);
/* The next key that was typed, see enum xpt_top_key; 0: none. */
uint32_t xpt_screen__key(struct xpt_screen *s);
void xpt_screen__close(struct xpt_screen *s);	/* gives the terminal back; NULL is fine */

#endif
