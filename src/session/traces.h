/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files that a trace is written to where no -o names one, in the folder traces/ of the
 * current directory: a recording, which all commands read, and JSON lines of the same name,
 * for scripts. Links lead to the newest of each.
 */
#ifndef XPT_SESSION_TRACES_H
#define XPT_SESSION_TRACES_H

#include <stdbool.h>
#include "session/output_file.h"

enum xpt_traces_which { XPT_TRACES_RECORDING, XPT_TRACES_LINES, XPT_TRACES_FILES };

extern const char *const xpt_traces_latest[XPT_TRACES_FILES];	/* "traces/trace_latest.xtr" and its like */

struct xpt_traces {
	struct xpt_traces_file {
		char path[96];		/* "": there is none */
		struct xpt_file open;	/* that file; open.place has the folder's descriptor */
		bool linked;		/* the link leads to it */
	} file[XPT_TRACES_FILES];	/* both or none */
	bool made_dir;
	bool link_tried;
};

/* Makes signals that end the process remove the files made so far, until the command catches signals itself. */
void xpt_traces__guard(void);
/* Makes both files; reports the error if there is one. t lives as long as the process. Returns 0 or -errno. */
int xpt_traces__make(struct xpt_traces *t);
/* Points the links to the files, once, when the files have contents. Reports links that cannot be changed. */
void xpt_traces__link(struct xpt_traces *t);
/* " traces/trace_latest.xtr is the newest here" for messages, or "" where there is none. */
const char *xpt_traces__hint(void);
/* Removes the files, and the folder if it is ours and empty. */
void xpt_traces__drop(struct xpt_traces *t);

#endif
