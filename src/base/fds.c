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

/* Those to close, at most ROUND. */
static unsigned list(int *fds)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;
	unsigned n = 0;
	int fd;

	while (d && n < ROUND && (e = readdir(d)))
		if (sscanf(e->d_name, "%d", &fd) == 1 && !is_ours(fd))
			fds[n++] = fd;
	if (d)
		closedir(d);
	return n;
}

void xpt_fds__let_go(void)
{
	int fds[ROUND];
	unsigned i, n;

	do {
		n = list(fds);
		for (i = 0; i < n; i++)
			close(fds[i]);
	} while (n == ROUND);
}
