// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace rdma report: failures of recorded calls, classified and added up, as
 * text, JSON or tables; with the log of the job, which of its warnings each one is.
 *
 * Lines of the log get their calls when all calls are known. A failure is added up at once, as
 * no line changes that. One that is normal unless a line is about it waits until the end, and
 * with it the end of its process.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/commands/rdma/commands.h"
#include "rdma/trace/job_log/log_lines.h"
#include "rdma/verdict/report.h"
#include "rdma/verdict/trial.h"
#include "session/rdma/output/records_out.h"
#include "session/rdma/state_files.h"

struct report_opts {
	const char *store, *rules, *nccl_log;
	bool json, csv;
};

enum { WAITING = 1024 };	/* calls, and ends of processes */

struct waiting {
	struct xpt_rdma_trace *t;
	struct xpt_rdma_verdict v;
	uint32_t call;		/* its number in the log's table */
};

struct report {
	struct report_opts opts;
	struct xpt_rdma_files files;
	struct xpt_rdma_report *report;
	struct xpt_rdma_nccl *nccl;
	struct xpt_rdma_trials trials;
	struct waiting *waiting;
	struct xpt_rdma_other_line *ends;
	unsigned nr_waiting, nr_ends;
	char host[65], boot_id[37];	/* of the last call of the file */
	uint64_t traces, events, bad_lines;
};

static struct xpt_rdma_nccl_call *call_of(const struct report *r, uint32_t call)
{
	return &r->nccl->call[call - 1];
}

/* Completes a call in the log's table: before the matching, which compares it, and once its verdict is final. */
static void describe_call(struct xpt_rdma_nccl_call *c, const struct xpt_rdma_trace *t,
		     const struct xpt_rdma_verdict *v)
{
	xpt_rdma_report__way(t, v, c->way, sizeof(c->way));
	c->cause = xpt_rdma_class_name(v->cause.cls);
}

/* Adds up a call that waited. NCCL asks questions without a word: a call that it warns of was none. */
static void add_waiting(struct report *r, struct waiting *w)
{
	struct xpt_rdma_nccl_call *c = call_of(r, w->call);

	if (c->line && w->v.unsure)
		xpt_rdma_judge(w->t, r->files.rules, xpt_rdma_store__nearest(r->files.store, w->t), &w->v);
	if (c->line)
		w->v.expected = NULL;
	describe_call(c, w->t, &w->v);
	xpt_rdma_report__add(r->report, w->t, &w->v);
	xpt_rdma_trace__free(w->t);
}

/* Keeps a call until the log's lines have theirs. Returns false if too many wait: it is judged without the log. */
static bool wait_for_log(struct report *r, struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
			 uint32_t call)
{
	if (r->nr_waiting == WAITING) {
		call_of(r, call)->is_gone = true;
		r->nccl->calls_left_out++;
		return false;
	}
	r->waiting[r->nr_waiting++] = (struct waiting){ t, *v, call };
	return true;
}

/* Only of NCCL's question with descriptor -1 it is known that the answer never is a warning. */
static void add_call(struct report *r, struct xpt_rdma_trace *t, struct xpt_rdma_verdict *v)
{
	uint32_t call = r->nccl && v->failed ? xpt_rdma_nccl__offer(r->nccl, t) : 0;

	if (call) {
		bool is_question = v->condition == XPT_RDMA_IF_NO_FD && v->expected;

		call_of(r, call)->is_question = is_question;
		call_of(r, call)->is_normal = v->expected || v->unsure;
		describe_call(call_of(r, call), t, v);
		if ((v->expected || v->unsure) && !is_question && wait_for_log(r, t, v, call))
			return;
	}
	xpt_rdma_report__add(r->report, t, v);
	xpt_rdma_trace__free(t);
}

/* Tells whether a call of that process waits, so that its end has to, too. */
static bool is_waited_for(const struct report *r, const struct xpt_rdma_other_line *end)
{
	struct xpt_rdma_moment ended = xpt_rdma_other__moment(end), began;
	unsigned i;

	for (i = 0; i < r->nr_waiting && r->nr_ends < WAITING; i++) {
		began = xpt_rdma_trace__moment(r->waiting[i].t);
		if (r->waiting[i].t->pid == end->pid && xpt_rdma_moment__may_share_boot(&began, &ended))
			return true;
	}
	return false;
}

/* Gives each line of the log its call, once all calls are read. */
static int join_log(struct report *r)
{
	unsigned i;
	int err;

	if (!r->nccl)
		return 0;
	err = xpt_rdma_nccl__match(r->nccl);
	for (i = 0; i < r->nr_waiting; i++)
		add_waiting(r, &r->waiting[i]);
	r->nr_waiting = 0;
	for (i = 0; i < r->nr_ends; i++)
		xpt_rdma_report__other(r->report, &r->ends[i]);
	xpt_rdma_report__set_log(r->report, r->nccl);
	return err ? xpt_err(err, "%s: %s", r->opts.nccl_log, strerror(-err)) : 0;
}

static void on_decided(void *ctx, struct xpt_rdma_trace *t, enum xpt_rdma_trial_end end)
{
	struct xpt_rdma_verdict v;
	struct report *r = ctx;

	xpt_rdma_judge(t, r->files.rules, xpt_rdma_store__nearest(r->files.store, t), &v);
	xpt_rdma_trial__conclude(end, &v);
	add_call(r, t, &v);
}

/* A recording is of one boot of a machine. Only its calls say which, not the ends of its processes. */
static void note_machine(struct report *r, const struct xpt_rdma_trace *t)
{
	snprintf(r->host, sizeof(r->host), "%s", t->host ? t->host : "");
	snprintf(r->boot_id, sizeof(r->boot_id), "%s", t->boot_id ? t->boot_id : "");
}

static int take_trace(void *ctx, struct xpt_rdma_trace *t)
{
	struct xpt_rdma_moment began;
	struct xpt_rdma_verdict v;
	struct report *r = ctx;

	note_machine(r, t);
	began = xpt_rdma_trace__moment(t);
	xpt_rdma_trials__until(&r->trials, &began);
	xpt_rdma_trials__saw(&r->trials, t);
	xpt_rdma_judge(t, r->files.rules, xpt_rdma_store__nearest(r->files.store, t), &v);
	if (v.trial)
		xpt_rdma_trials__wait(&r->trials, t, &v);
	else
		add_call(r, t, &v);
	return 0;
}

static int take_other(void *ctx, const char *text, size_t n)
{
	struct xpt_rdma_other_line line;
	struct xpt_rdma_moment at;
	struct report *r = ctx;
	int err = xpt_rdma_other__parse(text, n, &line);

	if (err)
		return err;
	if (line.kind == XPT_RDMA_LINE_EXIT && !*line.host && !*line.boot_id) {
		memcpy(line.host, r->host, sizeof(line.host));
		memcpy(line.boot_id, r->boot_id, sizeof(line.boot_id));
	}
	at = xpt_rdma_other__moment(&line);
	if (line.kind == XPT_RDMA_LINE_EXIT)
		xpt_rdma_trials__ended(&r->trials, line.pid, &at);
	if (line.kind == XPT_RDMA_LINE_EXIT && is_waited_for(r, &line))
		r->ends[r->nr_ends++] = line;
	else
		xpt_rdma_report__other(r->report, &line);
	if (line.kind == XPT_RDMA_LINE_LOST)
		xpt_rdma_trials__lost(&r->trials, &at);
	r->events += line.kind == XPT_RDMA_LINE_EVENT || line.kind == XPT_RDMA_LINE_COMMAND;
	return 0;
}

static void say_what_log_lacks(const struct report *r)
{
	const struct xpt_rdma_nccl *n = r->nccl;

	if (!n->nr && !n->nr_counts && !n->left_out)
		xpt_warn("%s has no line 'Call to ibv_... failed', and none like it", r->opts.nccl_log);
	if (n->cut)
		xpt_warn("%s: %" PRIu64 " lines are longer than %u bytes and were cut off", r->opts.nccl_log,
			 n->cut, XPT_RDMA_LOG_LINE);
	if (n->left_out)
		xpt_warn("%s: %" PRIu64 " lines found no room (limits: %u warnings of %u calls, %u kinds of "
			 "completions and events)", r->opts.nccl_log, n->left_out, XPT_RDMA_NCCL_LINES,
			 XPT_RDMA_NCCL_VERBS, XPT_RDMA_NCCL_COUNTS);
}

static int read_nccl(struct report *r)
{
	FILE *f;
	int err;

	if (!r->opts.nccl_log)
		return 0;
	r->nccl = xpt_rdma_nccl__new();
	r->waiting = calloc(WAITING, sizeof(*r->waiting));
	r->ends = calloc(WAITING, sizeof(*r->ends));
	f = fopen(r->opts.nccl_log, "re");
	if (!f || !r->nccl || !r->waiting || !r->ends || xpt_rdma_is_folder(f)) {
		err = !f ? -errno : r->nccl && r->waiting && r->ends ? -EISDIR : -ENOMEM;
		if (f)
			fclose(f);
		return xpt_err(err, "%s: %s", r->opts.nccl_log, strerror(-err));
	}
	err = xpt_rdma_nccl__read(r->nccl, f);
	fclose(f);
	if (!err)
		say_what_log_lacks(r);
	return err ? xpt_err(err, "%s: %s", r->opts.nccl_log, strerror(-err)) : 0;
}

static int put_buf(struct report *r)
{
	struct xpt_rdma_out out;
	int err, closed;

	err = xpt_rdma_out__open(&out, r->opts.json ? "json" : r->opts.csv ? "tables" : "summary");
	if (!err)
		err = xpt_rdma_report__emit(r->report, r->bad_lines, xpt_rdma_out__record, &out);
	closed = xpt_rdma_out__close(&out);
	return err ? err : closed;
}

static void say_unmatched(const struct report *r)
{
	uint64_t n = 0, like = 0, unclear = 0, shared = 0;
	unsigned i;

	if (!r->nccl)
		return;
	for (i = 0; i < r->nccl->nr; i++) {
		const struct xpt_rdma_nccl_line *line = &r->nccl->line[i];

		unclear += !line->call && line->choices > 1;
		shared += !line->call && line->choices == 1;
		like += !line->call && !line->choices && line->like_normal;
		n += !line->call && !line->choices && !line->like_normal;
	}
	if (r->nccl->not_compared)
		xpt_warn("%" PRIu64 " warnings of NCCL could not be compared with all failed calls: there are too many",
			 r->nccl->not_compared);
	else if (n)
		xpt_info("%" PRIu64 " warnings of NCCL are about calls that are not in the files", n);
	if (unclear)
		xpt_info("%" PRIu64 " warnings of NCCL may be about several calls that differ: which one is not known", unclear);
	if (shared)
		xpt_info("%" PRIu64 " warnings of NCCL may be about a call that other ones may be about, too", shared);
	if (r->nccl->calls_left_out)
		xpt_info("%" PRIu64 " failed calls found no room and were not compared with the log",
			 r->nccl->calls_left_out);
	if (like)
		xpt_info("%" PRIu64 " warnings of NCCL have the call and error of calls that are counted as normal", like);
}

static int report_files(struct report *r, char **paths, int n)
{
	const struct xpt_rdma_sink sink = { take_trace, take_other, r };
	struct xpt_rdma_lines lines;
	int i;

	if (xpt_rdma_files__open(&r->files, r->opts.rules, r->opts.store, false, true) || read_nccl(r))
		return XPT_EXIT_FAILED;
	r->trials.decide = on_decided;
	r->trials.ctx = r;
	r->report = xpt_rdma_report__new();
	if (!r->report) {
		xpt_err(-ENOMEM, "out of memory");
		return XPT_EXIT_FAILED;
	}
	for (i = 0; i < n; i++) {
		if (xpt_rdma_files__read(paths[i], &sink, &lines))
			return XPT_EXIT_FAILED;
		xpt_rdma_trials__over(&r->trials);
		*r->host = *r->boot_id = '\0';
		r->traces += lines.traces;
		r->bad_lines += lines.bad;
	}
	if (!r->traces && !r->events) {
		xpt_err(0, "no call of RDMA in %s", paths[0]);
		return XPT_EXIT_NOTHING;
	}
	if (join_log(r) || put_buf(r))
		return XPT_EXIT_FAILED;
	say_unmatched(r);
	return XPT_EXIT_OK;
}

static void free_log(struct report *r)
{
	while (r->nr_waiting)
		xpt_rdma_trace__free(r->waiting[--r->nr_waiting].t);
	free(r->waiting);
	free(r->ends);
	xpt_rdma_nccl__free(r->nccl);
}

#define XPT_RO(m) offsetof(struct report_opts, m)

static const struct xpt_opt opts[] = {
	{ "store", 0, XPT_OPT_STR, XPT_RO(store), "FILE", XPT_RDMA_STORE_HELP, 0 },
	{ "expected", 0, XPT_OPT_STR, XPT_RO(rules), "FILE", XPT_RDMA_RULES_HELP, 0 },
	{ "nccl-log", 0, XPT_OPT_STR, XPT_RO(nccl_log), "FILE", "the job's log (NCCL_DEBUG=WARN; NVSHMEM, "
	  "UCX, Mooncake): show the kernel function that failed with each warning", 0 },
	{ "json", 0, XPT_OPT_FLAG, XPT_RO(json), 0, "as one JSON object", 0 },
	{ "csv", 0, XPT_OPT_FLAG, XPT_RO(csv), 0, "as tables of comma-separated values", 0 },
	{ 0 },
};

static int cmd_report(int argc, char **argv)
{
	static struct report r;	/* large; zeroed */
	int rest, status;

	status = xpt_opt__parse(&xpt_rdma_cmd_report, argc, argv, &r.opts, &rest);
	if (status >= 0)
		return status;
	if (rest >= argc)
		return xpt_opt__usage(&xpt_rdma_cmd_report, "which files?");
	if (r.opts.json && r.opts.csv)
		return xpt_opt__usage(&xpt_rdma_cmd_report, "--json and --csv exclude each other");
	status = report_files(&r, argv + rest, argc - rest);
	xpt_rdma_report__free(r.report);
	free_log(&r);
	xpt_rdma_files__close(&r.files);
	return status;
}

const struct xpt_cmd xpt_rdma_cmd_report = {
	.name = "rdma report", .args = "[OPTIONS] FILE...",
	.summary = "classify and add up failed calls",
	.opts = opts,
	.examples = "  xputrace rdma report t.jsonl\n"
		    "  xputrace rdma report t.xtr            # of run -d rdma\n"
		    "  xputrace rdma report --nccl-log nccl.log t.jsonl\n",
	.run = cmd_report,
};
