// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See beside.h. In a folder of many users anybody can put a file beside the lines, so its owner decides. Everything
 * is checked on descriptors, and the same descriptors are read then.
 */
#include "session/beside.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "pipeline/recording/recording.h"

#define BEGIN "trace_"	/* of the names of default files */
#define LINES ".jsonl"
#define RECORDING ".xtr"

/* Finds the path of the file that fd refers to, without links. Returns false if it has none that fits. */
static bool find_path(int fd, char *ret_path, size_t n)
{
	char link[32];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, ret_path, n);
	if (len <= 0 || (size_t)len >= n || ret_path[0] != '/')
		return false;
	ret_path[len] = '\0';
	return true;
}

/* Makes the lines' path that of the recording. False: no default file has such a name. */
static bool rename_to_recording(char *path)
{
	char *name = strrchr(path, '/') + 1, *end = strrchr(name, '.');

	if (strncmp(name, BEGIN, strlen(BEGIN)) != 0 || !end || strcmp(end, LINES) != 0)
		return false;
	memcpy(end, RECORDING, sizeof(RECORDING));
	return true;
}

static bool is_pair(int lines, int recording)
{
	struct stat l, r;

	return !fstat(lines, &l) && !fstat(recording, &r) && S_ISREG(l.st_mode) && S_ISREG(r.st_mode) &&
	       r.st_uid == l.st_uid && r.st_nlink == 1;
}

/* Opens the file of the O_PATH descriptor for reading. Returns the new descriptor, or -1. */
static int open_for_reading(int fd)
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

static bool is_recording(int fd)
{
	struct xpt_rec_reader *r = NULL;
	bool is = !xpt_rec_reader__open_fd(fd, NULL, &r);

	xpt_rec_reader__close(is ? r : NULL);
	return is && !lseek(fd, 0, SEEK_SET);
}

/* A file may be read several times, and is named once. */
static void report_once(const char *path, const char *lines)
{
	static char last[PATH_MAX];

	if (strcmp(last, path) != 0)
		xpt_info("reading %s, the recording beside %s: it holds more", path, lines);
	snprintf(last, sizeof(last), "%s", path);
}

/* Finds the recording of the lines that fd stands for. A descriptor for reading and its path, or -1. */
static int open_recording(int fd, char *ret_path, size_t n)
{
	int recording = -1, opened = -1;

	if (find_path(fd, ret_path, n) && rename_to_recording(ret_path))
		recording = open(ret_path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (recording < 0)
		return -1;
	if (is_pair(fd, recording))
		opened = open_for_reading(recording);
	close(recording);
	if (opened < 0 || is_recording(opened))
		return opened;
	close(opened);
	return -1;
}

int xpt_beside__open(const char *lines, char *ret_name, size_t n)
{
	int fd = strcmp(lines, "-") ? open(lines, O_PATH | O_CLOEXEC) : -1, recording;
	char path[PATH_MAX];

	if (fd < 0)
		return -1;
	recording = open_recording(fd, path, sizeof(path));
	if (recording >= 0) {
		report_once(path, lines);
		snprintf(ret_name, n, "%s", path);
	}
	close(fd);
	return recording;
}

bool xpt_beside__has(const char *lines)
{
	char name[PATH_MAX];
	int fd = xpt_beside__open(lines, name, sizeof(name));

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}
