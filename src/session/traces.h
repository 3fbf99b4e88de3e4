/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The file that a trace is written to where no -o names one: a recording in the
 * folder traces/ of the current directory, and the link traces/latest.xtr to it.
 */
#ifndef XPT_SESSION_TRACES_H
#define XPT_SESSION_TRACES_H

#include <stdbool.h>
#include "session/file.h"

#define XPT_TRACES_LATEST "traces/latest.xtr"

struct xpt_traces {
	char file[96];		/* "": there is none */
	struct xpt_file open;	/* that file; its place has the folder's descriptor */
	bool made_dir;
	bool linked;		/* the link leads to it */
	bool link_failed;	/* that was told */
};

/* From here on a signal that would end us removes what was made, until the command catches signals itself. */
void xpt_traces__guard(void);
/* Makes the file; says what went wrong. t lives as long as the process. 0 or -errno. */
int xpt_traces__make(struct xpt_traces *t);
/* Lets the link lead to the file, once; for when the file holds something. */
void xpt_traces__link(struct xpt_traces *t);
/* Removes the file, and the folder if it is ours and empty. */
void xpt_traces__drop(struct xpt_traces *t);

#endif
