/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A trace against good ones: the first place where they diverge. Both trees are walked in step, in the order in
 * which functions returned; a place is known by its path (tree.h), so the first one that good traces do not have,
 * or that had a result that it never had in them, is where the bad trace left their way. Of a call that failed only
 * functions are asked that handed the error on: functions beside its way, as rollback, explain nothing. No function
 * that good traces have anywhere is reported as not called there, and none that ran in the bad one as missing.
 */
#ifndef XPT_RDMA_BASELINE_DIFF_H
#define XPT_RDMA_BASELINE_DIFF_H

#include "rdma/baseline/tree.h"

enum xpt_rdma_parted {
	XPT_RDMA_NOT_PARTED,	/* the same way, the same results */
	XPT_RDMA_AT_RESULT,	/* a function came to something new */
	XPT_RDMA_AT_CALL,		/* a function was called that good ones do not call there */
	XPT_RDMA_AT_END,	/* all the same, but functions are missing */
	XPT_RDMA_STRANGER,	/* too little in common: they cannot be compared */
};

enum { XPT_RDMA_MISSING = 24 };

struct xpt_rdma_diff {
	enum xpt_rdma_parted parted;
	uint16_t node, place;	/* where: in the trace, in the tree; may be NO_NODE, TREE_NONE */
	unsigned known, all;	/* functions of the trace, those of them that the good ones have */
	unsigned nr_missing;	/* places that every good trace had, and this one did not */
	uint16_t missing[XPT_RDMA_MISSING];	/* the first of them, in order of execution */
	bool other_kernel, other_driver, other_shape;	/* than the good ones */
};

/*
 * Nodes beyond the method's ordinary plan are passed over: good calls have them too, unseen.
 * So are functions that no good trace has anywhere and that did not fail, if the trace had a
 * wider plan (XPT_RDMA_TRACE_DEEP) or is of another kernel. One that was cut is never shorter.
 */
void xpt_rdma_diff__make(const struct xpt_rdma_tree *good, const struct xpt_rdma_trace *bad,
			 struct xpt_rdma_diff *ret_diff);
/* "ok 12, NULL 3": the results at a place in good traces. Returns buf. */
char *xpt_rdma_outcomes_text(const struct xpt_rdma_tree_node *node, char *buf, size_t n);
/*
 * Shows both ways side by side, at most 79 columns: every function of the ordinary plan that one of them has, its
 * result, a mark where they diverge. Names are cleaned for terminals.
 */
void xpt_rdma_diff__text(const struct xpt_rdma_tree *good, const struct xpt_rdma_trace *bad,
			 const struct xpt_rdma_diff *diff, struct xpt_strbuf *sb);
/* {"parted":...}, without a line's end. */
void xpt_rdma_diff__json(const struct xpt_rdma_tree *good, const struct xpt_rdma_trace *bad,
			 const struct xpt_rdma_diff *diff, struct xpt_strbuf *sb);

#endif
