// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Verdicts for people and as JSON. The order is that in which somebody who is called at night asks: the failed
 * call, why, the advice, the evidence.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/fmt.h"
#include "model/text.h"
#include "rdma/trace/asked_for.h"
#include "rdma/trace/evidence/firmware.h"
#include "rdma/trace/evidence/job.h"
#include "rdma/trace/evidence/moved.h"
#include "rdma/trace/evidence/near_events.h"
#include "rdma/verdict/judge.h"
#include "rdma/trace/evidence/log_clues.h"
#include "rdma/trace/trace_json.h"

enum { COLUMNS = 79, MAX_LOG = 4 };

/* Words of s, cleaned, from column *col on; new lines begin with indent blanks. */
static void wrap_words(struct xpt_strbuf *sb, const char *s, size_t indent, size_t *col)
{
	bool utf8 = xpt_text_utf8();
	char word[128];
	size_t n, cols;

	for (;;) {
		s += strspn(s, " \t\n");
		n = strcspn(s, " \t\n");
		if (!n)
			return;
		snprintf(word, sizeof(word), "%.*s", (int)n, s);
		s += n;
		cols = xpt_text_columns(word, utf8);
		if (*col + 1 + cols > COLUMNS && *col > indent) {
			xpt_strbuf__addc(sb, '\n');
			*col = 0;
		}
		if (!*col)
			xpt_text__pad(sb, indent);
		else
			xpt_strbuf__addc(sb, ' ');
		*col = (*col ? *col + 1 : indent) + xpt_text__add(sb, word, COLUMNS - indent, utf8);
	}
}

/* "Label: text", wrapped and with its end. */
static void say_line(struct xpt_strbuf *sb, size_t indent, const char *s)
{
	size_t col = 0;

	wrap_words(sb, s, indent, &col);
	xpt_strbuf__addc(sb, '\n');
}

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
	say_line(sb, 2, line);
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
	say_line(sb, 0, line);
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
	say_line(sb, 2, line);
}

static void say_cause(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v, bool brief,
		      struct xpt_strbuf *sb)
{
	const char *doubt = xpt_rdma_verdict__doubt(t);
	size_t indent = brief ? 4 : 2;
	char line[1024];

	snprintf(line, sizeof(line), "%s: %s (confidence %s): %s.", brief ? "verdict" : "Verdict",
		 xpt_rdma_class_title(v->cause.cls), xpt_rdma_confidence_name(v->cause.confidence), v->cause.sentence);
	say_line(sb, indent, line);
	if (doubt) {
		snprintf(line, sizeof(line), "%s: %s.", brief ? "uncertain" : "Uncertain", doubt);
		say_line(sb, indent, line);
	}
	snprintf(line, sizeof(line), "%s: %s", brief ? "try" : "Try", v->cause.advice);
	say_line(sb, indent, line);
}

/* "Firmware: INIT2RTR_QP (0x503) refused: bad parameter (0x3), syndrome 0x1d7ac" */
static void say_firmware(const struct xpt_rdma_trace *t, size_t indent, const char *label,
			 struct xpt_strbuf *sb)
{
	const struct xpt_rdma_firmware *f = t->firmware;
	char line[512], more[48] = "", text[256];

	if (!f)
		return;
	if (f->count > 1)
		snprintf(more, sizeof(more), ", the first of %" PRIu32, f->count);
	snprintf(line, sizeof(line), "%s: %s%s%s", label, xpt_rdma_firmware__text(f, text, sizeof(text)), more,
		 f->source == XPT_RDMA_BY_LOG ? " (from the kernel's log)" : "");
	say_line(sb, indent, line);
}

/* "Memory: 1.2 GiB free, 900.0 MiB of it in CMA (2.0 GiB)" */
static void say_memory(const struct xpt_rdma_trace *t, size_t indent, const char *label, struct xpt_strbuf *sb)
{
	char line[160], cma[80] = "", total[24], left[24];

	if (!(t->lock_known & XPT_RDMA_MEMORY_FREE))
		return;
	if (t->lock_known & XPT_RDMA_MEMORY_CMA && t->cma_total)
		snprintf(cma, sizeof(cma), ", %s of it in CMA (%s)", xpt_fmt_bytes(t->cma_free, left, sizeof(left)),
			 xpt_fmt_bytes(t->cma_total, total, sizeof(total)));
	snprintf(line, sizeof(line), "%s: %s free%s", label, xpt_fmt_bytes(t->memory_free, total, sizeof(total)), cma);
	say_line(sb, indent, line);
}

/* Reports events of the devices beside the call. */
static void say_events(const struct xpt_rdma_trace *t, size_t indent, const char *label, const char *gpu_label,
		       struct xpt_strbuf *sb)
{
	char line[240], text[128];
	uint32_t i;

	if (t->gpu_error && *t->gpu_error) {
		snprintf(line, sizeof(line), "%s: %.200s", gpu_label, t->gpu_error);
		say_line(sb, indent, line);
	}
	for (i = 0; i < t->nr_events; i++) {
		snprintf(line, sizeof(line), "%s: %s", label, xpt_rdma_event__text(&t->events[i], text, sizeof(text)));
		say_line(sb, indent, line);
	}
	if (t->nr_events && t->more_events) {
		snprintf(line, sizeof(line), "%s: and %" PRIu32 " more in that time", label, t->more_events);
		say_line(sb, indent, line);
	}
}

/* "Counters: link_downed +1 on port 1, between 3.2 s before the call and 4 ms after it"; nothing if none moved. */
static void say_counters(const struct xpt_rdma_trace *t, size_t indent, const char *label, struct xpt_strbuf *sb)
{
	struct xpt_strbuf line;

	if (!t->moved)
		return;
	xpt_strbuf__init(&line, 2048);
	xpt_strbuf__addf(&line, "%s: ", label);
	if (*t->moved->why)
		xpt_strbuf__addf(&line, "not known: %s", t->moved->why);
	if ((*t->moved->why || xpt_rdma_moved__text(t->moved, &line)) && !xpt_strbuf__err(&line))
		say_line(sb, indent, line.s);
	xpt_strbuf__free(&line);
}

/* "Asked for: attr_mask=STATE|AV qp_state=RTR ah.sgid_index=200" */
static void say_asked_for(const struct xpt_rdma_trace *t, size_t indent, const char *label, struct xpt_strbuf *sb)
{
	struct xpt_strbuf line;

	if (!t->asked_for)
		return;
	xpt_strbuf__init(&line, 4096);
	xpt_strbuf__addf(&line, "%s: ", label);
	xpt_rdma_asked_for__text(t->asked_for, &line);
	if (!xpt_strbuf__err(&line))
		say_line(sb, indent, line.s);
	xpt_strbuf__free(&line);
}

/* A pointer to the program's request is of no use beside the request. */
static void say_args(const struct xpt_rdma_trace *t, const struct xpt_rdma_node *node, size_t indent,
		     struct xpt_strbuf *sb)
{
	char line[512];
	unsigned i;
	size_t n;

	if (!node->nr_args)
		return;
	n = (size_t)snprintf(line, sizeof(line), "arguments:");
	for (i = 0; i < node->nr_args && n < sizeof(line); i++)
		n += (size_t)snprintf(line + n, sizeof(line) - n, xpt_rdma_asked_for__has(t->asked_for, node->arg[i]) ?
				      "%s %.32s as asked for" : node->arg[i] < 1u << 20 ? "%s %.32s %" PRIu64 :
				      "%s %.32s 0x%" PRIx64, i ? "," : "",
				      node->arg_name[i] ? node->arg_name[i] : "?", node->arg[i]);
	say_line(sb, indent, line);
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
	say_line(sb, indent, line);
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
	say_line(sb, 2, line);
	say_args(t, node, 4, sb);
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
	wrap_words(sb, "handed on by", 4, &col);
	for (i = v->chain.nr - 1; i-- > 0;) {
		char one[256];

		snprintf(one, sizeof(one), "%.128s%s%s", t->node[v->chain.node[i]].fn,
			 became[v->chain.link[i + 1]], i ? "," : "");
		wrap_words(sb, one, 4, &col);
	}
	xpt_strbuf__addc(sb, '\n');
}

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
	wrap_words(sb, one, indent, &col);
	for (i = 0; i < n; i++) {
		snprintf(one, sizeof(one), "%.64s%s", v->good->node[v->diff.missing[i]].fn,
			 i + 1 < n ? "," : v->diff.nr_missing > n ? ", ..." : "");
		wrap_words(sb, one, indent, &col);
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
	say_line(sb, indent, line);
	snprintf(line, sizeof(line), "good: %s; here: %s", v->diff.place == XPT_RDMA_TREE_NONE ?
		 "not called there" : xpt_rdma_outcomes_text(&v->good->node[v->diff.place], good, sizeof(good)),
		 xpt_rdma_outcome_text(xpt_rdma_node__outcome(node), buf, sizeof(buf)));
	say_line(sb, indent + 2, line);
	if (node != xpt_rdma_chain__origin(t, &v->chain))
		say_args(t, node, indent + 2, sb);
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
	say_line(sb, indent, line);
	if (parted)
		say_parted(t, v, "First different", indent, sb);
}

static void say_diff(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v, size_t indent,
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
		say_line(sb, indent, line);
	} else {
		snprintf(line, sizeof(line), "First divergence from %" PRIu64 " good call%s",
			 v->good->traces, s);
		say_parted(t, v, line, indent, sb);
	}
	say_missing(v, indent + 2, sb);
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
		say_line(sb, 2, line);
	} else if (v->failed) {
		say_cause(t, v, false, sb);
	}
	say_asked_for(t, 2, "Asked for", sb);
	say_firmware(t, 2, "Firmware", sb);
	say_memory(t, 2, "Memory", sb);
	say_events(t, 2, "Event", "GPU", sb);
	say_counters(t, 2, "Counters", sb);
	say_origin(t, v, sb);
	say_chain(t, v, sb);
	say_diff(t, v, 2, sb);
	for (i = 0; i < n; i++) {
		xpt_strbuf__add(sb, "  log: ");
		xpt_text__add(sb, log[i], COLUMNS - 7, xpt_text_utf8());
		xpt_strbuf__addc(sb, '\n');
	}
	if (tree && v->good)
		xpt_rdma_diff__text(v->good, t, &v->diff, sb);
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

/* Where a call parts from good ones is where its error began: one sentence is enough. */
static void say_good(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
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
	say_line(sb, 4, line);
}

void xpt_rdma_verdict__brief(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
			     struct xpt_strbuf *sb)
{
	if (v->failed) {
		say_cause(t, v, true, sb);
		say_unprobed(t, v, 4, sb);
	}
	say_asked_for(t, 4, "asked for", sb);
	say_firmware(t, 4, "firmware", sb);
	say_memory(t, 4, "memory", sb);
	say_events(t, 4, "event", "gpu", sb);
	say_counters(t, 4, "counters", sb);
	if (!v->failed || v->diff.node == XPT_RDMA_NO_NODE ||
	    (v->diff.other_shape && v->diff.parted == XPT_RDMA_AT_CALL) ||
	    &t->node[v->diff.node] != xpt_rdma_chain__origin(t, &v->chain)) {
		say_diff(t, v, 4, sb);
		return;
	}
	if (v->good)
		say_good(t, v, sb);
}

/* --- JSON ------------------------------------------------------------------------------ */

static void add_text(struct xpt_strbuf *sb, const char *key, const char *s)
{
	xpt_strbuf__addf(sb, ",\"%s\":", key);
	xpt_strbuf__add_json(sb, s);
}

static void add_chain(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
		      struct xpt_strbuf *sb)
{
	static const char *const links[] = {
		[XPT_RDMA_SAME] = "same", [XPT_RDMA_NARROWED] = "narrowed",
		[XPT_RDMA_OTHER] = "other", [XPT_RDMA_ANSWER] = "answer",
	};
	unsigned i;

	xpt_strbuf__add(sb, ",\"chain\":[");
	for (i = v->chain.nr; i-- > 0;) {
		const struct xpt_rdma_node *node = &t->node[v->chain.node[i]];
		char buf[48];

		xpt_strbuf__add(sb, "{\"function\":");
		xpt_strbuf__add_json(sb, node->fn);
		add_text(sb, "module", node->module);
		add_text(sb, "result", xpt_rdma_outcome_text(xpt_rdma_node__outcome(node), buf,
							     sizeof(buf)));
		add_text(sb, "became", i ? links[v->chain.link[i]] : "");
		xpt_strbuf__add(sb, i ? "}," : "}");
	}
	xpt_strbuf__addc(sb, ']');
}

static void add_unprobed(const struct xpt_rdma_trace *t, struct xpt_strbuf *sb)
{
	uint32_t i;

	xpt_strbuf__add(sb, ",\"unprobed\":[");
	for (i = 0; i < t->nr_unprobed; i++) {
		xpt_strbuf__add(sb, i ? "," : "");
		xpt_strbuf__add_json(sb, t->unprobed[i]);
	}
	xpt_strbuf__addc(sb, ']');
}

void xpt_rdma_verdict__json(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
			    struct xpt_strbuf *sb)
{
	char name[32], job[160];

	xpt_strbuf__add(sb, "{\"type\":\"rdma_verdict\"");
	add_text(sb, "syscall", t->method);
	add_text(sb, "shape", t->shape);
	add_text(sb, "error", v->failed ? xpt_rdma_trace__error(t, name, sizeof(name)) : "");
	add_text(sb, "process", t->comm);
	xpt_strbuf__addf(sb, ",\"pid\":%" PRIu32 ",\"wall_ns\":", t->pid);
	xpt_rdma_json__add_u64(sb, t->wall_ns);
	add_text(sb, "device", t->device);
	add_text(sb, "driver", t->driver);
	add_text(sb, "job", xpt_rdma_job(t->cgroup, t->container, job, sizeof(job)) ? job : "");
	add_text(sb, "caller", t->caller);
	add_text(sb, "outer", t->outer);
	if (v->expected)
		add_text(sb, "expected", v->expected);
	if (v->unsure)
		add_text(sb, "unsure", v->unsure);
	if (v->failed) {
		add_text(sb, "class", xpt_rdma_class_name(v->cause.cls));
		add_text(sb, "confidence", xpt_rdma_confidence_name(v->cause.confidence));
		add_text(sb, "verdict", v->cause.sentence);
		add_text(sb, "advice", v->cause.advice);
		add_text(sb, "origin", xpt_rdma_verdict__origin(t, v));
		if (xpt_rdma_verdict__doubt(t))
			add_text(sb, "uncertain", xpt_rdma_verdict__doubt(t));
	}
	if (t->asked_for) {
		xpt_strbuf__add(sb, ",\"asked_for\":");
		xpt_rdma_asked_for__print(t->asked_for, sb);
	}
	if (t->nr_events) {
		xpt_strbuf__add(sb, ",\"events\":");
		xpt_rdma_events__print(t->events, t->nr_events, sb);
		if (t->more_events)
			xpt_strbuf__addf(sb, ",\"more_events\":%" PRIu32, t->more_events);
	}
	if (t->moved) {
		xpt_strbuf__add(sb, ",\"counters\":");
		xpt_rdma_moved__print(t->moved, sb);
	}
	if (v->failed && t->nr_unprobed)
		add_unprobed(t, sb);
	if (t->firmware) {
		xpt_strbuf__add(sb, ",\"firmware\":{");
		xpt_rdma_firmware__print(t->firmware, sb);
		xpt_strbuf__addc(sb, '}');
	}
	add_chain(t, v, sb);
	if (v->good) {
		xpt_strbuf__add(sb, ",\"divergence\":");
		xpt_rdma_diff__json(v->good, t, &v->diff, sb);
	}
	xpt_strbuf__addc(sb, '}');
}
