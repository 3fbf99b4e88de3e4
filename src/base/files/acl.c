// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See acl.h. An ACL is an extended attribute; include/uapi/linux/posix_acl_xattr.h of Linux has its format. */
#include "base/files/acl.h"

#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/xattr.h>

#define ATTRIBUTE "system.posix_acl_access"
#define VERSION 2u
#define MAX_ENTRIES 4096
#define USER 0x02u		/* ACL_USER, a user by id; all tags: include/uapi/linux/posix_acl.h */
#define GROUP_OBJ 0x04u		/* ACL_GROUP_OBJ, the file's group */
#define GROUP 0x08u		/* ACL_GROUP, a group by id */
#define WRITE 0x02u

struct entry {			/* struct posix_acl_xattr_entry: members are little-endian */
	uint16_t tag, perm;
	uint32_t id;
};

struct list {
	uint32_t version;
	struct entry entry[MAX_ENTRIES];
};

/* Whether the entry lets a user or group other than root write. */
static bool lets_write(const struct entry *e, uint32_t file_group)
{
	uint16_t tag = le16toh(e->tag);

	if (!(le16toh(e->perm) & WRITE))
		return false;
	return ((tag == USER || tag == GROUP) && le32toh(e->id)) || (tag == GROUP_OBJ && file_group);
}

/*
 * Checks the entries of an ACL. n is the result of getxattr(2); if it is negative, errno has the reason. The callers
 * have tested S_IWGRP, which is the ACL's mask, and S_IWOTH, which is its entry for all other users.
 */
static bool lets_others_write(const struct list *list, ssize_t n, const struct stat *st)
{
	size_t nr = n < (ssize_t)sizeof(list->version) ? 0 : ((size_t)n - sizeof(list->version)) / sizeof(list->entry[0]);

	if (n < 0 && (errno == ENODATA || errno == ENOTSUP))
		return st->st_gid;
	if (!nr || le32toh(list->version) != VERSION)
		return true;
	for (size_t i = 0; i < nr; i++)
		if (lets_write(&list->entry[i], st->st_gid))
			return true;
	return false;
}

bool xpt_acl__lets_others_write(int fd, const struct stat *st)
{
	struct list list;

	if (!(st->st_mode & S_IWGRP))
		return st->st_mode & S_IWOTH;
	return st->st_mode & S_IWOTH || lets_others_write(&list, fgetxattr(fd, ATTRIBUTE, &list, sizeof(list)), st);
}

bool xpt_acl__lets_others_write_at(const char *path, const struct stat *st)
{
	struct list list;

	if (!(st->st_mode & S_IWGRP))
		return st->st_mode & S_IWOTH;
	return st->st_mode & S_IWOTH || lets_others_write(&list, lgetxattr(path, ATTRIBUTE, &list, sizeof(list)), st);
}
