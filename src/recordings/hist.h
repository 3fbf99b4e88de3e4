/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Histograms of the times that calls took, out of the counts of a recording:
 * the kernel keeps one of powers of two for each process and function.
 */
#ifndef XPT_RECORDINGS_HIST_H
#define XPT_RECORDINGS_HIST_H

#include <stdbool.h>
#include "recordings/compare.h"

struct xpt_hist_cfg {
	const char *pattern;	/* glob of function names, "kernel:MODULE:GLOB", "ioctl:GLOB" */
	bool json, all;		/* all: text shows every function, not only the first */
	unsigned columns;	/* at least 40 */
};

/* Writes them to stdout, most time first. Returns how many functions matched. */
size_t xpt_hist__write(const struct xpt_run *run, const struct xpt_hist_cfg *cfg);
/* Says that none did, with names that are near. */
void xpt_hist__explain(const struct xpt_run *run, const struct xpt_hist_cfg *cfg);

#endif
