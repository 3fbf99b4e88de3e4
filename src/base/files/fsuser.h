/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The user with whose rights files are written. Under sudo that is the user who called sudo: every output is opened
 * with his rights, so that an unexpected path leads at worst to a file that he could have written himself. Without
 * sudo nothing changes.
 */
#ifndef XPT_BASE_FILES_FSUSER_H
#define XPT_BASE_FILES_FSUSER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The folder of xputrace for state: only root writes below it. */
#define XPT_STATE_DIR "/var/lib/xputrace"

/* Sets the user; before, files are written with the rights of the process. Keeps at most XPT_FSUSER_GROUPS
 * supplementary groups. */
#define XPT_FSUSER_GROUPS 256
void xpt_fsuser__set(uid_t uid, gid_t gid, const gid_t *groups, size_t nr_groups);

/* The user with whose rights files are written. */
uid_t xpt_fsuser__uid(void);

/*
 * Between enter and leave, the kernel checks system calls of this thread on files with the rights of that user. path:
 * the path of a file of xputrace's own (good calls, rules): below the folder above, which is root's, nothing changes.
 * NULL: an output, wherever it is. Pairs do not nest. Both may be called by handlers of signals.
 */
bool xpt_fsuser__enter(const char *path);
void xpt_fsuser__leave(bool entered);

#endif
