// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Nice values of sessions, see priority.h. */
#include "base/process/priority.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define AUTOGROUP "/proc/self/autogroup"
#define LEAST_NICE (-20)

static pid_t raised_by;		/* 0: none */
static int had;			/* the session's nice value before */

/* Reads the nice value of our session. Returns false if the kernel has no groups of sessions (autogroup). */
static bool read_nice(int *ret_nice)
{
	char text[64];
	ssize_t n;
	int fd = open(AUTOGROUP, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return sscanf(text, "/autogroup-%*d nice %d", ret_nice) == 1;
}

static bool write_nice(int nice)
{
	char text[16];
	int fd = open(AUTOGROUP, O_WRONLY | O_CLOEXEC), len = snprintf(text, sizeof(text), "%d", nice);
	bool ok = fd >= 0 && write(fd, text, (size_t)len) == len;

	if (fd >= 0)
		close(fd);
	return ok;
}

bool xpt_priority__raise_session(void)
{
	int nice;

	if (getsid(0) != getpid() || raised_by == getpid() || !read_nice(&nice) || !write_nice(LEAST_NICE))
		return false;
	raised_by = getpid();
	had = nice;
	return true;
}

void xpt_priority__restore_session(void)
{
	if (!raised_by || raised_by != getpid())
		return;
	write_nice(had);
	raised_by = 0;
}
