// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Users by name, and from root back to the user who called sudo. The static binary reads /etc/passwd
 * and /etc/group itself: name services would load shared libraries of the very
 * glibc that it was linked with, which the machine it runs on need not have.
 */
#include "session/user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/fsuser.h"
#include "base/parse.h"

#ifdef XPT_STATIC
static struct passwd *find_user(uid_t uid)
{
	FILE *f = fopen("/etc/passwd", "re");
	struct passwd *pw = NULL;

	while (f && (pw = fgetpwent(f)) && pw->pw_uid != uid)
		;
	if (f)
		fclose(f);
	return pw;
}

static struct passwd *find_name(const char *name)
{
	FILE *f = fopen("/etc/passwd", "re");
	struct passwd *pw = NULL;

	while (f && (pw = fgetpwent(f)) && strcmp(pw->pw_name, name) != 0)
		;
	if (f)
		fclose(f);
	return pw;
}

static size_t find_groups(const char *user, gid_t gid, gid_t list[XPT_FSUSER_GROUPS])
{
	size_t n = 1, i;
	struct group *gr;
	FILE *f = fopen("/etc/group", "re");

	list[0] = gid;
	while (f && n < XPT_FSUSER_GROUPS && (gr = fgetgrent(f)))
		for (i = 0; gr->gr_mem[i]; i++)
			if (!strcmp(gr->gr_mem[i], user) && gr->gr_gid != gid) {
				list[n++] = gr->gr_gid;
				break;
			}
	if (f)
		fclose(f);
	return n;
}

static int set_groups(const char *user, gid_t gid)
{
	gid_t list[XPT_FSUSER_GROUPS];

	return setgroups(find_groups(user, gid, list), list);
}
#else
static struct passwd *find_user(uid_t uid)
{
	return getpwuid(uid);
}

static struct passwd *find_name(const char *name)
{
	return getpwnam(name);
}

static size_t find_groups(const char *user, gid_t gid, gid_t list[XPT_FSUSER_GROUPS])
{
	int n = XPT_FSUSER_GROUPS;

	return getgrouplist(user, gid, list, &n) > 0 ? (size_t)n : 0;
}

static int set_groups(const char *user, gid_t gid)
{
	return initgroups(user, gid);
}
#endif

bool xpt_user__caller(uid_t *ret_uid, gid_t *ret_gid)
{
	const char *uid_s = getenv("SUDO_UID"), *gid_s = getenv("SUDO_GID");
	uint64_t uid, gid;

	if (geteuid() || !uid_s || !gid_s || xpt_parse_u64(uid_s, 0, UINT32_MAX - 1, &uid) ||
	    xpt_parse_u64(gid_s, 0, UINT32_MAX - 1, &gid))
		return false;
	*ret_uid = (uid_t)uid;
	*ret_gid = (gid_t)gid;
	return uid != 0;
}

void xpt_user__write_as_caller(void)
{
	gid_t list[XPT_FSUSER_GROUPS], gid;
	struct passwd *pw;
	uid_t uid;

	if (!xpt_user__caller(&uid, &gid))
		return;
	pw = find_user(uid);
	xpt_fsuser__set(uid, gid, list, pw ? find_groups(pw->pw_name, gid, list) : 0);
}

int xpt_user__become_caller(void)
{
	struct passwd *pw;
	uid_t uid;
	gid_t gid;

	if (!xpt_user__caller(&uid, &gid))
		return 0;
	pw = find_user(uid);
	if (pw ? set_groups(pw->pw_name, gid) : setgroups(0, NULL))
		return -errno;
	if (setgid(gid) || setuid(uid))
		return -errno;
	if (pw) {
		setenv("HOME", pw->pw_dir, 1);
		setenv("USER", pw->pw_name, 1);
		setenv("LOGNAME", pw->pw_name, 1);
	}
	return 0;
}

int xpt_user__by_name(const char *name, uid_t *ret_uid)
{
	struct passwd *pw;
	uint64_t uid;

	if (!xpt_parse_u64(name, 0, UINT32_MAX - 1, &uid)) {
		*ret_uid = (uid_t)uid;
		return 0;
	}
	pw = find_name(name);
	if (!pw)
		return -ENOENT;
	*ret_uid = pw->pw_uid;
	return 0;
}

const char *xpt_user__name(uid_t uid)
{
	const struct passwd *pw = find_user(uid);

	return pw ? pw->pw_name : "without a name";
}
