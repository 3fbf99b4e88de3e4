/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Folds repeated failures in the text output. The first failure of a kind is shown whole. Later ones of that kind are
 * counted, and one line per kind reports their number, at most once a second. Failures are of one kind if they are of
 * calls of one process with the same method, shape, device, error, origin and class.
 */
#ifndef XPT_RDMA_VERDICT_FOLD_H
#define XPT_RDMA_VERDICT_FOLD_H

#include "base/strbuf.h"
#include "rdma/verdict/judge.h"

enum { XPT_RDMA_FOLDS = 256 };		/* kinds at once; a new one evicts the one not seen for longest */

struct xpt_rdma_fold {
	uint64_t key;		/* 0: free */
	uint64_t seen_ns, told_ns;	/* time of the latest failure; time of the latest output about the kind */
	uint64_t more;		/* failures that were counted since that output */
	uint32_t pid;
	char call[96], error[24], origin[64];
};

struct xpt_rdma_folds {		/* zeroed */
	struct xpt_rdma_fold v[XPT_RDMA_FOLDS];
};

/*
 * Returns whether a judged call is to be shown whole, because the last ten seconds had none of its kind. If not, the
 * call is counted. now_ns is a time of CLOCK_MONOTONIC. If this evicts a kind with counted failures, a line about
 * these is added to sb.
 */
bool xpt_rdma_folds__is_new(struct xpt_rdma_folds *f, const struct xpt_rdma_trace *t,
			    const struct xpt_rdma_verdict *v, uint64_t now_ns, struct xpt_strbuf *sb);
/*
 * Adds a line of at most 80 columns to sb for each kind with counted failures whose latest output is a second old or
 * older; all: for each kind with counted failures.
 */
void xpt_rdma_folds__tell(struct xpt_rdma_folds *f, uint64_t now_ns, bool all, struct xpt_strbuf *sb);

#endif
