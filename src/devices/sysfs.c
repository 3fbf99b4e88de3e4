// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reading small files of sysfs, see sysfs.h. A file that cannot be read is unknown, whatever the
 * reason: one odd driver must not hide the values of others.
 */
#include "devices/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"

int xpt_sysfs__text(int dir, const char *path, char *buf, size_t n)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err;
	ssize_t len;

	buf[0] = '\0';
	if (fd < 0)
		return -errno;
	len = read(fd, buf, n - 1);
	err = len < 0 ? -errno : 0;
	close(fd);
	if (err)
		return err;
	while (len && strchr(" \t\r\n", buf[len - 1]))	/* a NUL at the end, too */
		len--;
	buf[len] = '\0';
	return (int)strlen(buf);
}

bool xpt_sysfs__number(int dir, const char *path, uint64_t *ret_v)
{
	char text[XPT_SYSFS_TEXT];

	if (xpt_sysfs__text(dir, path, text, sizeof(text)) <= 0 || text[strspn(text, "0123456789")])
		return false;
	return !xpt_parse_u64(text, 0, UINT64_MAX, ret_v);
}

void xpt_sysfs__join(char *buf, size_t n, const char *what, const char *text)
{
	size_t len = strlen(buf);

	if (text[0])
		snprintf(buf + len, n - len, "%s%s%s", len ? ", " : "", what, text);
}

int32_t xpt_sysfs__numa_node(int dir, const char *path)
{
	char text[16];
	int64_t v;

	if (xpt_sysfs__text(dir, path, text, sizeof(text)) <= 0 || xpt_parse_i64(text, -1, 1 << 20, &v))
		return -1;
	return (int32_t)v;
}

int xpt_sysfs__folder(int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void keep_name(const char *name, char (*names)[XPT_SYSFS_NAME], size_t max, size_t *nr, uint64_t *left_out)
{
	size_t len = strlen(name);

	if (name[0] == '.')
		return;
	if (*nr == max || len >= XPT_SYSFS_NAME) {
		++*left_out;
		return;
	}
	memcpy(names[(*nr)++], name, len + 1);
}

int xpt_sysfs__list(int dir, const char *path, char (*names)[XPT_SYSFS_NAME], size_t max, uint64_t *left_out)
{
	int fd = xpt_sysfs__folder(dir, path), err;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	size_t nr = 0;

	if (!d) {
		err = fd < 0 ? fd : -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while ((entry = readdir(d)))
		keep_name(entry->d_name, names, max, &nr, left_out);
	closedir(d);
	qsort(names, nr, sizeof(names[0]), compare_names);
	return (int)nr;
}
