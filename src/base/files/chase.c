/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * See chase.h. Each name of the path is opened below the descriptor of the folder before it (O_PATH | O_NOFOLLOW), so
 * that the checked file is the one that is used. The kernel has such rules, too (fs.protected_symlinks, _regular,
 * _fifos), but only for sticky folders, only for O_CREAT, and only if the administrator has enabled them.
 */
#include "base/files/chase.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/files/fsuser.h"

enum { MAX_LINKS = 40 };	/* as in the kernel */
enum { READER_TRIES = 250, READER_US = 20000 };

struct walk {
	int dir;
	unsigned links;
	bool make;		/* folders that are missing */
	char rest[PATH_MAX];
};

static bool is_trusted(uid_t uid)
{
	return !uid || uid == xpt_fsuser__uid();
}

/* Cuts the first name off the rest of the path; more: does anything follow it? */
static int cut_name(struct walk *w, char *name, bool *ret_more)
{
	char *end, *next;
	size_t n;

	n = strcspn(w->rest, "/");
	if (n > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, w->rest, n);
	name[n] = '\0';
	end = w->rest + n;
	next = end + strspn(end, "/");
	*ret_more = next > end;
	memmove(w->rest, next, strlen(next) + 1);
	return n ? 0 : -ENOENT;
}

static int move_to(struct walk *w, int dir)
{
	if (dir < 0)
		return -errno;
	if (w->dir >= 0)
		close(w->dir);
	w->dir = dir;
	return 0;
}

/* Begins the walk, at the beginning of a path and of each absolute link. */
static int start_walk(struct walk *w)
{
	size_t n = strspn(w->rest, "/");

	if (!w->rest[0])
		return -ENOENT;
	if (n || w->dir < 0) {
		int err = move_to(w, open(n ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));

		if (err)
			return err;
	}
	memmove(w->rest, w->rest + n, strlen(w->rest + n) + 1);
	if (!w->rest[0])
		return -EISDIR;
	return 0;
}

static bool is_in_proc(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* Replaces the link by its target in the rest of the path. link: descriptor of the link itself. */
static int replace_link(struct walk *w, int link, bool more)
{
	char text[PATH_MAX], rest[PATH_MAX];
	ssize_t n = readlinkat(link, "", text, sizeof(text) - 1);
	int len;

	if (n < 0)
		return -errno;
	if (++w->links > MAX_LINKS)
		return -ELOOP;
	text[n] = '\0';
	len = snprintf(rest, sizeof(rest), "%s%s%s", text, more ? "/" : "", w->rest);
	if (len >= (int)sizeof(rest))
		return -ENAMETOOLONG;
	memcpy(w->rest, rest, (size_t)len + 1);
	return start_walk(w);
}

/* Handles a magic link of /proc, which has no path: the kernel follows it. Returns as take_step(). */
static int follow_link(struct walk *w, struct xpt_place *p, int link, const struct stat *st, bool more)
{
	if (!is_in_proc(link))
		return is_trusted(st->st_uid) ? replace_link(w, link, more) : -XPT_EUNSAFE;
	if (more)
		return move_to(w, openat(w->dir, p->name, O_PATH | O_DIRECTORY | O_CLOEXEC));
	p->magic = true;
	return 1;
}

/* Walks one name. Returns 1 if it is the last one and no link, 0 to continue, or -errno. */
static int take_step(struct walk *w, struct xpt_place *p)
{
	struct stat st;
	bool more;
	int err = cut_name(w, p->name, &more), fd;

	if (err)
		return err;
	fd = openat(w->dir, p->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && more && w->make) {
		/* The last folder is made for its owner only. */
		if (mkdirat(w->dir, p->name, strchr(w->rest, '/') ? 0755 : 0700) && errno != EEXIST)
			return -errno;
		fd = openat(w->dir, p->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	}
	if (fd < 0)
		return errno == ENOENT && !more ? 1 : -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (S_ISLNK(st.st_mode))
		err = follow_link(w, p, fd, &st, more);
	else if (more && S_ISDIR(st.st_mode))
		return move_to(w, fd);
	else
		err = more ? -ENOTDIR : 1;
	close(fd);
	return err;
}

static int chase_path(const char *path, bool make, struct xpt_place *ret_p)
{
	struct walk w = { .dir = -1, .make = make };
	struct xpt_place p = { .dir = -1 };
	int err;

	if ((size_t)snprintf(w.rest, sizeof(w.rest), "%s", path) >= sizeof(w.rest))
		return -ENAMETOOLONG;
	err = start_walk(&w);
	while (!err)
		err = w.rest[0] ? take_step(&w, &p) : -EISDIR;	/* "folder/" */
	if (err < 0) {
		if (w.dir >= 0)
			close(w.dir);
		return err;
	}
	p.dir = w.dir;
	*ret_p = p;
	return 0;
}

int xpt_chase(const char *path, struct xpt_place *ret_p)
{
	return chase_path(path, false, ret_p);
}

int xpt_chase__make_folders(const char *path)
{
	struct xpt_place p;
	int err = chase_path(path, true, &p);

	if (!err)
		close(p.dir);
	return err;
}

int xpt_chase__check(int dir, const struct stat *file)
{
	struct stat st;
	bool shared;

	if (!S_ISREG(file->st_mode) && !S_ISFIFO(file->st_mode))
		return 0;
	if (fstat(dir, &st))
		return -errno;
	shared = st.st_mode & (S_IWGRP | S_IWOTH) || !is_trusted(st.st_uid);
	if (!shared)
		return 0;
	if (S_ISREG(file->st_mode) && file->st_nlink > 1)
		return -XPT_EUNSAFE;
	return is_trusted(file->st_uid) || file->st_uid == st.st_uid ? 0 : -XPT_EUNSAFE;
}

/* Opens with O_NONBLOCK: otherwise a pipe without a reader would block for ever. */
static int try_open(const struct xpt_place *p, int flags, mode_t mode)
{
	int fd = openat(p->dir, p->name, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags |
			(p->magic ? 0 : O_NOFOLLOW), mode);

	return fd >= 0 ? fd : errno == ELOOP ? -XPT_EUNSAFE : -errno;
}

/* Waits a while until a pipe has a reader, if xpt_chase__check() allows the pipe: others could make us wait. */
static int wait_for_reader(const struct xpt_place *p)
{
	struct stat st;
	int fd = -ENXIO, err;

	if (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISFIFO(st.st_mode))
		return -ENXIO;
	err = xpt_chase__check(p->dir, &st);
	for (int i = 0; !err && fd == -ENXIO && i < READER_TRIES; i++) {
		usleep(READER_US);
		fd = try_open(p, 0, 0);
	}
	return err ? err : fd;
}

int xpt_place__open(const struct xpt_place *p, int flags, mode_t mode)
{
	int fd = try_open(p, flags, mode), err = 0;
	struct stat st;

	if (fd == -ENXIO)
		fd = wait_for_reader(p);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		err = -errno;
	else if (!(flags & O_EXCL) && !p->magic)
		err = xpt_chase__check(p->dir, &st);
	if (!err && fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK))
		err = -errno;
	if (err)
		close(fd);
	return err ? err : fd;
}

const char *xpt_chase__error(int err)
{
	if (err == -XPT_EUNSAFE)
		return "it, or a link on the way to it, is another user's, who could change what is written";
	if (err == -ENXIO)
		return "nobody reads this pipe: start its reader first";
	return strerror(-err);
}
