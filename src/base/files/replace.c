/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * See replace.h. The new file lies in the same folder, for only there one name can
 * take another's place. All is done below the folder's descriptor, by the rules of base/files/chase.h and
 * with the rights of the user of base/files/fsuser.h.
 */
#include "base/files/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/chase.h"
#include "base/files/fsuser.h"

enum { LOCK_TRIES = 100, LOCK_US = 20000, TEMP_TRIES = 100 };

/* The writer of a new file: one of the two functions, and the file that is locked or -1. */
struct writer {
	int (*write)(void *ctx, FILE *f);
	xpt_rewrite_fn rewrite;
	void *ctx;
	int old;
};

/*
 * Owner and mode of the file whose place it takes, or those of a new one. Where one is locked that is the one, for
 * its content may be in the new file: who owns the folder can have put another one there, of his own.
 */
static int take_after(int fd, const struct xpt_place *p, int old)
{
	struct stat st;
	mode_t mask;

	if ((old >= 0 ? fstat(old, &st) : fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW)) ||
	    !S_ISREG(st.st_mode)) {
		mask = umask(0);
		umask(mask);
		return fchmod(fd, 0666 & ~mask) ? -errno : 0;
	}
	if (xpt_chase__check(p->dir, &st))
		return -XPT_EUNSAFE;
	/* Only root can: a user's file stays the user's. */
	if (!geteuid() && fchown(fd, st.st_uid, st.st_gid) && errno != EPERM)
		return -errno;
	return fchmod(fd, st.st_mode & 0777) ? -errno : 0;
}

static int write_all(int fd, const struct writer *w)
{
	FILE *f = fdopen(fd, "w");
	int err;

	if (!f) {
		err = -errno;
		close(fd);
		return err;
	}
	err = w->rewrite ? w->rewrite(w->ctx, w->old, f) : w->write(w->ctx, f);
	if (!err && ferror(f))
		err = -EIO;
	errno = 0;
	if (fclose(f) && !err)
		err = errno ? -errno : -EIO;
	return err;
}

/* NAME.XXXXXX beside the file. The descriptor or -errno. */
static int make_temp(const struct xpt_place *p, char name[NAME_MAX + 1])
{
	uint32_t random;
	int fd;

	for (unsigned i = 0; i < TEMP_TRIES; i++) {
		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			return -EIO;
		if (snprintf(name, NAME_MAX + 1, "%s.%08" PRIx32, p->name, random) > NAME_MAX)
			return -ENAMETOOLONG;
		fd = openat(p->dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd < 0 ? -errno : fd;
	}
	return -EEXIST;
}

static int replace_file(const struct xpt_place *p, const struct writer *w)
{
	char temp[NAME_MAX + 1];
	int fd = make_temp(p, temp), err;

	if (fd < 0)
		return fd;
	err = take_after(fd, p, w->old);
	if (err)
		close(fd);
	else
		err = write_all(fd, w);
	if (!err && renameat(p->dir, temp, p->dir, p->name))
		err = -errno;
	if (err)
		unlinkat(p->dir, temp, 0);
	return err;
}

/* A link of /proc leads to something that is open: no file there can be replaced. */
static int find_place(const char *path, struct xpt_place *ret_p)
{
	int err = xpt_chase(path, ret_p);

	if (err || !ret_p->magic)
		return err;
	close(ret_p->dir);
	return -EINVAL;
}

int xpt_replace_file(const char *path, int (*write)(void *ctx, FILE *f), void *ctx)
{
	bool entered = xpt_fsuser__enter(path);
	struct xpt_place p;
	int err = find_place(path, &p);

	if (!err) {
		err = replace_file(&p, &(struct writer){ .write = write, .ctx = ctx, .old = -1 });
		close(p.dir);
	}
	xpt_fsuser__leave(entered);
	return err;
}

/* Is our open file still the one of that name? A process that had it locked before has put
 * another one there. */
static bool is_there(int fd, const struct xpt_place *p)
{
	struct stat ours, there;

	return !fstat(fd, &ours) && !fstatat(p->dir, p->name, &there, AT_SYMLINK_NOFOLLOW) &&
	       ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

/* Opens the file or creates it; -EEXIST: another process created it in between. */
static int open_to_lock(const struct xpt_place *p, mode_t mode, bool *ret_made)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int fd = openat(p->dir, p->name, flags);

	*ret_made = false;
	if (fd < 0 && errno == ENOENT) {
		fd = openat(p->dir, p->name, flags | O_CREAT | O_EXCL, mode);
		*ret_made = fd >= 0;
	}
	return fd < 0 ? -errno : fd;
}

/* 0 with the file open and locked; *ret_made: it was not there. */
static int lock_file(const struct xpt_place *p, unsigned flags, int *ret_fd, bool *ret_made)
{
	const mode_t mode = flags & XPT_REPLACE_PRIVATE ? 0600 : 0666;
	int fd, tries, err;

	for (tries = 0; tries < LOCK_TRIES; tries++) {
		fd = open_to_lock(p, mode, ret_made);
		if (fd == -EEXIST)
			continue;
		if (fd < 0)
			return fd;
		err = flock(fd, LOCK_EX | LOCK_NB) ? -errno : 0;
		if (!err && is_there(fd, p)) {
			*ret_fd = fd;
			return 0;
		}
		close(fd);
		if (err && err != -EWOULDBLOCK)
			return err;
		if (err && flags & XPT_REPLACE_NO_WAIT)
			return -EBUSY;
		if (err)
			usleep(LOCK_US);
	}
	return -EBUSY;
}

/* Whether the open file may be read, and its content be given to its owner: 0 or -errno. */
static int check_old(int fd, const struct xpt_place *p)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	return S_ISREG(st.st_mode) ? xpt_chase__check(p->dir, &st) : -EINVAL;
}

static int replace_locked(const struct xpt_place *p, unsigned flags, xpt_rewrite_fn rewrite, void *ctx)
{
	bool made;
	int fd = -1, err = lock_file(p, flags, &fd, &made);

	if (err)
		return err;
	err = check_old(fd, p);
	if (!err)
		err = replace_file(p, &(struct writer){ .rewrite = rewrite, .ctx = ctx, .old = fd });
	if (err && made && is_there(fd, p))
		unlinkat(p->dir, p->name, 0);
	close(fd);
	return err;
}

int xpt_replace_file_locked(const char *path, unsigned flags, xpt_rewrite_fn rewrite, void *ctx)
{
	bool entered = xpt_fsuser__enter(path);
	struct xpt_place p;
	int err = find_place(path, &p);

	if (!err) {
		err = replace_locked(&p, flags, rewrite, ctx);
		close(p.dir);
	}
	xpt_fsuser__leave(entered);
	return err;
}
