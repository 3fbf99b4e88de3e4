/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file of metrics that is replaced as a whole again and again, so that a reader never sees half of one
 * (node_exporter's textfile collector reads such files).
 */
#ifndef XPT_SESSION_AGENT_PAGE_FILE_H
#define XPT_SESSION_AGENT_PAGE_FILE_H

#include <stdbool.h>
#include <sys/types.h>
#include "base/files/chase.h"
#include "base/strbuf.h"

struct xpt_page_file {
	const char *path;	/* the caller's; NULL: none is kept */
	int err;		/* of the last write */
	bool created;		/* it was not there before */
	struct xpt_place place;	/* where the first one was made, */
	dev_t dev;		/* and which file that is */
	ino_t ino;
};

/*
 * Writes the first page, so that a file that cannot be written is reported before anything begins. path must
 * outlive p; with NULL all of these do nothing. Refuses devices and pipes. Returns 0 or -errno, with a message.
 */
int xpt_page_file__open(struct xpt_page_file *p, const char *path, const struct xpt_strbuf *page);
/* Replaces it. err: 0, or why there is no page. Reports a failure once, until it has worked again. */
void xpt_page_file__write(struct xpt_page_file *p, const struct xpt_strbuf *page, int err);
void xpt_page_file__remove(const struct xpt_page_file *p);	/* if it was not there before */
void xpt_page_file__close(struct xpt_page_file *p);		/* zeroed is fine */

#endif
