/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Failures that repeat, for people: the first one is shown whole, those like it are
 * counted and told in one line a second. Alike are calls of one process with the same
 * method, shape, device, error, origin and class.
 */
#ifndef XPT_RDMA_VERDICT_FOLD_H
#define XPT_RDMA_VERDICT_FOLD_H

#include "base/strbuf.h"
#include "rdma/verdict/judge.h"

enum { XPT_RDMA_FOLDS = 256 };		/* kinds at once; the one that is oldest makes room */

struct xpt_rdma_fold {
	uint64_t key;		/* 0: free */
	uint64_t seen_ns, told_ns;	/* when one came last; when something was said of it last */
	uint64_t more;		/* that were not told yet */
	uint32_t pid;
	char call[96], error[24], origin[64];
};

struct xpt_rdma_folds {		/* zeroed */
	struct xpt_rdma_fold v[XPT_RDMA_FOLDS];
};

/*
 * Whether a judged call is to be shown whole: none like it came in the last ten seconds. Else
 * it is counted. now_ns: of the monotonic clock. A line about the one that made room goes to sb.
 */
bool xpt_rdma_folds__is_new(struct xpt_rdma_folds *f, const struct xpt_rdma_trace *t,
			    const struct xpt_rdma_verdict *v, uint64_t now_ns, struct xpt_strbuf *sb);
/* Writes lines of at most 80 columns for failures counted since a second or longer; all: of any age. */
void xpt_rdma_folds__tell(struct xpt_rdma_folds *f, uint64_t now_ns, bool all, struct xpt_strbuf *sb);

#endif
