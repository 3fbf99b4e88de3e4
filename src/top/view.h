/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The content of the screen: a view is changed by keys, and is drawn as lines of text of a given width and height. No
 * code here knows a terminal: screen.h puts the lines there.
 */
#ifndef XPT_TOP_VIEW_H
#define XPT_TOP_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include "base/strbuf.h"
#include "top/rates.h"

enum xpt_top_panel { XPT_TOP_PROCESSES, XPT_TOP_FUNCTIONS, XPT_TOP_DEVICES, XPT_TOP_RDMA, XPT_TOP_HELP };

/* X(CONSTANT, key, "name") */
#define XPT_TOP_SORTS(X) \
	X(ATTENTION, 'a', "attention")	/* long calls in flight first, then calls/s */ \
	X(CALLS, 'c', "calls/s") \
	X(LAUNCHES, 'l', "launches/s") \
	X(COPIES, 'b', "bytes copied/s") \
	X(WAIT, 'w', "share of time waiting") \
	X(GPU, 'g', "GPU") \
	X(MEMORY, 'm', "memory") \
	X(ERRORS, 'e', "errors/s") \
	X(OLDEST, 'o', "oldest call in flight") \
	X(PID, 'p', "process id") \
	X(NAME, 'n', "name")

#define X(constant, key, name) XPT_TOP_BY_##constant,
enum xpt_top_sort { XPT_TOP_SORTS(X) XPT_TOP_SORT__MAX };
#undef X

enum xpt_top_key {			/* besides characters */
	XPT_TOP_KEY_UP = 0x110000, XPT_TOP_KEY_DOWN, XPT_TOP_KEY_PAGE_UP, XPT_TOP_KEY_PAGE_DOWN, XPT_TOP_KEY_FIRST,
	XPT_TOP_KEY_LAST, XPT_TOP_KEY_ENTER, XPT_TOP_KEY_BACK, XPT_TOP_KEY_ESCAPE,
};

/* How a line looks. */
enum xpt_top_look {
	XPT_TOP_PLAIN, XPT_TOP_TITLE, XPT_TOP_HEAD, XPT_TOP_SELECTED, XPT_TOP_ALERT, XPT_TOP_DIM, XPT_TOP_BOLD,
	XPT_TOP_LOOK__MAX,
};

struct xpt_top_view {
	enum xpt_top_panel panel, under;	/* under: where the help came from */
	enum xpt_top_sort sort[2];	/* of processes and of functions */
	bool reverse[2];
	char filter[48];
	bool typing;			/* a filter */
	bool quit;
	bool has_selection;		/* there is a process to be selected: */
	uint32_t pid;			/* its id, and when it was first seen */
	uint64_t since_ns;
	char function[96];		/* the selected function */
	/* Durations are shown since the begin of the trace, and not for the interval. */
	bool since_start;
	int move;			/* lines that the selection is to be moved by */
	uint32_t top[5];		/* first row that is shown, by panel */
	/* Set by the caller; not changed here. */
	bool utf8, is_page;		/* is_page: all of it, without selection and keys */
	const char *source;		/* "agent 4711", "own trace" */
	const char *nothing;		/* the text where nothing has been counted; NULL: a default text */
	const char *message;		/* the last line, in place of the keys; NULL: none */
	const char *(*user)(uint32_t uid);	/* its name; NULL: numbers are shown */
};

struct xpt_top_line {
	struct xpt_strbuf text;		/* clean, at most as wide as the page */
	enum xpt_top_look look;
};

struct xpt_top_page {
	struct xpt_top_line *line;
	unsigned nr, width, height;
	int err;			/* -ENOMEM: it is not complete */
};

void xpt_top_view__key(struct xpt_top_view *v, uint32_t key);
/*
 * r: NULL before there is anything. Draws into the page, which is zeroed before its first use; height 0: as many
 * lines as there are. The view's selection follows the rows that are there.
 */
void xpt_top_view__draw(struct xpt_top_view *v, const struct xpt_top_rates *r, unsigned width, unsigned height,
			struct xpt_top_page *page);
void xpt_top_page__free(struct xpt_top_page *page);

#endif
