/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * See replace.h. The new file lies in the same folder, for only there one name can
 * take another's place.
 */
#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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
