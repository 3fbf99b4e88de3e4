/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a call went another way than good ones, for people. */
#ifndef XPT_RDMA_VERDICT_DIVERGENCE_TEXT_H
#define XPT_RDMA_VERDICT_DIVERGENCE_TEXT_H

#include "base/strbuf.h"
#include "rdma/verdict/judge.h"

/* Appends lines about the comparison; nothing if there is no good call to compare with. */
void xpt_rdma_divergence__print(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v, size_t indent,
				struct xpt_strbuf *sb);
/*
 * Appends one sentence, which is enough where a call parts from good ones at the function in which its error began.
 * v->good is not NULL.
 */
void xpt_rdma_divergence__brief(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
				struct xpt_strbuf *sb);

#endif
