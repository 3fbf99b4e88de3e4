// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See judge.h. Whether an error is normal depends on the function in which it began and, unless a rule of the user says
 * so, on the functions that handed it on. Rules that were learned from calls that succeeded are not used here: they say
 * nothing about a call that failed.
 */
#include <string.h>

#include "rdma/plan/expected_errors.h"
#include "rdma/verdict/judge.h"

/*
 * A built-in rule must match every function on the error's path: what is normal in one function may be a failure in the
 * one that hands it on. Returns NULL if a function has none, else the row whose condition is last in enum
 * xpt_rdma_condition.
 */
static const struct xpt_rdma_expected *find_strictest(const struct xpt_rdma_trace *t,
						      const struct xpt_rdma_chain *chain)
{
	const struct xpt_rdma_expected *row, *found = NULL;
	unsigned i;

	for (i = chain->nr; i-- > 0;) {
		const struct xpt_rdma_node *node = &t->node[chain->node[i]];

		row = xpt_rdma_expected__find(t->method, node->fn, xpt_rdma_node__code(node));
		if (!row)
			return NULL;
		found = !found || row->condition > found->condition ? row : found;
	}
	return found;
}

/* The descriptor that the program named: in its request, else the first argument "fd" of a function in the trace. */
static bool find_fd(const struct xpt_rdma_trace *t, int *ret_fd)
{
	uint32_t i, k;

	*ret_fd = (int)t->asked;
	if (xpt_rdma_asked(t, "fd"))
		return true;
	for (i = 0; i < t->nr; i++)
		for (k = 0; k < t->node[i].nr_args; k++)
			if (t->node[i].arg_name[k] && !strcmp(t->node[i].arg_name[k], "fd")) {
				*ret_fd = (int)t->node[i].arg[k];
				return true;
			}
	return false;
}

static void ask_row(const struct xpt_rdma_trace *t, const struct xpt_rdma_expected *row,
		    struct xpt_rdma_verdict *v)
{
	int fd;

	v->condition = row->condition;
	switch (row->condition) {
	case XPT_RDMA_ALWAYS:
		v->expected = row->reason;
		break;
	case XPT_RDMA_IF_NO_FD:
		if (find_fd(t, &fd) && fd == -1)
			v->expected = row->reason;
		break;
	case XPT_RDMA_IF_SMALLER:
		if (xpt_rdma_asked(t, "max_inline_data") && t->asked > 0)
			v->trial = row->reason;
		break;
	default:
		v->trial = row->reason;
	}
}

static void find_expected(const struct xpt_rdma_trace *t, const struct xpt_rdma_rules *rules,
			  struct xpt_rdma_verdict *v)
{
	const struct xpt_rdma_node *origin = xpt_rdma_chain__origin(t, &v->chain);
	const char *fn = origin ? origin->fn : "ib_uverbs_ioctl";
	int code = origin ? xpt_rdma_node__code(origin) : (int)-t->ret;
	const struct xpt_rdma_expected *row;

	if (t->flags & XPT_RDMA_TRACE_POSITIVE || (origin && xpt_rdma_node__outcome(origin) == XPT_RDMA_CUT_TO_INT))
		return;
	v->expected = xpt_rdma_rules__find(rules, t->method, fn, code, &v->expected_from);
	if (v->expected_from == XPT_RDMA_OWN)
		return;
	v->expected = NULL;
	row = find_strictest(t, &v->chain);
	if (row)
		ask_row(t, row, v);
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
	if (xpt_rdma_verdict__doubt(t) && v->cause.confidence > XPT_RDMA_LOW)
		v->cause.confidence--;
}

const char *xpt_rdma_verdict__doubt(const struct xpt_rdma_trace *t)
{
	return t->flags & XPT_RDMA_TRACE_LOST ? "returns of functions were lost meanwhile, so it may have begun in another one" :
	       NULL;
}

const char *xpt_rdma_verdict__origin(const struct xpt_rdma_trace *t,
				     const struct xpt_rdma_verdict *v)
{
	const struct xpt_rdma_node *origin = xpt_rdma_chain__origin(t, &v->chain);

	return origin ? origin->fn : "";
}
