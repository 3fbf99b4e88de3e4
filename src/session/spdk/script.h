/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A bpftrace script for one program: __EXE__ of each probe becomes the file that has
 * it, __PID__ the process, and names of SPDK's states are supplied.
 */
#ifndef XPT_SESSION_SPDK_SCRIPT_H
#define XPT_SESSION_SPDK_SCRIPT_H

#include "base/strbuf.h"

struct xpt_script;

/*
 * The files of a process that runs, or (pid 0) of a program and its libraries. Reports errors. Returns 0 or -errno.
 */
int xpt_script__new(int pid, const char *exe, struct xpt_script **ret_s);
void xpt_script__free(struct xpt_script *s);	/* NULL is fine */
/*
 * Appends text with all places filled in; a probe that no file has is reported and gets the program's own file.
 * release: SPDK's, 0: look for it in the files. Returns 0 or -errno, reported.
 */
int xpt_script__add(struct xpt_script *s, const char *text, unsigned release,
		    struct xpt_strbuf *program);

#endif
