/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files that are written as a whole: to a new one with a name of its own, which then
 * takes the old one's place. So a reader finds the old or the new one, and of two
 * writers the last wins, unless they agree to wait for each other.
 */
#ifndef XPT_BASE_REPLACE_H
#define XPT_BASE_REPLACE_H

#include <stdio.h>

/*
 * write: 0 or -errno; what it left in f is written, too. The file keeps the owner and
 * the access mode of the one before; a link goes on leading to it. 0 or -errno: nothing has changed.
 */
int xpt_replace_file(const char *path, int (*write)(void *ctx, FILE *f), void *ctx);
/*
 * The same, one caller at a time: so write may read the old file first and lose nothing of what
 * another wrote into it. It is empty if it was not there. -EBUSY: another had it for 2 s.
 */
int xpt_replace_file_locked(const char *path, int (*write)(void *ctx, FILE *f), void *ctx);

#endif
