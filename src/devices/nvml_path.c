// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds libnvidia-ml.so.1, see nvml_path.h. Its code runs as root, so files and folders that others may change do not
 * count.
 */
#include "devices/nvml_path.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files/acl.h"
#include "proc/libpath.h"

#define LIBRARY "libnvidia-ml.so.1"

/* Folders in which NVIDIA's images and GPU operator, GKE, Talos and NixOS have it, besides the loader's own paths. */
static const char *const folders[] = {
	"/usr/local/nvidia/lib64",
	"/usr/local/nvidia/lib",
	"/run/nvidia/driver/usr/lib/x86_64-linux-gnu",
	"/run/nvidia/driver/usr/lib/aarch64-linux-gnu",
	"/run/nvidia/driver/usr/lib64",
	"/run/nvidia/driver/usr/lib",
	"/home/kubernetes/bin/nvidia/lib64",
	"/usr/local/glibc/usr/lib",
	"/run/opengl-driver/lib",
	"/usr/lib/wsl/lib",
	"/usr/lib/nvidia/current",
};

/* Whether only root can write there. */
static bool is_roots(const char *path, const struct stat *st)
{
	return st->st_uid == 0 && !xpt_acl__lets_others_write_at(path, st);
}

/* Checks a resolved path from its end to the root; path is cut on the way. */
static bool are_folders_roots(char *path)
{
	struct stat st;
	char *slash;

	while ((slash = strrchr(path, '/'))) {
		const char *folder = slash == path ? "/" : path;

		*slash = '\0';
		if (lstat(folder, &st) || !is_roots(folder, &st))
			return false;
	}
	return true;
}

int xpt_nvml_path__check(const char *path, char *ret_resolved, size_t n)
{
	char resolved[PATH_MAX];
	struct stat st;

	if (!realpath(path, resolved) || lstat(resolved, &st) || strlen(resolved) >= n)
		return -ENOENT;
	if (!S_ISREG(st.st_mode) || !is_roots(resolved, &st))
		return -EPERM;
	snprintf(ret_resolved, n, "%s", resolved);
	return are_folders_roots(resolved) ? 0 : -EPERM;
}

int xpt_nvml_path__find(char *buf, size_t n)
{
	struct xpt_libpath lp = { 0 };
	char path[PATH_MAX];
	int err = -ENOENT, found;

	while (xpt_libpath__next(&lp, LIBRARY, path, sizeof(path)) > 0) {
		found = xpt_nvml_path__check(path, buf, n);
		if (!found)
			return 0;
		err = found == -EPERM ? found : err;
	}
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/" LIBRARY, folders[i]);
		found = xpt_nvml_path__check(path, buf, n);
		if (!found)
			return 0;
		err = found == -EPERM ? found : err;
	}
	return err;
}
