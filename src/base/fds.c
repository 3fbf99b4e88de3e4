// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See fds.h. What a descriptor is its link in /proc tells; the numbers are
 * collected first, because the list must not change while it is read.
 */
#include "base/fds.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROUND 256	/* descriptors that are closed before the list is read again */

struct kept {
	const int *fds;		/* NULL: what is_ours() */
	size_t nr;
};

static bool is_ours(int fd)
{
	static const char anon[] = "anon_inode:";
	char path[32], to[sizeof(anon)] = "";
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st))
		return true;	/* not open */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, to, sizeof(to) - 1);
	return S_ISDIR(st.st_mode) || (n == (ssize_t)sizeof(anon) - 1 && !memcmp(to, anon, (size_t)n));
}

static bool stays(const struct kept *keep, int fd)
{
	struct stat st;
	size_t i;

	if (!keep->fds)
		return is_ours(fd);
	for (i = 0; i < keep->nr; i++)
		if (keep->fds[i] == fd)
			return true;
	return fstat(fd, &st) || S_ISDIR(st.st_mode);
}

/* Those to close, at most ROUND. */
static unsigned list(const struct kept *keep, int *fds)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;
	unsigned n = 0;
	int fd;

	while (d && n < ROUND && (e = readdir(d)))
		if (sscanf(e->d_name, "%d", &fd) == 1 && !stays(keep, fd))
			fds[n++] = fd;
	if (d)
		closedir(d);
	return n;
}

static void close_others(const struct kept *keep)
{
	int fds[ROUND];
	unsigned i, n;

	do {
		n = list(keep, fds);
		for (i = 0; i < n; i++)
			close(fds[i]);
	} while (n == ROUND);
}

void xpt_fds__let_go(void)
{
	close_others(&(struct kept){ 0 });
}

void xpt_fds__keep_only(const int *fds, size_t nr)
{
	close_others(&(struct kept){ fds, nr });
}
