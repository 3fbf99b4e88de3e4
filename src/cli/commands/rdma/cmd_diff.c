// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace rdma diff: failed calls of one file against good ones of another; where
 * each kind of failure first parts from them. Calls that part in the same place are
 * shown once and counted.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "cli/commands/rdma/commands.h"
#include "session/rdma/state_files.h"
#include "rdma/trace/evidence/firmware.h"
#include "rdma/verdict/judge.h"
#include "rdma/trace/event_line.h"
#include "rdma/verdict/trial.h"

enum { MAX_KINDS = 256, TEXT_MAX = 1 << 20 };

struct diff_opts {
	const char *rules;
	bool json, all;
};

/* Failures that are alike. */
struct kind {
	char name[256];
	uint64_t times;
};

struct diff {
	struct diff_opts opts;
	struct xpt_rdma_files files;
	struct kind kinds[MAX_KINDS];
	unsigned nr_kinds;
	uint64_t good, left_out, bad, alike, uncompared, normal;
	struct xpt_strbuf out;
	struct xpt_rdma_trials trials;
	int err;		/* of showing one that was decided later */
};

static int take_good(void *ctx, struct xpt_rdma_trace *t)
{
	struct diff *d = ctx;
	int err = xpt_rdma_store__add(d->files.store, t);

	d->good += !err;
	d->left_out += err == -EINVAL;
	xpt_rdma_trace__free(t);
	return err == -ENOMEM ? err : 0;
}

static int take_baseline(void *ctx, const char *line, size_t n)
{
	struct diff *d = ctx;
	int err = xpt_rdma_store__line(d->files.store, line, n);

	d->good += !err;
	return err;
}

/* False: one like it was shown. */
static bool is_new(struct diff *d, const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v)
{
	char name[sizeof(d->kinds[0].name)], refusal[32];
	unsigned i;

	snprintf(name, sizeof(name), "%.64s %.64s %lld %.64s %s", t->method, t->shape, (long long)t->ret,
		 v->good && v->diff.node != XPT_RDMA_NO_NODE ? t->node[v->diff.node].fn :
		 xpt_rdma_verdict__origin(t, v),
		 xpt_rdma_firmware__key(t->firmware, refusal, sizeof(refusal)));
	for (i = 0; i < d->nr_kinds; i++) {
		if (strcmp(d->kinds[i].name, name))
			continue;
		d->kinds[i].times++;
		return false;
	}
	if (d->nr_kinds < MAX_KINDS) {
		snprintf(d->kinds[d->nr_kinds].name, sizeof(name), "%s", name);
		d->kinds[d->nr_kinds++].times = 1;
	}
	return true;
}

static int put_buf(struct diff *d)
{
	int err = xpt_strbuf__err(&d->out);

	if (!err)
		fwrite(xpt_strbuf__str(&d->out), 1, d->out.len, stdout);
	xpt_strbuf__reset(&d->out);
	return err;
}

static int show_diff(struct diff *d, const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v)
{
	d->bad++;
	d->uncompared += v->failed && !v->good;
	if (!is_new(d, t, v) && !d->opts.all) {
		d->alike++;
		return 0;
	}
	if (d->opts.json)
		xpt_rdma_verdict__json(t, v, &d->out);
	else
		xpt_rdma_verdict__text(t, v, true, &d->out);
	xpt_strbuf__addc(&d->out, '\n');
	return put_buf(d);
}

static int conclude_trace(struct diff *d, struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v)
{
	int err = 0;

	if (v->expected)
		d->normal++;
	else if (v->failed || (v->good && !v->diff.other_shape && v->diff.parted != XPT_RDMA_NOT_PARTED))
		err = show_diff(d, t, v);	/* calls of another kind differ anyway */
	xpt_rdma_trace__free(t);
	return err;
}

static void on_decided(void *ctx, struct xpt_rdma_trace *t, enum xpt_rdma_trial_end end)
{
	struct xpt_rdma_verdict v;
	struct diff *d = ctx;
	int err;

	xpt_rdma_judge(t, d->files.rules, xpt_rdma_store__nearest(d->files.store, t), &v);
	xpt_rdma_trial__conclude(end, &v);
	err = conclude_trace(d, t, &v);
	d->err = d->err ? d->err : err;
}

static int take_bad(void *ctx, struct xpt_rdma_trace *t)
{
	struct xpt_rdma_moment began;
	struct xpt_rdma_verdict v;
	struct diff *d = ctx;
	int err;

	began = xpt_rdma_trace__moment(t);
	xpt_rdma_trials__until(&d->trials, &began);
	xpt_rdma_trials__saw(&d->trials, t);
	xpt_rdma_judge(t, d->files.rules, xpt_rdma_store__nearest(d->files.store, t), &v);
	if (v.trial) {
		xpt_rdma_trials__wait(&d->trials, t, &v);
		return d->err;
	}
	err = conclude_trace(d, t, &v);
	return d->err ? d->err : err;
}

static int take_other(void *ctx, const char *text, size_t n)
{
	struct xpt_rdma_other_line line;
	struct xpt_rdma_moment at;
	struct diff *d = ctx;
	int err = xpt_rdma_other__parse(text, n, &line);

	if (err)
		return err;
	at = xpt_rdma_other__moment(&line);
	if (line.kind == XPT_RDMA_LINE_LOST)
		xpt_rdma_trials__lost(&d->trials, &at);
	return err;
}

static void say_end(const struct diff *d, const char *bad)
{
	fflush(stdout);
	if (d->normal)
		xpt_info("%s: %" PRIu64 " calls failed as they should", bad, d->normal);
	if (d->alike && !d->opts.all)
		xpt_info("%s: %" PRIu64 " more calls went the same ways (--all shows them)", bad, d->alike);
	if (d->uncompared)
		xpt_info("%s: %" PRIu64 " calls failed of whose method and driver there is no good one",
			 bad, d->uncompared);
}

static int diff_files(struct diff *d, const char *good, const char *bad)
{
	const struct xpt_rdma_sink goods = { take_good, take_baseline, d };
	const struct xpt_rdma_sink bads = { take_bad, take_other, d };
	struct xpt_rdma_lines lines;

	if (xpt_rdma_files__read(good, &goods, &lines))
		return XPT_EXIT_FAILED;
	if (d->left_out)
		xpt_warn("%s: %" PRIu64 " calls failed and were left out", good, d->left_out);
	if (!d->good) {
		xpt_err(0, "%s holds no good call of RDMA", good);
		return XPT_EXIT_NOTHING;
	}
	d->trials.decide = on_decided;
	d->trials.ctx = d;
	if (xpt_rdma_files__read(bad, &bads, &lines))
		return XPT_EXIT_FAILED;
	xpt_rdma_trials__over(&d->trials);
	if (d->err)
		return XPT_EXIT_FAILED;
	say_end(d, bad);
	if (d->bad)
		return XPT_EXIT_OK;
	xpt_err(0, "%s holds no call that failed or went another way", bad);
	return XPT_EXIT_NOTHING;
}

#define XPT_RO(m) offsetof(struct diff_opts, m)

static const struct xpt_opt opts[] = {
	{ "all", 0, XPT_OPT_FLAG, XPT_RO(all), 0, "every call, not one of each kind", 0 },
	{ "expected", 0, XPT_OPT_STR, XPT_RO(rules), "FILE", XPT_RDMA_RULES_HELP, 0 },
	{ "json", 0, XPT_OPT_FLAG, XPT_RO(json), 0, "as JSON, a line for each call", 0 },
	{ 0 },
};

static int cmd_diff(int argc, char **argv)
{
	static struct diff d;
	int rest, status;

	status = xpt_opt__parse(&xpt_rdma_cmd_diff, argc, argv, &d.opts, &rest);
	if (status >= 0)
		return status;
	if (argc - rest != 2)
		return xpt_opt__usage(&xpt_rdma_cmd_diff, "two files are needed: good calls, and bad ones");
	if (!strcmp(argv[rest], "-") && !strcmp(argv[rest + 1], "-"))
		return xpt_opt__usage(&xpt_rdma_cmd_diff, "only one of them can be standard input");
	xpt_strbuf__init(&d.out, TEXT_MAX);
	status = xpt_rdma_files__open(&d.files, d.opts.rules, NULL, true, false) ? XPT_EXIT_FAILED :
		 diff_files(&d, argv[rest], argv[rest + 1]);
	xpt_rdma_files__close(&d.files);
	xpt_strbuf__free(&d.out);
	return status;
}

const struct xpt_cmd xpt_rdma_cmd_diff = {
	.name = "rdma diff", .args = "[OPTIONS] GOOD BAD",
	.summary = "where failed calls first part from good ones",
	.opts = opts,
	.examples = "  xputrace rdma diff good.jsonl bad.jsonl\n",
	.run = cmd_diff,
};
