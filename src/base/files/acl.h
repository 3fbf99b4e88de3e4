/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POSIX access control lists, acl(5). Where a file has one, the group's bits of its mode are the list's mask, so they do not
 * say that only the file's group may write.
 */
#ifndef XPT_BASE_FILES_ACL_H
#define XPT_BASE_FILES_ACL_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Whether others than root and the file's owner may write to it, by its mode or its list. A group of root is root.
 * st: of the file. A list that cannot be read or is not understood counts as one that lets them.
 */
bool xpt_acl__lets_others_write(int fd, const struct stat *st);
bool xpt_acl__lets_others_write_at(const char *path, const struct stat *st);	/* follows no link at the end */

#endif
