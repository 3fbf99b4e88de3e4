/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Output files: opened without harm to a file that is an output already or the input, with the
 * rights of the user who called sudo, found again by descriptor only, and removed again if nothing was written.
 */
#ifndef XPT_SESSION_OUTPUT_FILE_H
#define XPT_SESSION_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "base/files/chase.h"

struct xpt_file {
	const char *path;	/* the caller's, for messages */
	struct xpt_place place;	/* its folder, which stays open until the process ends, and its name there */
	int fd;
	bool created;		/* it did not exist before */
	bool regular;		/* dev and ino identify the file */
	dev_t dev;
	ino_t ino;
};

/* Opens path for writing and keeps its content. Reports the error if there is one. Returns 0 or -errno. */
int xpt_file__open(const char *path, struct xpt_file *ret_f);
/*
 * Makes path mean a file that is already open, without a look-up of the name: for a command that runs another one and
 * reads the output of that command. fd and path stay the caller's. NULL: path is a name again.
 */
void xpt_file__lend(const char *path, int fd);
/* Makes a new file path in a folder that is open, without a message. Returns 0, -EEXIST or another -errno. */
int xpt_file__make_in(int dir, const char *name, const char *path, struct xpt_file *ret_f);
bool xpt_file__same(const struct xpt_file *a, const struct xpt_file *b);
/* Cuts it to its first bytes, all of it where size is 0: now it is ours. 0 or -errno. */
int xpt_file__cut(const struct xpt_file *f, off_t size);
/* Cuts the file after its last whole line, after a write of lines has failed. */
void xpt_file__cut_to_line(const struct xpt_file *f);
/* Removes it, if it was created by us and is a plain file. Does not close. */
void xpt_file__remove(const struct xpt_file *f);

/* The same of all that this process has made so far; for handlers of signals. */
void xpt_file__remove_made(void);

#endif
