/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The output of `rdma watch` for a call, an event and the whole time, for people (80 columns) and as lines of JSON
 * (docs/format.md).
 */
#ifndef XPT_SESSION_RDMA_OUTPUT_SHOW_H
#define XPT_SESSION_RDMA_OUTPUT_SHOW_H

#include "base/strbuf.h"
#include "engine/rdma/rdma_probes.h"
#include "rdma/trace/evidence/hang.h"
#include "rdma/trace/moment.h"
#include "rdma/trace/record.h"
#include "rdma/verdict/sums.h"

void xpt_rdma_show__heading(struct xpt_strbuf *sb);
/* A call that failed or was slow: its line, how the error travelled, the kernel's log. */
void xpt_rdma_show__call(const struct xpt_rdma_trace *t, struct xpt_strbuf *sb);
void xpt_rdma_show__event(const struct xpt_wire_rdma_rec *r, const struct xpt_rdma_moment *at, bool json,
			  struct xpt_strbuf *sb);
/* A command outside of all calls that the firmware refused. */
void xpt_rdma_show__command(const struct xpt_wire_rdma_rec *r, const struct xpt_rdma_moment *at, bool json,
			    struct xpt_strbuf *sb);
/* A call that has not returned, and where it waits. */
void xpt_rdma_show__hang(const struct xpt_rdma_hang *h, bool json, struct xpt_strbuf *sb);
/* At the end: methods as they stand there; functions only if they are wanted. */
void xpt_rdma_show__sums(const struct xpt_rdma_sums *s, bool functions, struct xpt_strbuf *sb);
void xpt_rdma_show__sums_json(const struct xpt_rdma_sums *s, bool functions, struct xpt_strbuf *sb);

/*
 * Called before anything is written to standard output, which is often the watched command's, too: text between two
 * fflush() goes there at once, so no line of the command comes amid one of ours.
 */
void xpt_rdma_show__whole_lines(void);

#endif
