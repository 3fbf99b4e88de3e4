// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Verdicts for people. The order is that in which somebody who is called at night asks: the failed
 * call, why, the advice, the evidence.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/fmt.h"
#include "model/text.h"
#include "rdma/trace/evidence/job.h"
#include "rdma/trace/evidence/log_clues.h"
#include "rdma/trace/trace_json.h"
#include "rdma/verdict/divergence_text.h"
#include "rdma/verdict/evidence_text.h"
#include "rdma/verdict/judge.h"
#include "rdma/verdict/wrapped.h"

enum { MAX_LOG = 4 };

static void add_time(uint64_t wall_ns, char *buf, size_t n)
{
	time_t at = (time_t)(wall_ns / 1000000000u);
	struct tm tm;

	gmtime_r(&at, &tm);
	strftime(buf, n, "%Y-%m-%d %H:%M:%S UTC", &tm);
}

static void say_who(const struct xpt_rdma_trace *t, struct xpt_strbuf *sb)
{
	char line[512], when[40], job[160];
	int n;

	add_time(t->wall_ns, when, sizeof(when));
	n = snprintf(line, sizeof(line), "%.64s, process %" PRIu32 ", device %.64s%s%.32s%s, %s", t->comm,
		     t->pid, *t->device ? t->device : "unknown", *t->driver ? " (" : "", t->driver,
		     *t->driver ? ")" : "", when);
	if (xpt_rdma_job(t->cgroup, t->container, job, sizeof(job)) && n < (int)sizeof(line))
		snprintf(line + n, sizeof(line) - (size_t)n, ", %s", job);
	xpt_rdma_wrapped__line(sb, 2, line);
}

static void say_head(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
		     struct xpt_strbuf *sb)
{
	const char *why = v->failed ? strerrordesc_np((int)-t->ret) : NULL;
	char line[512], name[32], took[32];

	snprintf(line, sizeof(line), "%s%s %.64s%s%.64s%s%s%s%s%s",
		 v->failed ? "FAILED" : t->flags & XPT_RDMA_TRACE_SLOW ? "SLOW" : "OK",
		 v->expected ? " as expected:" : "", t->method, *t->shape ? " " : "", t->shape,
		 v->failed ? ": " : ", took ", v->failed ?
		 xpt_rdma_trace__error(t, name, sizeof(name)) :
		 xpt_fmt_ns(t->dur_ns, took, sizeof(took)), why ? " (" : "", why ? why : "", why ? ")" : "");
	xpt_rdma_wrapped__line(sb, 0, line);
	say_who(t, sb);
}

/* "ncclCommInitRank -> ibv_reg_dmabuf_mr -> ib_umem_dmabuf_map_pages" */
static void say_way(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
		    struct xpt_strbuf *sb)
{
	const struct xpt_rdma_node *origin = xpt_rdma_chain__origin(t, &v->chain);
	char line[512];

	if (!*t->caller && !*t->outer)
		return;
	if (v->chain.nr > 1 && xpt_rdma_node__outcome(origin) == XPT_RDMA_CUT_TO_INT)
		origin = &t->node[v->chain.node[v->chain.nr - 2]];	/* where it became an error */
	snprintf(line, sizeof(line), "%.128s%s%.128s%s%.128s", t->outer, *t->outer && *t->caller ? " -> " :
		 "", t->caller, origin ? " -> " : "", origin ? origin->fn : "");
	xpt_rdma_wrapped__line(sb, 2, line);
}

static void say_cause(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v, bool brief,
		      struct xpt_strbuf *sb)
{
	const char *doubt = xpt_rdma_verdict__doubt(t);
	size_t indent = brief ? 4 : 2;
	char line[1024];

	snprintf(line, sizeof(line), "%s: %s (confidence %s): %s.", brief ? "verdict" : "Verdict",
		 xpt_rdma_class_title(v->cause.cls), xpt_rdma_confidence_name(v->cause.confidence), v->cause.sentence);
	xpt_rdma_wrapped__line(sb, indent, line);
	if (doubt) {
		snprintf(line, sizeof(line), "%s: %s.", brief ? "uncertain" : "Uncertain", doubt);
		xpt_rdma_wrapped__line(sb, indent, line);
	}
	snprintf(line, sizeof(line), "%s: %s", brief ? "try" : "Try", v->cause.advice);
	xpt_rdma_wrapped__line(sb, indent, line);
}

/* "apply_state, make_basic, one called by a pointer" */
static void list_unprobed(const struct xpt_rdma_trace *t, char *buf, size_t n)
{
	size_t len = 0;
	uint32_t i;

	for (i = 0; i < t->nr_unprobed && len < n; i++)
		len += (size_t)snprintf(buf + len, n - len, "%s%.64s", i ? ", " : "",
					strcmp(t->unprobed[i], XPT_RDMA_BY_POINTER) ? t->unprobed[i] :
					"one that it calls by a pointer");
}

/* The origin is where the probes saw the error first: below it may be functions that have none. */
static void say_unprobed(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v, size_t indent,
			 struct xpt_strbuf *sb)
{
	const struct xpt_rdma_node *origin = xpt_rdma_chain__origin(t, &v->chain);
	char line[512], names[320];

	if (!origin || !t->nr_unprobed)
		return;
	list_unprobed(t, names, sizeof(names));
	snprintf(line, sizeof(line), "or below %.64s, in a function without a probe: %s", origin->fn, names);
	xpt_rdma_wrapped__line(sb, indent, line);
}

static void say_origin(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
		       struct xpt_strbuf *sb)
{
	const struct xpt_rdma_node *node = xpt_rdma_chain__origin(t, &v->chain);
	char line[512], buf[48];

	if (!node)
		return;
	if (xpt_rdma_node__outcome(node) == XPT_RDMA_CUT_TO_INT)
		snprintf(line, sizeof(line), "Origin: %.128s (%.32s) returned 0x%" PRIx64 ", which is no error; "
			 "%.128s handed on its low 32 bits as %d", node->fn, node->module,
			 (uint64_t)node->ret,
			 v->chain.nr > 1 ? t->node[v->chain.node[v->chain.nr - 2]].fn : "its caller",
			 (int32_t)node->ret);
	else
		snprintf(line, sizeof(line), "Origin: %.128s (%.32s) returned %s", node->fn, node->module,
			 xpt_rdma_outcome_text(xpt_rdma_node__outcome(node), buf, sizeof(buf)));
	xpt_rdma_wrapped__line(sb, 2, line);
	xpt_rdma_evidence__args(t, node, 4, sb);
	say_unprobed(t, v, 4, sb);
}

/* From the origin up to the system call. */
static void say_chain(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
		      struct xpt_strbuf *sb)
{
	static const char *const became[] = {
		[XPT_RDMA_SAME] = "", [XPT_RDMA_NARROWED] = " (as the low 32 bits)",
		[XPT_RDMA_OTHER] = " (as another error)", [XPT_RDMA_ANSWER] = " (as an error)",
	};
	size_t col = 0;
	unsigned i;

	if (v->chain.nr < 2)
		return;
	xpt_rdma_wrapped__add(sb, "handed on by", 4, &col);
	for (i = v->chain.nr - 1; i-- > 0;) {
		char one[256];

		snprintf(one, sizeof(one), "%.128s%s%s", t->node[v->chain.node[i]].fn,
			 became[v->chain.link[i + 1]], i ? "," : "");
		xpt_rdma_wrapped__add(sb, one, 4, &col);
	}
	xpt_strbuf__addc(sb, '\n');
}

void xpt_rdma_verdict__text(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
			    bool tree, struct xpt_strbuf *sb)
{
	const char *log[MAX_LOG];
	uint32_t i, n = xpt_rdma_log__pick(t, t->log, t->nr_log, log, MAX_LOG);

	say_head(t, v, sb);
	say_way(t, v, sb);
	if (v->expected) {
		char line[256];

		snprintf(line, sizeof(line), "Normal: %.200s", v->expected);
		xpt_rdma_wrapped__line(sb, 2, line);
	} else if (v->failed) {
		say_cause(t, v, false, sb);
	}
	xpt_rdma_evidence__print(t, false, sb);
	say_origin(t, v, sb);
	say_chain(t, v, sb);
	xpt_rdma_divergence__print(t, v, 2, sb);
	for (i = 0; i < n; i++) {
		xpt_strbuf__add(sb, "  log: ");
		xpt_text__add(sb, log[i], XPT_RDMA_COLUMNS - 7, xpt_text_utf8());
		xpt_strbuf__addc(sb, '\n');
	}
	if (tree && v->good)
		xpt_rdma_diff__text(v->good, t, &v->diff, sb);
}

void xpt_rdma_verdict__brief(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
			     struct xpt_strbuf *sb)
{
	if (v->failed) {
		say_cause(t, v, true, sb);
		say_unprobed(t, v, 4, sb);
	}
	xpt_rdma_evidence__print(t, true, sb);
	if (!v->failed || v->diff.node == XPT_RDMA_NO_NODE ||
	    (v->diff.other_shape && v->diff.parted == XPT_RDMA_AT_CALL) ||
	    &t->node[v->diff.node] != xpt_rdma_chain__origin(t, &v->chain)) {
		xpt_rdma_divergence__print(t, v, 4, sb);
		return;
	}
	if (v->good)
		xpt_rdma_divergence__brief(t, v, sb);
}
