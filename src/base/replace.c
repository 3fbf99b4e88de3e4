/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * See replace.h. The new file lies in the same folder, for only there one name can
 * take another's place.
 */
#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_TRIES = 100, LOCK_US = 20000 };

static mode_t mode_of(const char *path)
{
	struct stat st;
	mode_t mask;

	if (!stat(path, &st) && S_ISREG(st.st_mode))
		return st.st_mode & 07777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
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
	char temp[4096];
	int fd, err;

	if ((size_t)snprintf(temp, sizeof(temp), "%s.XXXXXX", path) >= sizeof(temp))
		return -ENAMETOOLONG;
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	fchmod(fd, mode_of(path));
	err = write_all(fd, write, ctx);
	if (!err && rename(temp, path))
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
