// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tells waiting in the kernel from waiting for a processor, see blocked.h. */
#include "proc/remote/blocked.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"

static bool read_proc(int pid, const char *name, char *buf, size_t n)
{
	char path[48];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, buf, n - 1);
	close(fd);
	buf[got > 0 ? got : 0] = '\0';
	return got > 0;
}

static void take_look(struct xpt_blocked_look *l, int pid)
{
	char text[512];
	const char *end;

	*l = (struct xpt_blocked_look){ .ns = xpt_now_ns() };
	if (read_proc(pid, "schedstat", text, sizeof(text)) &&
	    sscanf(text, "%" SCNu64 " %" SCNu64, &l->ran_ns, &l->delayed_ns) != 2)
		l->ran_ns = l->delayed_ns = 0;
	end = read_proc(pid, "stat", text, sizeof(text)) ? strrchr(text, ')') : NULL;
	l->is_runnable = end && end[1] == ' ' && end[2] == 'R';
}

void xpt_blocked__add(struct xpt_blocked *b, const struct xpt_blocked_look *look)
{
	uint64_t passed = look->ns - b->last.ns;
	uint64_t had = look->ran_ns - b->last.ran_ns + look->delayed_ns - b->last.delayed_ns;

	/* A wait for a processor that goes on is in no sum yet. */
	if (!look->is_runnable && passed > had)
		b->blocked_ns += passed - had;
	b->last = *look;
}

void xpt_blocked__begin(struct xpt_blocked *b, int pid)
{
	b->blocked_ns = 0;
	take_look(&b->last, pid);
}

uint64_t xpt_blocked__look(struct xpt_blocked *b, int pid)
{
	struct xpt_blocked_look look;

	take_look(&look, pid);
	xpt_blocked__add(b, &look);
	return b->blocked_ns;
}
