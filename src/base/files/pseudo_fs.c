// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Files of tracefs, debugfs and securityfs, in a detached mount where these are not mounted.
 */
#include "base/files/pseudo_fs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Values of include/uapi/linux/mount.h of Linux 5.2; glibc declares the constants since 2.36. */
#define FSCONFIG_CREATE 6	/* FSCONFIG_CMD_CREATE */
#define CLOEXEC 1	/* FSOPEN_CLOEXEC, FSMOUNT_CLOEXEC */

int xpt_pseudo_fs__mount(const char *type)
{
	int fs = (int)syscall(SYS_fsopen, type, CLOEXEC), dir = -1, err = 0;

	if (fs < 0)
		return -errno;
	if (!syscall(SYS_fsconfig, fs, FSCONFIG_CREATE, NULL, NULL, 0))
		dir = (int)syscall(SYS_fsmount, fs, CLOEXEC, 0);
	if (dir < 0)
		err = -errno;
	close(fs);
	return err ? err : dir;
}

int xpt_pseudo_fs__open(const char *type, const char *dir, const char *file)
{
	char path[PATH_MAX];
	int fd, err, root;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	err = -errno;
	if (err != -ENOENT)
		return err;
	root = xpt_pseudo_fs__mount(type);
	if (root < 0)
		return err;
	fd = openat(root, file, O_RDONLY | O_CLOEXEC);
	close(root);
	return fd < 0 ? err : fd;
}
