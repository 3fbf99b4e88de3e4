/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * See replace.h. The new file lies in the same folder, for only there one name can
 * take another's place.
 */
#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_TRIES = 100, LOCK_US = 20000 };

/* Owner and mode of the file whose place it takes, or those of a new one. */
static int take_after(int fd, const char *path)
{
	struct stat st;
	mode_t mask;

	if (stat(path, &st) || !S_ISREG(st.st_mode)) {
		mask = umask(0);
		umask(mask);
		return fchmod(fd, 0666 & ~mask) ? -errno : 0;
	}
	/* Only root can: a user's file stays the user's. */
	if (!geteuid() && fchown(fd, st.st_uid, st.st_gid))
		return -errno;
	return fchmod(fd, st.st_mode & 07777) ? -errno : 0;
}

static int write_all(int fd, int (*write)(void *ctx, FILE *f), void *ctx)
{
	FILE *f = fdopen(fd, "w");
	int err;

	if (!f) {
		err = -errno;
		close(fd);
		return err;
	}
	err = write(ctx, f);
	if (!err && ferror(f))
		err = -EIO;
	errno = 0;
	if (fclose(f) && !err)
		err = errno ? -errno : -EIO;
	return err;
}

int xpt_replace_file(const char *path, int (*write)(void *ctx, FILE *f), void *ctx)
{
	char temp[PATH_MAX + 8], real[PATH_MAX];
	int fd, err;

	/* Behind links: they stay what they are. */
	if (!realpath(path, real) && (size_t)snprintf(real, sizeof(real), "%s", path) >= sizeof(real))
		return -ENAMETOOLONG;
	snprintf(temp, sizeof(temp), "%s.XXXXXX", real);
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = take_after(fd, real);
	if (err)
		close(fd);
	else
		err = write_all(fd, write, ctx);
	if (!err && rename(temp, real))
		err = -errno;
	if (err)
		unlink(temp);
	return err;
}

/* Is what we have open still what lies there? Who had it locked before has put another one there. */
static bool is_there(int fd, const char *path)
{
	struct stat ours, there;

	return !fstat(fd, &ours) && !stat(path, &there) && ours.st_dev == there.st_dev &&
	       ours.st_ino == there.st_ino;
}

/* 0 with the file open and locked; *ret_made: it was not there. */
static int lock_file(const char *path, int *ret_fd, bool *ret_made)
{
	int fd, tries, err;

	for (tries = 0; tries < LOCK_TRIES; tries++) {
		*ret_made = false;
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT) {
			fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
			*ret_made = fd >= 0;
			if (fd < 0 && errno == EEXIST)
				continue;
		}
		if (fd < 0)
			return -errno;
		err = flock(fd, LOCK_EX | LOCK_NB) ? -errno : 0;
		if (!err && is_there(fd, path)) {
			*ret_fd = fd;
			return 0;
		}
		close(fd);
		if (err && err != -EWOULDBLOCK)
			return err;
		if (err)
			usleep(LOCK_US);
	}
	return -EBUSY;
}

int xpt_replace_file_locked(const char *path, int (*write)(void *ctx, FILE *f), void *ctx)
{
	bool made;
	int fd = -1, err = lock_file(path, &fd, &made);

	if (err)
		return err;
	err = xpt_replace_file(path, write, ctx);
	if (err && made)
		unlink(path);
	close(fd);
	return err;
}
