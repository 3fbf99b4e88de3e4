// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See judge.h. Whether an error is normal depends on where it began, and, unless the
 * user said so, on who handed it on. What was learned from calls that succeed says
 * nothing about one that failed.
 */
#include <string.h>

#include "rdma/expected.h"
#include "rdma/judge.h"

/* Of what is shipped every function on the way up has to be named: it may hand on what is normal below. */
static bool whole_chain(const struct xpt_rdma_trace *t, const struct xpt_rdma_chain *chain)
{
	unsigned i;

	for (i = 0; i < chain->nr; i++) {
		const struct xpt_rdma_node *node = &t->node[chain->node[i]];

		if (!xpt_rdma_expected__find(t->method, node->fn, xpt_rdma_node__code(node)))
			return false;
	}
	return chain->nr > 0;
}

static void find_expected(const struct xpt_rdma_trace *t, const struct xpt_rdma_rules *rules,
			  struct xpt_rdma_verdict *v)
{
	const struct xpt_rdma_node *origin = xpt_rdma_chain__origin(t, &v->chain);
	const char *fn = origin ? origin->fn : "ib_uverbs_ioctl";
	int code = origin ? xpt_rdma_node__code(origin) : (int)-t->ret;

	if (origin && xpt_rdma_node__outcome(origin) == XPT_RDMA_CUT_TO_INT)
		return;
	v->expected = xpt_rdma_rules__find(rules, t->method, fn, code, &v->expected_from);
	if (v->expected && v->expected_from != XPT_RDMA_OWN &&
	    (v->expected_from == XPT_RDMA_LEARNED || !whole_chain(t, &v->chain)))
		v->expected = NULL;
}

void xpt_rdma_judge(const struct xpt_rdma_trace *t, const struct xpt_rdma_rules *rules,
		    const struct xpt_rdma_tree *good, struct xpt_rdma_verdict *ret_v)
{
	struct xpt_rdma_verdict *v = ret_v;

	memset(v, 0, sizeof(*v));
	v->failed = xpt_rdma_is_errno(t->ret);
	xpt_rdma_chain__find(t, &v->chain);
	if (good) {
		xpt_rdma_diff__make(good, t, &v->diff);
		v->good = v->diff.parted == XPT_RDMA_STRANGER ? NULL : good;
	}
	if (!v->failed)
		return;
	find_expected(t, rules, v);
	xpt_rdma_classify(t, &v->chain, v->good ? &v->diff : NULL, v->good, &v->cause);
}

const char *xpt_rdma_verdict__origin(const struct xpt_rdma_trace *t,
				     const struct xpt_rdma_verdict *v)
{
	const struct xpt_rdma_node *origin = xpt_rdma_chain__origin(t, &v->chain);

	return origin ? origin->fn : "";
}
