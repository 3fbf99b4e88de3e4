// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace rdma report: failures of recorded calls, classified and added up, as
 * text, JSON or tables; with NCCL's log, which of its warnings each one is.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/rdma.h"
#include "cli/rdma_files.h"
#include "cli/rdma_out.h"
#include "rdma/report.h"

struct report_opts {
	const char *store, *rules, *nccl_log;
	bool json, csv;
};

struct report {
	struct report_opts opts;
	struct xpt_rdma_files files;
	struct xpt_rdma_report *report;
	struct xpt_rdma_nccl *nccl;
	uint64_t traces, events, bad_lines;
};

static int take(void *ctx, struct xpt_rdma_trace *t)
{
	const struct xpt_rdma_nccl_line *line = NULL;
	struct xpt_rdma_verdict v;
	struct report *r = ctx;

	xpt_rdma_judge(t, r->files.rules, xpt_rdma_store__nearest(r->files.store, t), &v);
	if (r->nccl && v.failed && !v.expected)
		line = xpt_rdma_nccl__match(r->nccl, t);
	xpt_rdma_report__add(r->report, t, &v, line);
	xpt_rdma_trace__free(t);
	return 0;
}

static int take_other(void *ctx, const char *text, size_t n)
{
	struct xpt_rdma_other_line line;
	struct report *r = ctx;
	int err = xpt_rdma_other__parse(text, n, &line);

	if (!err)
		xpt_rdma_report__other(r->report, &line);
	r->events += !err && line.kind != XPT_RDMA_LINE_EXIT;
	return err;
}

static int read_nccl(struct report *r)
{
	FILE *f;
	int err;

	if (!r->opts.nccl_log)
		return 0;
	r->nccl = xpt_rdma_nccl__new();
	f = fopen(r->opts.nccl_log, "re");
	if (!f || !r->nccl || xpt_rdma_is_folder(f)) {
		err = !f ? -errno : r->nccl ? -EISDIR : -ENOMEM;
		if (f)
			fclose(f);
		return xpt_err(err, "%s: %s", r->opts.nccl_log, strerror(-err));
	}
	err = xpt_rdma_nccl__read(r->nccl, f);
	fclose(f);
	if (!err && !r->nccl->nr)
		xpt_warn("%s has no line 'Call to ibv_... failed with ...'", r->opts.nccl_log);
	return err ? xpt_err(err, "%s: %s", r->opts.nccl_log, strerror(-err)) : 0;
}

static int put(struct report *r)
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
	unsigned i, n = 0;

	for (i = 0; r->nccl && i < r->nccl->nr; i++)
		n += !r->nccl->line[i].matched;
	if (n)
		xpt_info("%u warnings of NCCL are about calls that are not in the files", n);
}

static int report(struct report *r, char **paths, int n)
{
	const struct xpt_rdma_sink sink = { take, take_other, r };
	struct xpt_rdma_lines lines;
	int i;

	if (xpt_rdma_files__open(&r->files, r->opts.rules, r->opts.store, false, true) || read_nccl(r))
		return XPT_EXIT_FAILED;
	r->report = xpt_rdma_report__new();
	if (!r->report) {
		xpt_err(-ENOMEM, "out of memory");
		return XPT_EXIT_FAILED;
	}
	for (i = 0; i < n; i++) {
		if (xpt_rdma_files__read(paths[i], &sink, &lines))
			return XPT_EXIT_FAILED;
		r->traces += lines.traces;
		r->bad_lines += lines.bad;
	}
	if (!r->traces && !r->events) {
		xpt_err(0, "no call of RDMA in %s", paths[0]);
		return XPT_EXIT_NOTHING;
	}
	if (put(r))
		return XPT_EXIT_FAILED;
	say_unmatched(r);
	return XPT_EXIT_OK;
}

#define XPT_RO(m) offsetof(struct report_opts, m)

static const struct xpt_opt opts[] = {
	{ "store", 0, XPT_OPT_STR, XPT_RO(store), "FILE", XPT_RDMA_STORE_HELP, 0 },
	{ "expected", 0, XPT_OPT_STR, XPT_RO(rules), "FILE", XPT_RDMA_RULES_HELP, 0 },
	{ "nccl-log", 0, XPT_OPT_STR, XPT_RO(nccl_log), "FILE", "the log of NCCL (NCCL_DEBUG=WARN): find "
	  "the kernel's function behind each warning", 0 },
	{ "json", 0, XPT_OPT_FLAG, XPT_RO(json), 0, "as one JSON object", 0 },
	{ "csv", 0, XPT_OPT_FLAG, XPT_RO(csv), 0, "as tables of comma-separated values", 0 },
	{ 0 },
};

static int cmd_report(int argc, char **argv)
{
	struct report r = { .traces = 0 };
	int rest, status;

	status = xpt_opt__parse(&xpt_rdma_cmd_report, argc, argv, &r.opts, &rest);
	if (status >= 0)
		return status;
	if (rest >= argc)
		return xpt_opt__usage(&xpt_rdma_cmd_report, "which files?");
	if (r.opts.json && r.opts.csv)
		return xpt_opt__usage(&xpt_rdma_cmd_report, "--json and --csv exclude each other");
	status = report(&r, argv + rest, argc - rest);
	xpt_rdma_report__free(r.report);
	free(r.nccl);
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
