// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See screen.h. ncursesw sends a terminal only the changed cells, so the screen does not flicker. Its handler for
 * SIGWINCH is not relied on: the size is asked for each time.
 */
#include "top/screen.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "top/curses.h"

#define ESCAPE_MS 25			/* a sequence of a key that begins with ESC has come whole by then */
enum { PAIR_HEAD = 1, PAIR_SELECTED, PAIR_ALERT, PAIR_TITLE };

struct xpt_screen {
	struct xpt_curses c;
	void *screen, *window;
	int look[XPT_TOP_LOOK__MAX];	/* attributes */
	unsigned width, height;
};

static void choose_looks(struct xpt_screen *s, bool color)
{
	const struct xpt_curses *c = &s->c;

	s->look[XPT_TOP_TITLE] = s->look[XPT_TOP_BOLD] = s->look[XPT_TOP_ALERT] = XPT_CURSES_BOLD;
	s->look[XPT_TOP_HEAD] = XPT_CURSES_BOLD | XPT_CURSES_UNDERLINE;
	s->look[XPT_TOP_SELECTED] = XPT_CURSES_REVERSE;
	s->look[XPT_TOP_DIM] = XPT_CURSES_DIM;
	if (!color || !c->has_colors() || c->start_color() || c->use_default_colors())
		return;
	c->init_pair(PAIR_HEAD, XPT_CURSES_BLACK, XPT_CURSES_GREEN);
	c->init_pair(PAIR_SELECTED, XPT_CURSES_BLACK, XPT_CURSES_CYAN);
	c->init_pair(PAIR_ALERT, XPT_CURSES_RED, -1);
	c->init_pair(PAIR_TITLE, XPT_CURSES_CYAN, -1);
	s->look[XPT_TOP_HEAD] = XPT_CURSES_PAIR(PAIR_HEAD);
	s->look[XPT_TOP_SELECTED] = XPT_CURSES_PAIR(PAIR_SELECTED);
	s->look[XPT_TOP_ALERT] = XPT_CURSES_PAIR(PAIR_ALERT) | XPT_CURSES_BOLD;
	s->look[XPT_TOP_TITLE] = XPT_CURSES_PAIR(PAIR_TITLE) | XPT_CURSES_BOLD;
}

static int start_screen(struct xpt_screen *s, bool color)
{
	const struct xpt_curses *c = &s->c;

	s->screen = c->newterm(NULL, stdout, stdin);
	if (!s->screen)
		return -ENOTTY;
	c->set_escdelay(ESCAPE_MS);
	s->window = c->newwin(0, 0, 0, 0);
	if (!s->window)
		return -ENOMEM;
	c->cbreak();
	c->noecho();
	c->nonl();
	c->curs_set(0);
	c->keypad(s->window, true);
	c->nodelay(s->window, true);
	choose_looks(s, color);
	return 0;
}

int xpt_screen__open(bool color, struct xpt_screen **ret_s)
{
	struct xpt_screen *s;
	int err;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return -ENOTTY;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	err = xpt_curses__load(&s->c);
	err = err ? err : start_screen(s, color);
	if (err) {
		xpt_screen__close(s);
		return err;
	}
	*ret_s = s;
	return 0;
}

bool xpt_screen__size(struct xpt_screen *s, unsigned *ret_width, unsigned *ret_height)
{
	struct winsize ws;
	bool is_new;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) || !ws.ws_col || !ws.ws_row)
		ws = (struct winsize){ .ws_col = 80, .ws_row = 24 };
	is_new = ws.ws_col != s->width || ws.ws_row != s->height;
	if (is_new) {
		s->c.resizeterm(ws.ws_row, ws.ws_col);
		s->c.wresize(s->window, ws.ws_row, ws.ws_col);
	}
	*ret_width = s->width = ws.ws_col;
	*ret_height = s->height = ws.ws_row;
	return is_new;
}

void xpt_screen__show(struct xpt_screen *s, const struct xpt_top_page *page)
{
	const struct xpt_curses *c = &s->c;

	c->werase(s->window);
	for (unsigned i = 0; i < page->nr && i < s->height; i++) {
		c->wmove(s->window, (int)i, 0);
		c->wattrset(s->window, s->look[page->line[i].look]);
		c->waddnstr(s->window, xpt_strbuf__str(&page->line[i].text), -1);
	}
	c->wattrset(s->window, 0);
	c->wrefresh(s->window);
}

uint32_t xpt_screen__key(struct xpt_screen *s)
{
	static const struct {
		wint_t from;
		uint32_t to;
	} keys[] = {
		{ XPT_CURSES_DOWN, XPT_TOP_KEY_DOWN }, { XPT_CURSES_UP, XPT_TOP_KEY_UP },
		{ XPT_CURSES_HOME, XPT_TOP_KEY_FIRST }, { XPT_CURSES_END, XPT_TOP_KEY_LAST },
		{ XPT_CURSES_NEXT_PAGE, XPT_TOP_KEY_PAGE_DOWN }, { XPT_CURSES_PREVIOUS_PAGE, XPT_TOP_KEY_PAGE_UP },
		{ XPT_CURSES_BACKSPACE, XPT_TOP_KEY_BACK }, { XPT_CURSES_ENTER, XPT_TOP_KEY_ENTER },
	};
	wint_t key = 0;
	int kind = s->c.wget_wch(s->window, &key);

	if (kind == 0)
		return key == '\r' || key == '\n' ? XPT_TOP_KEY_ENTER : key == 033 ? XPT_TOP_KEY_ESCAPE :
		       key == 0177 || key == '\b' ? XPT_TOP_KEY_BACK : (uint32_t)key;
	for (size_t i = 0; kind == XPT_CURSES_IS_KEY && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].from == key)
			return keys[i].to;
	return 0;
}

void xpt_screen__close(struct xpt_screen *s)
{
	if (!s)
		return;
	if (s->screen) {
		s->c.endwin();
		s->c.delscreen(s->screen);
	}
	free(s);
}
