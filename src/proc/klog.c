// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See klog.h. Each read of /dev/kmsg gives one record
 * (Documentation/ABI/testing/dev-kmsg): "6,1234,5678,-;TEXT", then lines that
 * begin with a space. The second number is microseconds of a clock that nobody
 * else can ask. It ran beside CLOCK_MONOTONIC since boot and drifted from it: no
 * line is read before it was written, so the line that came fastest shows by how much.
 */
#include "proc/klog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "base/time.h"

#define RECORD_MAX 8192		/* CONSOLE_EXT_LOG_MAX, kernel/printk/internal.h */
#define READS_MAX 256		/* a step; the rest waits for the next */

struct line {
	uint64_t ns;		/* of the log's clock */
	uint64_t ahead_ns;	/* CLOCK_MONOTONIC when it was read, less that */
	bool may_be_driver;
	char text[XPT_KLOG_LEN];
};

struct xpt_klog {
	int fd;
	uint64_t nr;	/* that were read; the last ones are kept */
	struct line line[XPT_KLOG_LINES];
};

int xpt_klog__new(const char *path, struct xpt_klog **ret_l)
{
	struct xpt_klog *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return -ENOMEM;
	l->fd = open(path ? path : "/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (l->fd < 0 || lseek(l->fd, 0, SEEK_END) < 0) {
		err = -errno;
		xpt_klog__free(l);
		return err;
	}
	*ret_l = l;
	return 0;
}

void xpt_klog__free(struct xpt_klog *l)
{
	if (!l)
		return;
	if (l->fd >= 0)
		close(l->fd);
	free(l);
}

int xpt_klog__fd(const struct xpt_klog *l)
{
	return l->fd;
}

/* The number after the first comma, in nanoseconds. */
static bool time_of(const char *record, size_t n, uint64_t *ret_ns)
{
	const char *p = memchr(record, ',', n);
	uint64_t us = 0;
	size_t i, left;

	p = p ? memchr(p + 1, ',', n - (size_t)(p + 1 - record)) : NULL;
	if (!p)
		return false;
	left = n - (size_t)(++p - record);
	for (i = 0; i < left && p[i] >= '0' && p[i] <= '9' && us < UINT64_MAX / 100000; i++)
		us = us * 10 + (uint64_t)(p[i] - '0');
	*ret_ns = us * 1000;
	return i > 0 && i < left && p[i] == ',';
}

bool xpt_klog__may_be_driver(const char *record, size_t n)
{
	unsigned priority = 0, i;

	for (i = 0; i < 4 && i < n && record[i] >= '0' && record[i] <= '9'; i++)
		priority = priority * 10 + (unsigned)(record[i] - '0');
	if (!i || i == n || record[i] != ',' || (priority & 7) > LOG_WARNING)
		return false;
	return priority >> 3 == 0 || (priority >> 3 == 1 && !memmem(record, n, "]: ", 3));
}

void xpt_klog__take(struct xpt_klog *l, const char *record, size_t n, uint64_t now_ns)
{
	const char *text = memchr(record, ';', n), *end;
	struct line *line = &l->line[l->nr % XPT_KLOG_LINES];
	uint64_t ns;

	if (!text || !time_of(record, (size_t)(text - record), &ns))
		return;
	text++;
	n -= (size_t)(text - record);
	end = memchr(text, '\n', n);
	line->ns = ns;
	line->ahead_ns = now_ns - ns;
	line->may_be_driver = xpt_klog__may_be_driver(record, (size_t)(text - record) + n);
	snprintf(line->text, sizeof(line->text), "%.*s", (int)(end ? end - text : (long)n), text);
	l->nr++;
}

void xpt_klog__step(struct xpt_klog *l)
{
	char record[RECORD_MAX];
	ssize_t n;

	for (unsigned i = 0; i < READS_MAX; i++) {
		n = read(l->fd, record, sizeof(record));
		if (n > 0)
			xpt_klog__take(l, record, (size_t)n, xpt_now_ns());
		else if (n == 0 || errno != EPIPE)	/* EPIPE: overwritten before it was read */
			return;
	}
}

unsigned xpt_klog__between(const struct xpt_klog *l, uint64_t from_ns, uint64_t to_ns, bool drivers,
			   const char **ret_v, unsigned max)
{
	uint64_t oldest = l->nr > XPT_KLOG_LINES ? l->nr - XPT_KLOG_LINES : 0, i;
	int64_t ahead = INT64_MAX;
	unsigned n = 0;

	for (i = oldest; i < l->nr; i++)	/* signed: the log's clock may be the faster one */
		if ((int64_t)l->line[i % XPT_KLOG_LINES].ahead_ns < ahead)
			ahead = (int64_t)l->line[i % XPT_KLOG_LINES].ahead_ns;
	for (i = l->nr; i > oldest && n < max; i--) {
		const struct line *line = &l->line[(i - 1) % XPT_KLOG_LINES];
		uint64_t ns = line->ns + (uint64_t)ahead;

		if (ns >= from_ns && ns <= to_ns && (line->may_be_driver || !drivers))
			ret_v[n++] = line->text;
	}
	for (i = 0; i < n / 2; i++) {
		const char *swap = ret_v[i];

		ret_v[i] = ret_v[n - 1 - i];
		ret_v[n - 1 - i] = swap;
	}
	return n;
}
