/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Resolves a path of the user to the folder and the name that it leads to, without being led by
 * strangers: of all symbolic links on the way only those of root and of the user who writes
 * (base/files/fsuser.h) are followed, in whatever folder they are. The caller then works below the
 * descriptor of the folder. All with the rights of the caller.
 */
#ifndef XPT_BASE_FILES_CHASE_H
#define XPT_BASE_FILES_CHASE_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#define XPT_EUNSAFE EREMCHG	/* the way leads through something of a stranger; no file system says this */

struct xpt_place {
	int dir;			/* descriptor (O_PATH) of the folder; the caller closes it */
	char name[NAME_MAX + 1];	/* in it; was no symbolic link, need not exist */
	bool magic;			/* a link of /proc that only the kernel can follow: /proc/self/fd/1 */
};

/* -XPT_EUNSAFE: a symbolic link of another user is on the way; -ELOOP: too many links; else of open(2). */
int xpt_chase(const char *path, struct xpt_place *ret_p);

/*
 * Makes those folders above the file of that path that are missing, the last one with mode 0700, others 0755. As
 * xpt_chase(): nothing is made where a stranger's link leads to.
 */
int xpt_chase__make_folders(const char *path);

/*
 * May a file that exists be written to? The rules of fs.protected_regular and fs.protected_fifos, in
 * whatever folder others can write to, and no second names (hard links) there. 0 or -XPT_EUNSAFE.
 */
int xpt_chase__check(int dir, const struct stat *file);

/*
 * Opens it for writing (flags: O_CREAT, O_EXCL ... in addition) and never follows a link; a new file
 * gets mode. A pipe has 5 s to get a reader, which a shell may just be starting. The descriptor or -errno:
 * -ENXIO is a pipe without a reader, -XPT_EUNSAFE as above.
 */
int xpt_place__open(const struct xpt_place *p, int flags, mode_t mode);

/* Returns the meaning of err of these functions, in words. */
const char *xpt_chase__error(int err);

#endif
