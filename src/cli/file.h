/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Output files: opened without harm to a file that is an output already or
 * the input, owned by the user behind sudo, never left behind in vain.
 */
#ifndef XPT_CLI_FILE_H
#define XPT_CLI_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct xpt_file {
	const char *path;	/* the caller's */
	int fd;
	bool created;		/* was not there before */
	bool regular;		/* dev and ino tell which file it is */
	dev_t dev;
	ino_t ino;
};

/* Opens path for writing and keeps what it holds; says what went wrong. 0 or -errno. */
int xpt_file__open(const char *path, struct xpt_file *ret_f);
bool xpt_file__same(const struct xpt_file *a, const struct xpt_file *b);
/* Cuts it to its first bytes, all of it where size is 0: now it is ours. 0 or -errno. */
int xpt_file__cut(const struct xpt_file *f, off_t size);
/* After a failed write of lines: cuts the file behind its last whole line. */
void xpt_file__cut_to_line(const struct xpt_file *f);
/* Removes it, if it was created by us and is a plain file. Does not close. */
void xpt_file__remove(const struct xpt_file *f);

/* The same of all that this process has made so far; for handlers of signals. */
void xpt_file__remove_made(void);

/* Makes a file or folder that root created belong to the user behind sudo. */
void xpt_file__give_to_user(int fd);

#endif
