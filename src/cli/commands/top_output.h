/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The output of `xputrace top` from snapshots, wherever they come from: one page of text, JSON documents, or
 * a screen. Between the files of `top` only.
 */
#ifndef XPT_CLI_TOP_OUTPUT_H
#define XPT_CLI_TOP_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/strbuf.h"
#include "top/view.h"

enum xpt_top_mode { XPT_TOP_ON_SCREEN, XPT_TOP_PAGE, XPT_TOP_DOCUMENT, XPT_TOP_DOCUMENTS };

struct xpt_top_output {
	enum xpt_top_mode mode;
	uint64_t interval_ns;
	struct xpt_top_view view;
	char source[128];		/* who counts, for people */
	struct xpt_snapshot *before, *now;
	struct xpt_top_rates *rates;	/* NULL: there has been no snapshot yet */
	struct xpt_strbuf text;
	struct xpt_screen *screen;	/* of ON_SCREEN, once it is open */
	bool is_changed;		/* it is to be drawn anew */
	/* The snapshot that comes now is the last one: it is written however early it is */
	bool is_last;
	bool done;			/* all that was asked for has been written */
	int err;			/* -EPIPE: the reader has gone; or of a write, or no memory */
};

void xpt_top_output__init(struct xpt_top_output *o, enum xpt_top_mode mode, uint64_t interval_ns);
/* Who counts; as of snprintf(3). */
void xpt_top_output__set_source(struct xpt_top_output *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A new snapshot, as a document. It is written, or will be on the screen. 0 or -errno of a document that is none. */
int xpt_top_output__take(struct xpt_top_output *o, const char *document, size_t n);
/* Opens the screen; 0, or an exit status after a message. Messages go into its last line from now on. */
int xpt_top_output__open_screen(struct xpt_top_output *o);
/* Takes keys and draws the changed parts; without a screen it does nothing. */
void xpt_top_output__step(struct xpt_top_output *o);
/* Gives the terminal back, and prints messages that came meanwhile. */
void xpt_top_output__free(struct xpt_top_output *o);

#endif
