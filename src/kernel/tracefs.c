// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds tracefs, and links programs to tracepoints by the numbers in its files. libbpf looks for these numbers in the
 * usual places alone.
 */
#include "kernel/tracefs.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/files/pseudo_fs.h"
#include "base/parse.h"

static const char *const usual[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

/* The usual place of it; NULL: none. It may be for root only. */
static const char *find_mounted(void)
{
	static const char *const events[] = { "/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events" };

	if (!access(events[0], F_OK) || errno == EACCES)
		return usual[0];
	return access(events[1], F_OK) ? NULL : usual[1];
}

const char *xpt_tracefs__mounted(void)
{
	return find_mounted();
}

const char *xpt_tracefs__root(void)
{
	const char *mounted = find_mounted();
	static char own[32];
	int dir;

	if (mounted || own[0])
		return mounted ? mounted : own;
	dir = xpt_pseudo_fs__mount("tracefs");
	if (dir < 0)
		return NULL;
	snprintf(own, sizeof(own), "/proc/self/fd/%d", dir);
	return own;
}

static int read_id(const char *category, const char *name, uint64_t *ret_id)
{
	const char *root = xpt_tracefs__root();
	char path[600], text[32];
	ssize_t n;
	int fd;

	if (!root)
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/events/%.200s/%.300s/id", root, category, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n < 2)
		return -EINVAL;
	text[n - 1] = '\0';	/* in place of the line's end */
	return xpt_parse_u64(text, 0, UINT32_MAX, ret_id);
}

int xpt_tracefs__has(const char *category, const char *name)
{
	uint64_t id;

	return read_id(category, name, &id);
}

struct bpf_link *xpt_tracefs__attach(const struct bpf_program *p, const char *category, const char *name,
				     uint64_t cookie)
{
	LIBBPF_OPTS(bpf_perf_event_opts, opts, .bpf_cookie = cookie);
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	uint64_t id = 0;
	struct bpf_link *link;
	int err = read_id(category, name, &id), fd;

	if (err) {
		errno = -err;
		return NULL;
	}
	attr.config = id;
	/* Of one CPU, as it must be; the program runs on all of them. */
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return NULL;
	link = bpf_program__attach_perf_event_opts(p, fd, &opts);	/* which has the event from now on */
	if (!link) {
		err = errno;
		close(fd);
		errno = err;
	}
	return link;
}
