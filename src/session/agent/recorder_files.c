// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See recorder_files.h. All is done below the descriptor of the folder. */
#include "session/agent/recorder_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/files/chase.h"
#include "base/files/fsuser.h"
#include "base/log.h"

#define BEGIN "flight_"
#define END ".xtr"
#define PART ".flight."			/* a file that is being written: by the process of that number */
#define UNKNOWN (UINT64_MAX - 1)	/* the owner of recordings that an earlier run has made */

/*
 * Below the system's own folder it is root's business where recordings go; elsewhere that of the user who called
 * sudo.
 */
static bool enter_rights(const struct xpt_recorder_files *f)
{
	return xpt_fsuser__enter(strcmp(f->path, XPT_RECORDER_DIR) ? NULL : f->path);
}

static bool is_recording(const char *name)
{
	size_t n = strlen(name);

	return n < XPT_RECORDER_NAME && n > sizeof(BEGIN END) && !strncmp(name, BEGIN, sizeof(BEGIN) - 1) &&
	       !strcmp(name + n - (sizeof(END) - 1), END);
}

static void name_part(char *buf, size_t n, pid_t writer)
{
	snprintf(buf, n, PART "%d", (int)writer);
}

/* Whether the file is an unfinished recording whose writer was killed. */
static bool is_left_over(const char *name)
{
	int pid;

	return sscanf(name, PART "%d", &pid) == 1 && pid > 0 && kill(pid, 0) && errno == ESRCH;
}

static int compare_names(const void *a, const void *b)
{
	const struct xpt_recorder_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/*
 * Adds a recording from before the start. If there are too many, the oldest one is removed. Keeps the list in order.
 */
static void add_found(struct xpt_recorder_files *f, const struct xpt_recorder_file *file)
{
	if (f->nr < XPT_RECORDER_FILES) {
		f->file[f->nr++] = *file;
	} else if (compare_names(file, &f->file[0]) > 0) {
		unlinkat(f->dir, f->file[0].name, 0);
		f->file[0] = *file;
	} else {
		unlinkat(f->dir, file->name, 0);
	}
	qsort(f->file, f->nr, sizeof(f->file[0]), compare_names);
}

static void find_files(struct xpt_recorder_files *f)
{
	int fd = openat(f->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(d))) {
		struct xpt_recorder_file file = { "", UNKNOWN };

		if (is_left_over(e->d_name))
			unlinkat(f->dir, e->d_name, 0);
		if (!is_recording(e->d_name))
			continue;
		snprintf(file.name, sizeof(file.name), "%.*s", XPT_RECORDER_NAME - 1, e->d_name);
		add_found(f, &file);
	}
	closedir(d);
}

/* Whoever can write there could exchange files that root reads later. Returns 0 or -EPERM. */
static int check_folder(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_uid && st.st_uid != xpt_fsuser__uid())
		return -EPERM;
	return st.st_mode & (S_IWGRP | S_IWOTH) ? -EPERM : 0;
}

static int open_folder(struct xpt_recorder_files *f)
{
	char file[PATH_MAX];
	struct xpt_place place;
	int err, dir;

	if (snprintf(file, sizeof(file), "%s/x", f->path) >= (int)sizeof(file))
		return -ENAMETOOLONG;
	err = xpt_chase__make_folders(file);
	if (!err)
		err = xpt_chase(file, &place);
	if (err)
		return err;
	dir = openat(place.dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = dir < 0 ? -errno : check_folder(dir);
	close(place.dir);
	if (err && dir >= 0)
		close(dir);
	return err ? err : dir;
}

int xpt_recorder_files__open(struct xpt_recorder_files *f, const char *path)
{
	bool entered;
	int dir;

	*f = (struct xpt_recorder_files){ .path = path, .dir = -1 };
	entered = enter_rights(f);
	dir = f->dir = open_folder(f);
	if (dir >= 0)
		find_files(f);
	xpt_fsuser__leave(entered);
	if (dir == -EPERM)
		return xpt_err(dir, "recordings cannot be kept in %s: it belongs to another user, or others can write there",
			       path);
	if (dir < 0)
		return xpt_err(dir, "recordings cannot be kept in %s: %s", path, xpt_chase__error(dir));
	return 0;
}

/* The owner with most recordings; of several who have as many, that of the oldest one. */
static uint64_t find_greatest(const struct xpt_recorder_files *f)
{
	uint64_t greatest = UNKNOWN;
	unsigned most = 0;

	for (unsigned i = 0; i < f->nr; i++) {
		unsigned n = 0;

		for (unsigned k = 0; k < f->nr; k++)
			n += f->file[k].owner == f->file[i].owner;
		if (n > most) {
			most = n;
			greatest = f->file[i].owner;
		}
	}
	return greatest;
}

static void remove_oldest_of(struct xpt_recorder_files *f, uint64_t owner)
{
	unsigned i = 0;
	bool entered;

	while (f->file[i].owner != owner)
		i++;
	entered = enter_rights(f);
	if (unlinkat(f->dir, f->file[i].name, 0) && errno != ENOENT)
		xpt_warn("%s/%s cannot be removed: %s", f->path, f->file[i].name, strerror(errno));
	xpt_fsuser__leave(entered);
	f->nr--;
	memmove(&f->file[i], &f->file[i + 1], (f->nr - i) * sizeof(f->file[0]));
}

void xpt_recorder_files__make_room(struct xpt_recorder_files *f)
{
	while (f->nr >= XPT_RECORDER_FILES)
		remove_oldest_of(f, find_greatest(f));
}

static bool is_taken(const struct xpt_recorder_files *f, const char *name)
{
	struct stat st;

	return !fstatat(f->dir, name, &st, AT_SYMLINK_NOFOLLOW);
}

void xpt_recorder_files__name(const struct xpt_recorder_files *f, const char *cause, char ret_name[XPT_RECORDER_NAME])
{
	time_t now = time(NULL);
	char stamp[32];
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), BEGIN "%Y%m%d_%H%M%S", &tm);
	snprintf(ret_name, XPT_RECORDER_NAME, "%s_%s" END, stamp, cause);
	for (int i = 1; i < 100 && is_taken(f, ret_name); i++)
		snprintf(ret_name, XPT_RECORDER_NAME, "%s_%d_%s" END, stamp, i, cause);
}

void xpt_recorder_files__add(struct xpt_recorder_files *f, const char *name, uint64_t owner)
{
	struct xpt_recorder_file *file;

	xpt_recorder_files__make_room(f);
	file = &f->file[f->nr++];
	snprintf(file->name, sizeof(file->name), "%s", name);
	file->owner = owner;
}

int xpt_recorder_files__create(const struct xpt_recorder_files *f)
{
	bool entered = enter_rights(f);
	char part[32];
	int fd;

	name_part(part, sizeof(part), getpid());
	unlinkat(f->dir, part, 0);	/* of another process that had this number */
	fd = openat(f->dir, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	fd = fd < 0 ? -errno : fd;
	xpt_fsuser__leave(entered);
	return fd;
}

int xpt_recorder_files__publish(const struct xpt_recorder_files *f, const char *name)
{
	bool entered = enter_rights(f);
	char part[32];
	int err;

	name_part(part, sizeof(part), getpid());
	err = renameat(f->dir, part, f->dir, name) ? -errno : 0;
	xpt_fsuser__leave(entered);
	return err;
}

void xpt_recorder_files__discard(const struct xpt_recorder_files *f, pid_t writer)
{
	bool entered = enter_rights(f);
	char part[32];

	name_part(part, sizeof(part), writer);
	unlinkat(f->dir, part, 0);
	xpt_fsuser__leave(entered);
}

void xpt_recorder_files__close(struct xpt_recorder_files *f)
{
	if (f->dir >= 0)
		close(f->dir);
	f->dir = -1;
}
