// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See divergence_text.h. Good calls of another kind, kernel or driver are a hint, which is said before their results.
 */
#include "rdma/verdict/divergence_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rdma/verdict/evidence_text.h"
#include "rdma/verdict/wrapped.h"

/* Are the good calls of the same kind, kernel and driver? */
static bool is_alike(const struct xpt_rdma_verdict *v)
{
	return !v->diff.other_kernel && !v->diff.other_shape && !v->diff.other_driver;
}

/*
 * Calls of another kind run other functions anyway, so functions that they have and this one lacks prove nothing;
 * those of another kernel may run the same under other names.
 */
static void say_missing(const struct xpt_rdma_verdict *v, size_t indent, struct xpt_strbuf *sb)
{
	unsigned i, n = v->diff.nr_missing < XPT_RDMA_MISSING ? v->diff.nr_missing : XPT_RDMA_MISSING;
	size_t col = 0;
	char one[128];

	if (!n || v->diff.other_shape)
		return;
	if (v->diff.other_kernel)
		snprintf(one, sizeof(one), "not reached, or named otherwise on this kernel:");
	else
		snprintf(one, sizeof(one), "not reached (the bad trace is shorter by %u):",
			 v->diff.nr_missing);
	xpt_rdma_wrapped__add(sb, one, indent, &col);
	for (i = 0; i < n; i++) {
		snprintf(one, sizeof(one), "%.64s%s", v->good->node[v->diff.missing[i]].fn,
			 i + 1 < n ? "," : v->diff.nr_missing > n ? ", ..." : "");
		xpt_rdma_wrapped__add(sb, one, indent, &col);
	}
	xpt_strbuf__addc(sb, '\n');
}

/* "12 of INIT>RTR, kernel 6.1.0": good calls that are not alike. */
static void add_nearest(const struct xpt_rdma_verdict *v, char *buf, size_t n)
{
	const struct xpt_rdma_key *key = &v->good->key;
	char shape[80] = "", kernel[112] = "", driver[48] = "";

	if (v->diff.other_shape)
		snprintf(shape, sizeof(shape), ", %.64s", *key->shape ? key->shape : "no known kind");
	if (v->diff.other_kernel)
		snprintf(kernel, sizeof(kernel), ", kernel %.95s", key->kernel);
	if (v->diff.other_driver)
		snprintf(driver, sizeof(driver), ", driver %.31s", key->driver);
	snprintf(buf, n, "%" PRIu64 " of%s%s%s", v->good->traces, shape, kernel, driver);
	memmove(buf + strcspn(buf, ","), buf + strcspn(buf, ",") + 1, strlen(buf + strcspn(buf, ",")));
}

/* "No good calls of this kind (RESET>RTS) are known. The nearest, 12 of INIT>RTR," */
static void add_caveat(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v, char *buf,
		       size_t n)
{
	bool named = v->diff.other_shape && *t->shape;
	char nearest[256];

	add_nearest(v, nearest, sizeof(nearest));
	snprintf(buf, n, "No good calls of this %s%s%.64s%s are known. The nearest, %s,",
		 v->diff.other_shape ? "kind" : v->diff.other_kernel ? "kernel" : "driver",
		 named ? " (" : "", named ? t->shape : "", named ? ")" : "", nearest);
}

static void say_parted(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
		       const char *label, size_t indent, struct xpt_strbuf *sb)
{
	const struct xpt_rdma_node *node = &t->node[v->diff.node];
	bool may_be_below = t->nr_unprobed && node == xpt_rdma_chain__origin(t, &v->chain);
	char line[512], good[128], buf[48];

	snprintf(line, sizeof(line), "%s: %s%.128s (%.32s)", label, may_be_below ? "in or below " : "", node->fn,
		 node->module);
	xpt_rdma_wrapped__line(sb, indent, line);
	snprintf(line, sizeof(line), "good: %s; here: %s", v->diff.place == XPT_RDMA_TREE_NONE ?
		 "not called there" : xpt_rdma_outcomes_text(&v->good->node[v->diff.place], good, sizeof(good)),
		 xpt_rdma_outcome_text(xpt_rdma_node__outcome(node), buf, sizeof(buf)));
	xpt_rdma_wrapped__line(sb, indent + 2, line);
	if (node != xpt_rdma_chain__origin(t, &v->chain))
		xpt_rdma_evidence__args(t, node, indent + 2, sb);
}

/* The weight of a comparison with other calls is reported before its results. */
static void say_hint(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v, size_t indent,
		     struct xpt_strbuf *sb)
{
	bool parted = v->diff.node != XPT_RDMA_NO_NODE;
	bool elsewhere = v->diff.other_shape && v->diff.parted == XPT_RDMA_AT_CALL;
	char line[640], caveat[512];

	parted &= !elsewhere;	/* of a function that other kinds do not call they can tell nothing */
	add_caveat(t, v, caveat, sizeof(caveat));
	snprintf(line, sizeof(line), "%s %s", caveat, elsewhere && v->failed ?
		 "go another way before it fails." : elsewhere ? "go another way." :
		 !parted ? "went the same way with the same results." :
		 v->diff.other_shape ? "run other functions anyway: take this as a hint." :
		 "are compared by the names of functions; what only this kernel has is passed over.");
	xpt_rdma_wrapped__line(sb, indent, line);
	if (parted)
		say_parted(t, v, "First different", indent, sb);
}

void xpt_rdma_divergence__print(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v, size_t indent,
				struct xpt_strbuf *sb)
{
	const char *s;
	char line[128];

	if (!v->good)
		return;
	s = v->good->traces == 1 ? "" : "s";
	if (!is_alike(v)) {
		say_hint(t, v, indent, sb);
	} else if (v->diff.node == XPT_RDMA_NO_NODE) {
		snprintf(line, sizeof(line), "The same way and results as %" PRIu64 " good call%s%s",
			 v->good->traces, s, v->diff.nr_missing ? ", but shorter" : "");
		xpt_rdma_wrapped__line(sb, indent, line);
	} else {
		snprintf(line, sizeof(line), "First divergence from %" PRIu64 " good call%s",
			 v->good->traces, s);
		say_parted(t, v, line, indent, sb);
	}
	say_missing(v, indent + 2, sb);
}

/* "did not fail": the results of good calls at the place where this one diverges from them. */
static void add_did(const struct xpt_rdma_verdict *v, char *buf, size_t n)
{
	const struct xpt_rdma_tree_node *node;
	char good[96];
	uint32_t i;

	if (v->diff.place == XPT_RDMA_TREE_NONE) {
		snprintf(buf, n, "was not called");
		return;
	}
	node = &v->good->node[v->diff.place];
	for (i = 0; i < node->nr_outcomes && (node->outcome[i].value == XPT_RDMA_OK ||
					      node->outcome[i].value == XPT_RDMA_NULL); i++)
		;
	if (i == node->nr_outcomes)
		snprintf(buf, n, "did not fail");
	else
		snprintf(buf, n, "returned %s", xpt_rdma_outcomes_text(node, good, sizeof(good)));
}

void xpt_rdma_divergence__brief(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
				struct xpt_strbuf *sb)
{
	const char *fn = t->node[v->diff.node].fn;
	char line[900], caveat[512], did[128], more[64] = "";

	add_did(v, did, sizeof(did));
	if (!is_alike(v)) {
		add_caveat(t, v, caveat, sizeof(caveat));
		snprintf(line, sizeof(line), "%s are a hint: %.128s %s", caveat, fn, did);
		line[0] = 'n';
	} else {
		if (v->diff.nr_missing)
			snprintf(more, sizeof(more), ", and %u more function%s ran", v->diff.nr_missing,
				 v->diff.nr_missing == 1 ? "" : "s");
		snprintf(line, sizeof(line), "%" PRIu64 " good call%s: %.128s %s%s", v->good->traces,
			 v->good->traces == 1 ? "" : "s", fn, did, more);
	}
	xpt_rdma_wrapped__line(sb, 4, line);
}
