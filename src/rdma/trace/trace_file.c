// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads files of traces, a line each, see trace_json.h. */
#include <errno.h>
#include <stdlib.h>

#include "rdma/trace/trace_json.h"

/* A line of at most max bytes; of longer ones all is read, and n tells. -1 at the end. */
static ssize_t read_line(FILE *f, char *buf, size_t max)
{
	size_t n = 0;
	int c;

	while ((c = getc_unlocked(f)) != EOF && c != '\n') {
		if (n < max)
			buf[n] = (char)c;
		n++;
	}
	return c == EOF && !n ? -1 : (ssize_t)n;
}

int xpt_rdma_traces__line(const struct xpt_rdma_sink *sink, const char *line, size_t n,
			  struct xpt_rdma_lines *lines)
{
	struct xpt_rdma_trace *t;
	int err = xpt_rdma_trace__parse(line, n, &t);

	if (!err) {
		lines->traces++;
		return sink->each(sink->ctx, t);
	}
	if (err == -ENOMSG && sink->other)
		err = sink->other(sink->ctx, line, n);
	if (err == -ENOMEM)
		return err;
	lines->other += err == -ENOMSG;
	lines->bad += err && err != -ENOMSG;
	return 0;
}

int xpt_rdma_traces__read(FILE *f, const struct xpt_rdma_sink *sink,
			  struct xpt_rdma_lines *ret_lines)
{
	char *line = malloc(XPT_RDMA_LINE_MAX);
	int err = line ? 0 : -ENOMEM;
	ssize_t n;

	*ret_lines = (struct xpt_rdma_lines){ 0 };
	while (!err && (n = read_line(f, line, XPT_RDMA_LINE_MAX)) >= 0)
		if (n)
			err = xpt_rdma_traces__line(sink, line, (size_t)n, ret_lines);
	free(line);
	return err ? err : ferror(f) ? -EIO : 0;
}
