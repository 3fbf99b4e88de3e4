/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * See fsuser.h. The raw system calls are used, because they change one thread; the C library's functions change all
 * threads, and handlers of signals must not call them. setfsuid(2) to another user takes the capabilities that
 * override access rights out of the effective set, and gives them back on the way to root.
 */
#include "base/files/fsuser.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
	bool set;
	uid_t uid;
	gid_t gid;
	gid_t groups[XPT_FSUSER_GROUPS], own[XPT_FSUSER_GROUPS];
	size_t nr_groups, nr_own;
} user;

void xpt_fsuser__set(uid_t uid, gid_t gid, const gid_t *groups, size_t nr_groups)
{
	int n = getgroups(XPT_FSUSER_GROUPS, user.own);

	user.nr_own = n > 0 ? (size_t)n : 0;
	user.uid = uid;
	user.gid = gid;
	user.nr_groups = nr_groups < XPT_FSUSER_GROUPS ? nr_groups : XPT_FSUSER_GROUPS;
	if (user.nr_groups)
		memcpy(user.groups, groups, user.nr_groups * sizeof(*groups));
	user.set = true;
}

uid_t xpt_fsuser__uid(void)
{
	return user.set ? user.uid : geteuid();
}

static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && (!path[n] || path[n] == '/') && !strstr(path, "/..");
}

bool xpt_fsuser__enter(const char *path)
{
	int saved = errno;

	if (!user.set || (path && is_below(path, XPT_STATE_DIR)))
		return false;
	syscall(SYS_setgroups, user.nr_groups, user.groups);
	syscall(SYS_setfsgid, user.gid);
	syscall(SYS_setfsuid, user.uid);
	errno = saved;
	return true;
}

void xpt_fsuser__leave(bool entered)
{
	int saved = errno;

	if (!entered)
		return;
	syscall(SYS_setfsuid, geteuid());
	syscall(SYS_setfsgid, getegid());
	syscall(SYS_setgroups, user.nr_own, user.own);
	errno = saved;
}
