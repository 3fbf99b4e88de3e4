/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What was found beside a call, for people: the program's request, the firmware's refusal, memory, events of devices,
 * counters that moved.
 */
#ifndef XPT_RDMA_VERDICT_EVIDENCE_TEXT_H
#define XPT_RDMA_VERDICT_EVIDENCE_TEXT_H

#include "base/strbuf.h"
#include "rdma/trace/trace.h"

/* Appends a line for each that there is; brief: below the line of a call. */
void xpt_rdma_evidence__print(const struct xpt_rdma_trace *t, bool brief, struct xpt_strbuf *sb);
/* Appends the arguments of a function, "arguments: port_num 1, index 200"; nothing if none are known. */
void xpt_rdma_evidence__args(const struct xpt_rdma_trace *t, const struct xpt_rdma_node *node, size_t indent,
			     struct xpt_strbuf *sb);

#endif
