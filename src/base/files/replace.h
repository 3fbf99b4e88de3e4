/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files that are written as a whole: to a new one with a name of its own, which then
 * takes the old one's place. So a reader finds the old or the new one, and of two
 * writers the last wins, unless they agree to wait for each other.
 */
#ifndef XPT_BASE_FILES_REPLACE_H
#define XPT_BASE_FILES_REPLACE_H

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/*
 * write: 0 or -errno; data that it left in the buffer of f is written, too. The file keeps the owner
 * and the access mode of the one before; a link goes on leading to it. 0 or -errno: nothing has
 * changed.
 */
int xpt_replace_file(const char *path, int (*write)(void *ctx, FILE *f), void *ctx);
enum {				/* flags */
	XPT_REPLACE_NO_WAIT = 1,	/* for the lock */
	/* Gives a new file mode 0600, because any reader of a file can lock it. */
	XPT_REPLACE_PRIVATE = 2,
};
/*
 * 0 or -errno, as above. old: the file whose place f takes, a regular one, open for reading at its beginning;
 * it stays the caller's. This file is the locked one: read from the descriptor, not by its name.
 */
typedef int (*xpt_rewrite_fn)(void *ctx, int old, FILE *f);
/*
 * The same, one caller at a time: so what another wrote into the old file is not lost. It is empty if it was not
 * there. -EBUSY: another has it, and had it for 2 s if it was waited for. -EINVAL: it is no regular file.
 */
int xpt_replace_file_locked(const char *path, unsigned flags, xpt_rewrite_fn rewrite, void *ctx);

/* A stream that reads a descriptor, which stays the caller's; the position is theirs together. NULL: see errno. */
static inline FILE *xpt_fopen_copy(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *f = copy < 0 ? NULL : fdopen(copy, "r");

	if (copy >= 0 && !f)
		close(copy);
	return f;
}

#endif
