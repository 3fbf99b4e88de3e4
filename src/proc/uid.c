// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads the user of a process from /proc/PID/status, for which the kernel does not look at the
 * memory of the process, so it cannot keep us waiting. See uid.h.
 */
#include "proc/uid.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int xpt_proc__uid(int pid, uint32_t *ret_uid)
{
	char path[32], buf[4096];
	const char *line;
	ssize_t n;
	int fd;

	*ret_uid = XPT_NO_UID;
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -ESRCH;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	line = strstr(buf, "\nUid:");
	return line && sscanf(line, "\nUid: %" SCNu32, ret_uid) == 1 ? 0 : -ESRCH;
}
