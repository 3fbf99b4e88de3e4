/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A trace as a line of JSON (docs/format.md), written and read. Whatever a line contains, the trace read from it
 * keeps the rules of trace.h: bounded, every depth at most one below that of the node before, no pointer but NULL
 * where trace.h has it.
 */
#ifndef XPT_RDMA_TRACE_TRACE_JSON_H
#define XPT_RDMA_TRACE_TRACE_JSON_H

#include <stdio.h>
#include "base/formats/json_reader.h"
#include "base/strbuf.h"
#include "rdma/trace/json_value.h"
#include "rdma/trace/trace.h"

#define XPT_RDMA_LINE_MAX (XPT_JSON_AHEAD - 1)	/* bytes of a line */

/* Appends one line with its end; texts beyond 1024 bytes are cut. See xpt_strbuf__err(). */
void xpt_rdma_trace__print(const struct xpt_rdma_trace *t, struct xpt_strbuf *sb);
/*
 * A trace from a line of n bytes, to be freed. -ENOMSG: JSON of another kind (its
 * "type" is not rdma), -EBADMSG: no whole line of a trace, -E2BIG, -ENOMEM.
 */
int xpt_rdma_trace__parse(const char *line, size_t n, struct xpt_rdma_trace **ret_t);
/* A copy that needs nothing of the original. -EBADMSG, -E2BIG: it has more than a line holds; -ENOMEM. */
int xpt_rdma_trace__copy(const struct xpt_rdma_trace *t, struct xpt_rdma_trace **ret_t);
/* Only of those two; NULL is fine. */
void xpt_rdma_trace__free(struct xpt_rdma_trace *t);

struct xpt_rdma_lines {
	uint64_t traces, other, bad;	/* lines: traces, of another kind, that are not whole */
};

/*
 * Gives every trace of a file to each(), which owns it from then on, until that returns something else than 0, and
 * lines of other kinds to other(), if that is not NULL: it returns 0, -ENOMSG (not known either) or -EBADMSG.
 * Returns 0, the value that each() returned, -EIO, -ENOMEM.
 */
struct xpt_rdma_sink {
	int (*each)(void *ctx, struct xpt_rdma_trace *t);
	int (*other)(void *ctx, const char *line, size_t n);
	void *ctx;
};

/* Reads one line, which it counts. Returns 0, the value that each() returned, -ENOMEM. */
int xpt_rdma_traces__line(const struct xpt_rdma_sink *sink, const char *line, size_t n,
			  struct xpt_rdma_lines *lines);
int xpt_rdma_traces__read(FILE *f, const struct xpt_rdma_sink *sink,
			  struct xpt_rdma_lines *ret_lines);

/* "ENODATA" of 61, "ERESTARTSYS" of 512, "errno 4000"; "0" of 0. Returns buf or a constant. */
const char *xpt_rdma_errno_name(int code, char *buf, size_t n);
/* The error of a call that failed; "+22" of one that came back with that. Returns buf or a constant. */
const char *xpt_rdma_trace__error(const struct xpt_rdma_trace *t, char *buf, size_t n);

#endif
