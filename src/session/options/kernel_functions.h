/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel functions at the command line: the output of `list kernel:...`, and the messages about patterns that match
 * none.
 */
#ifndef XPT_SESSION_OPTIONS_KERNEL_FUNCTIONS_H
#define XPT_SESSION_OPTIONS_KERNEL_FUNCTIONS_H

#include <stdbool.h>
#include "engine/sources/kfunc.h"

/* "kernel:MODULE:GLOB" and the like. */
bool xpt_kernel__is_pattern(const char *s);
/* Lists the matching functions, how they can be traced and why not. Returns an exit status. */
int xpt_kernel__list(const char *pattern, bool verbose, bool json);
/*
 * Looks for the functions of a trace before it begins. -1: go on; else an exit
 * status: more than max, none where one was named, no list, no way of attaching.
 */
int xpt_kernel__check(struct xpt_kfind *f, const struct xpt_kfunc_cfg *cfg);
/* Says why a pattern matches nothing, with names that are near. */
void xpt_kernel__explain(const struct xpt_kfind *f, const char *pattern);

#endif
