// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See klog.h. Each read of /dev/kmsg gives one record
 * (Documentation/ABI/testing/dev-kmsg): "6,1234,5678,-;TEXT", then lines that
 * begin with a space.
 */
#include "engine/klog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"

#define RECORD_MAX 8192		/* CONSOLE_EXT_LOG_MAX, kernel/printk/internal.h */
#define READS_MAX 256		/* a step; what is left waits for the next */

struct line {
	uint64_t ns;
	char text[XPT_KLOG_LEN];
};

struct xpt_klog {
	int fd;
	uint64_t nr;	/* that were read; the last ones are kept */
	struct line line[XPT_KLOG_LINES];
};

int xpt_klog__new(struct xpt_klog **ret_l)
{
	struct xpt_klog *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return -ENOMEM;
	l->fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
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

static void take(struct xpt_klog *l, const char *record, size_t n)
{
	const char *text = memchr(record, ';', n), *end;
	struct line *line = &l->line[l->nr % XPT_KLOG_LINES];

	if (!text)
		return;
	text++;
	n -= (size_t)(text - record);
	end = memchr(text, '\n', n);
	line->ns = xpt_now_ns();
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
			take(l, record, (size_t)n);
		else if (n == 0 || errno != EPIPE)	/* EPIPE: overwritten before it was read */
			return;
	}
}

unsigned xpt_klog__since(const struct xpt_klog *l, uint64_t from_ns, const char **ret_v, unsigned max)
{
	uint64_t i = l->nr, oldest = l->nr > XPT_KLOG_LINES ? l->nr - XPT_KLOG_LINES : 0;
	unsigned n = 0;

	while (i > oldest && l->nr - i < max && l->line[(i - 1) % XPT_KLOG_LINES].ns >= from_ns)
		i--;
	for (; i < l->nr; i++)
		ret_v[n++] = l->line[i % XPT_KLOG_LINES].text;
	return n;
}
