// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Ranges of subordinate ids, see subids.h. */
#include "proc/subids.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"

#define MAX_LINES 65536u
#define UID_MAX (UINT32_MAX - 1)	/* (uid_t)-1 is no user */

static struct xpt_subids loaded;

/* Opens a file that only root can have written. Returns NULL with errno; EPERM: other users can write it, too. */
static FILE *open_of_root(const char *root, const char *name)
{
	char path[4096];
	struct stat st;
	FILE *f;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid || st.st_mode & (S_IWGRP | S_IWOTH)) {
		close(fd);
		errno = EPERM;
		return NULL;
	}
	f = fdopen(fd, "r");
	if (!f)
		close(fd);
	return f;
}

/*
 * Finds the id of a name in a file like passwd(5), from where the last search ended: both files are mostly in the same
 * order, and name services may keep their caller waiting.
 */
static bool find_user(FILE *users, const char *name, uint32_t *ret_uid)
{
	const struct passwd *pw;

	for (unsigned round = 0; users && round < 2; round++) {
		while ((pw = fgetpwent(users)))
			if (!strcmp(pw->pw_name, name)) {
				*ret_uid = pw->pw_uid;
				return true;
			}
		rewind(users);
	}
	return false;
}

/* Adds those parts of first..last that no range has yet. Returns false if there is no room. */
static bool add_range(struct xpt_subids *s, uint32_t first, uint32_t last, uint32_t user)
{
	unsigned nr = s->nr;	/* parts that are added meanwhile are those of this user */

	for (unsigned i = 0; i < nr; i++) {
		const struct xpt_subids_range *r = &s->range[i];

		if (last < r->first || first > r->last)
			continue;
		if (first < r->first && !add_range(s, first, r->first - 1, user))
			return false;
		if (last <= r->last)
			return true;
		first = r->last + 1;
	}
	if (s->nr == XPT_SUBID_RANGES)
		return false;
	s->range[s->nr++] = (struct xpt_subids_range){ first, last, user };
	return true;
}

/* "anna:100000:65536", or the number of the user. False: damaged. */
static bool read_line(struct xpt_subids *s, char *line, FILE *users)
{
	char *rest, *name = strtok_r(line, ":\n", &rest), *from = strtok_r(NULL, ":\n", &rest),
	     *count = strtok_r(NULL, ":\n", &rest);
	uint64_t first, n, number;
	uint32_t user;

	if (!name || !from || !count || strtok_r(NULL, ":\n", &rest) || xpt_parse_u64(from, 1, UID_MAX, &first) ||
	    xpt_parse_u64(count, 1, UID_MAX - first + 1, &n))
		return false;
	if (!xpt_parse_u64(name, 0, UID_MAX, &number))
		user = (uint32_t)number;
	else if (!find_user(users, name, &user))
		user = (uint32_t)first;
	return !user || add_range(s, (uint32_t)first, (uint32_t)(first + n - 1), user);
}

void xpt_subids__read(struct xpt_subids *s, const char *root)
{
	FILE *ids = open_of_root(root, "etc/subuid"), *users;
	unsigned nr = 0, damaged = 0;
	char line[512];

	if (!ids) {
		if (errno != ENOENT)
			xpt_debug("%s/etc/subuid was not read: %s", root, strerror(errno));
		return;
	}
	users = open_of_root(root, "etc/passwd");
	while (nr++ < MAX_LINES && fgets(line, sizeof(line), ids))
		damaged += !read_line(s, line, users);
	if (users)
		fclose(users);
	fclose(ids);
	if (damaged)
		xpt_debug("%s/etc/subuid: %u lines were left out", root, damaged);
}

uint32_t xpt_subids__user(const struct xpt_subids *s, uint32_t uid)
{
	for (unsigned i = 0; i < s->nr; i++)
		if (uid >= s->range[i].first && uid <= s->range[i].last)
			return s->range[i].user;
	return uid;
}

uint32_t xpt_subids__bits(uint32_t first, uint32_t last)
{
	uint32_t bits = 32;
	uint64_t size = 1;

	while (bits && !(first & (2 * size - 1)) && first + 2 * size - 1 <= last) {
		size *= 2;
		bits--;
	}
	return bits;
}

void xpt_subids__load(void)
{
	struct stat own, host;

	loaded.nr = 0;
	xpt_subids__read(&loaded, "");
	if (!stat("/proc/1/root/etc/subuid", &host) &&
	    (stat("/etc/subuid", &own) || own.st_dev != host.st_dev || own.st_ino != host.st_ino))
		xpt_subids__read(&loaded, "/proc/1/root");
}

const struct xpt_subids *xpt_subids__loaded(void)
{
	return &loaded;
}
