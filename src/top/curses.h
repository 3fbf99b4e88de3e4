/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ncursesw, loaded at run time: the used part of its interface, version 6 of which has been the same since 2015. Its
 * header is not needed, and a machine without it goes without a screen.
 */
#ifndef XPT_TOP_CURSES_H
#define XPT_TOP_CURSES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

/* X(return type, name, parameters); windows and screens are opaque. */
#define XPT_CURSES_FNS(X) \
	X(void *, newterm, (const char *type, FILE *out, FILE *in)) \
	X(void, delscreen, (void *screen)) \
	X(void *, newwin, (int lines, int columns, int y, int x)) \
	X(int, endwin, (void)) \
	X(int, cbreak, (void)) \
	X(int, noecho, (void)) \
	X(int, nonl, (void)) \
	X(int, curs_set, (int visibility)) \
	X(int, set_escdelay, (int ms)) \
	X(bool, has_colors, (void)) \
	X(int, start_color, (void)) \
	X(int, use_default_colors, (void)) \
	X(int, init_pair, (short pair, short foreground, short background)) \
	X(int, resizeterm, (int lines, int columns)) \
	X(int, wresize, (void *window, int lines, int columns)) \
	X(int, keypad, (void *window, bool on)) \
	X(int, nodelay, (void *window, bool on)) \
	X(int, wget_wch, (void *window, wint_t *ret_key)) \
	X(int, werase, (void *window)) \
	X(int, wmove, (void *window, int y, int x)) \
	X(int, waddnstr, (void *window, const char *text, int n)) \
	X(int, wattrset, (void *window, int attributes)) \
	X(int, wrefresh, (void *window))

struct xpt_curses {
#define X(type, name, parameters) type (*name) parameters;
	XPT_CURSES_FNS(X)
#undef X
};

/* attr_t, colours and keys as curses.h of version 6 numbers them. */
#define XPT_CURSES_UNDERLINE (1 << 17)
#define XPT_CURSES_REVERSE (1 << 18)
#define XPT_CURSES_DIM (1 << 20)
#define XPT_CURSES_BOLD (1 << 21)
#define XPT_CURSES_PAIR(n) ((n) << 8)
enum { XPT_CURSES_BLACK, XPT_CURSES_RED, XPT_CURSES_GREEN, XPT_CURSES_YELLOW, XPT_CURSES_BLUE, XPT_CURSES_MAGENTA, XPT_CURSES_CYAN };
enum {
	XPT_CURSES_IS_KEY = 0400,	/* the result of wget_wch() for keys that are no characters */
	XPT_CURSES_DOWN = 0402, XPT_CURSES_UP = 0403, XPT_CURSES_HOME = 0406, XPT_CURSES_BACKSPACE = 0407,
	XPT_CURSES_NEXT_PAGE = 0522, XPT_CURSES_PREVIOUS_PAGE = 0523, XPT_CURSES_ENTER = 0527, XPT_CURSES_END = 0550,
};

/* 0, or -ENOTSUP: it is not installed, or too old. It stays loaded. */
int xpt_curses__load(struct xpt_curses *ret_c);

#endif
