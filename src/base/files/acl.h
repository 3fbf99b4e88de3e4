/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POSIX access control lists (ACLs), acl(5). Where a file has one, the group bits of its mode are the ACL's mask:
 * S_IWGRP only shows that the mask lets users or groups of the ACL write, not which ones.
 */
#ifndef XPT_BASE_FILES_ACL_H
#define XPT_BASE_FILES_ACL_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Returns whether the file's mode or its ACL lets anybody but root and the file's owner write to it. Group 0 counts
 * as root. st is the status of the file. An ACL that cannot be read, or whose format is unknown, counts as one that
 * does.
 */
bool xpt_acl__lets_others_write(int fd, const struct stat *st);
bool xpt_acl__lets_others_write_at(const char *path, const struct stat *st);	/* follows no link at the end */

#endif
