/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One failed (or slow) call judged: whether its error is normal, where it came from, where it left the way of good
 * calls, the class of the failure, and advice.
 */
#ifndef XPT_RDMA_VERDICT_JUDGE_H
#define XPT_RDMA_VERDICT_JUDGE_H

#include "rdma/baseline/rules.h"
#include "rdma/plan/expected_errors.h"
#include "rdma/verdict/classify.h"

struct xpt_rdma_verdict {
	bool failed;			/* the root returned an errno */
	const char *expected;		/* why that is normal; NULL: it is not */
	enum xpt_rdma_rule_from expected_from;	/* whose rule says so */
	const char *trial;		/* why it is normal if the program goes on (trial.h); NULL: it is not */
	enum xpt_rdma_condition condition;	/* the condition of that rule, for expected and trial */
	const char *unsure;		/* the same, if the calls that would tell were lost (trial.c); else NULL */
	struct xpt_rdma_chain chain;
	const struct xpt_rdma_tree *good;	/* the good traces it was compared with, or NULL */
	struct xpt_rdma_diff diff;		/* valid if good is not NULL */
	struct xpt_rdma_cause cause;		/* valid if it failed */
};

/* rules and good (the nearest good traces) may be NULL; both must outlive the verdict. */
void xpt_rdma_judge(const struct xpt_rdma_trace *t, const struct xpt_rdma_rules *rules,
		    const struct xpt_rdma_tree *good, struct xpt_rdma_verdict *ret_v);
/* Several lines of at most 79 columns for a terminal; tree: with its functions beside those of good calls. */
void xpt_rdma_verdict__text(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
			    bool tree, struct xpt_strbuf *sb);
/* The same in short, indented: only verdict, advice, the first divergence. */
void xpt_rdma_verdict__brief(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
			     struct xpt_strbuf *sb);
/* One object without a line's end, see docs/format.md. */
void xpt_rdma_verdict__json(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
			    struct xpt_strbuf *sb);
/*
 * Why the function that is named may not be the one where the error began; NULL: nothing speaks
 * against it. The confidence is one step less then.
 */
const char *xpt_rdma_verdict__doubt(const struct xpt_rdma_trace *t);
/* "rdma_get_gid_attr": where the error began; "" if nothing is known. */
const char *xpt_rdma_verdict__origin(const struct xpt_rdma_trace *t,
				     const struct xpt_rdma_verdict *v);

#endif
