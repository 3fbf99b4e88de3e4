// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace rdma baseline: the store of good calls: lists it, exports it, and
 * fills it from recorded calls or from another machine.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/fmt.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "base/time.h"
#include "cli/commands/rdma/commands.h"
#include "session/rdma/state_files.h"
#include "model/text.h"
#include "rdma/baseline/diff.h"

enum { LINE_MAX_ = 1 << 20 };

struct baseline_opts {
	const char *store, *rules;
	struct xpt_list methods, kernels;
	uint64_t older_ns;
	bool json;
};

struct baseline {
	struct baseline_opts opts;
	struct xpt_rdma_files files;
	struct xpt_strbuf sb;
	uint64_t taken, kept, left_out[XPT_RDMA_NR_OFFERS];
};

static bool one_of(const struct xpt_list *patterns, const char *s)
{
	unsigned i;

	for (i = 0; i < patterns->n; i++)
		if (xpt_glob_match(patterns->v[i], s))
			return true;
	return !patterns->n;
}

static bool is_wanted(const struct baseline *b, const struct xpt_rdma_tree *tree)
{
	uint64_t now = xpt_clock_ns(CLOCK_REALTIME);

	return one_of(&b->opts.methods, tree->key.method) && one_of(&b->opts.kernels, tree->key.kernel) &&
	       (!b->opts.older_ns || tree->last_ns + b->opts.older_ns < now);
}

static int put_buf(struct baseline *b)
{
	int err = xpt_strbuf__err(&b->sb);

	if (!err)
		fwrite(xpt_strbuf__str(&b->sb), 1, b->sb.len, stdout);
	xpt_strbuf__reset(&b->sb);
	return err;
}

static void add_time(uint64_t wall_ns, struct xpt_strbuf *sb)
{
	time_t at = (time_t)(wall_ns / 1000000000u);
	char when[32];
	struct tm tm;

	gmtime_r(&at, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &tm);
	xpt_strbuf__add(sb, when);
}

static void add_head(const struct xpt_rdma_tree *tree, struct xpt_strbuf *sb)
{
	char min[32], max[32];

	xpt_text__add(sb, tree->key.method, 40, xpt_text_utf8());
	xpt_strbuf__add(sb, *tree->key.shape ? " " : "");
	xpt_text__add(sb, tree->key.shape, 30, xpt_text_utf8());
	xpt_strbuf__addf(sb, "\n  %" PRIu64 " call%s, %" PRIu32 " function%s, %s to %s, last ", tree->traces,
			 tree->traces == 1 ? "" : "s", tree->nr, tree->nr == 1 ? "" : "s",
			 xpt_fmt_ns(tree->dur_min, min, sizeof(min)),
			 xpt_fmt_ns(tree->dur_max, max, sizeof(max)));
	add_time(tree->last_ns, sb);
	xpt_strbuf__add(sb, " UTC\n  ");
	xpt_text__add(sb, *tree->key.driver ? tree->key.driver : "no driver", 30, xpt_text_utf8());
	xpt_strbuf__add(sb, ", kernel ");
	xpt_text__add(sb, tree->key.kernel, 38, xpt_text_utf8());
	xpt_strbuf__addc(sb, '\n');
}

static void add_tree(const struct xpt_rdma_tree *tree, struct xpt_strbuf *sb)
{
	bool utf8 = xpt_text_utf8();
	unsigned depth = 0;
	uint16_t at;

	for (at = 0; at != XPT_RDMA_TREE_NONE; at = xpt_rdma_tree__next(tree, at, &depth)) {
		const struct xpt_rdma_tree_node *node = &tree->node[at];
		size_t indent = depth < 20 ? depth : 20;
		char results[96], min[32], max[32];

		xpt_text__pad(sb, 2 + indent);
		xpt_text__cell(sb, node->fn, 43 - indent, false, utf8);
		xpt_strbuf__addf(sb, " %6" PRIu32 " ", node->seen);
		xpt_text__cell(sb, node->exit_max ? xpt_fmt_ns(node->exit_min, min, sizeof(min)) : "-", 9,
			       true, utf8);
		xpt_text__cell(sb, node->exit_max ? xpt_fmt_ns(node->exit_max, max, sizeof(max)) : "-", 9,
			       true, utf8);
		xpt_strbuf__addc(sb, ' ');
		xpt_text__add(sb, xpt_rdma_outcomes_text(node, results, sizeof(results)), 8, utf8);
		xpt_strbuf__addc(sb, '\n');
	}
}

/* Exports learned rules, which go with the trees to another machine. */
static int export_learned(struct baseline *b)
{
	unsigned i;
	int err = 0;

	for (i = 0; !err && i < b->files.rules->nr_learned; i++) {
		const struct xpt_rdma_learned *l = &b->files.rules->learned[i];

		if (!one_of(&b->opts.methods, l->method))
			continue;
		xpt_rdma_learned__print(l, &b->sb);
		err = put_buf(b);
	}
	return err;
}

/* list, show and export: each tree that is wanted. An exit status. */
static int each_tree(struct baseline *b, bool whole, bool json)
{
	unsigned i, n = 0;
	int err = 0;

	for (i = 0; !err && i < xpt_rdma_store__nr(b->files.store); i++) {
		const struct xpt_rdma_tree *tree = xpt_rdma_store__tree(b->files.store, i);

		if (!is_wanted(b, tree))
			continue;
		if (json) {
			xpt_rdma_tree__print(tree, &b->sb);
		} else {
			add_head(tree, &b->sb);
			if (whole)
				xpt_strbuf__addf(&b->sb, "  %-43s %6s %9s%9s %s\n", "function", "calls",
						 "earliest", "latest", "results");
			if (whole)
				add_tree(tree, &b->sb);
		}
		err = put_buf(b);
		n++;
	}
	if (err)
		return XPT_EXIT_FAILED;
	if (!n && !xpt_rdma_store__nr(b->files.store))
		xpt_err(0, "no good calls are stored: 'rdma watch' and 'rdma baseline import' do that");
	else if (!n)
		xpt_err(0, "no good calls of that method or kernel, of %u kinds",
			xpt_rdma_store__nr(b->files.store));
	return n ? XPT_EXIT_OK : XPT_EXIT_NOTHING;
}

static int prune_store(struct baseline *b)
{
	unsigned i, n = 0;

	if (!b->opts.methods.n && !b->opts.kernels.n && !b->opts.older_ns)
		return xpt_opt__usage(&xpt_rdma_cmd_baseline,
				      "prune what? --method, --kernel or --older");
	for (i = xpt_rdma_store__nr(b->files.store); i-- > 0;) {
		if (!is_wanted(b, xpt_rdma_store__tree(b->files.store, i)))
			continue;
		xpt_rdma_store__remove(b->files.store, i);
		n++;
	}
	xpt_info("%u kinds of good calls removed, %u left", n, xpt_rdma_store__nr(b->files.store));
	return XPT_EXIT_OK;
}

static int take_trace(void *ctx, struct xpt_rdma_trace *t)
{
	struct baseline *b = ctx;
	enum xpt_rdma_offer what = xpt_rdma_store__offer(b->files.store, t);

	b->left_out[what]++;
	xpt_rdma_trace__free(t);
	return 0;
}

static int take_line(void *ctx, const char *line, size_t n)
{
	struct baseline *b = ctx;
	struct xpt_rdma_tree *tree;
	bool kept;
	int err = xpt_rdma_tree__parse(line, n, &tree);

	if (err)
		return xpt_rdma_store__line(b->files.store, line, n);
	err = xpt_rdma_store__import(b->files.store, tree, &kept);
	b->kept += !err && kept;
	b->taken += !err && !kept;
	return err;
}

static int import_files(struct baseline *b, char **paths, int n)
{
	const struct xpt_rdma_sink sink = { take_trace, take_line, b };
	struct xpt_rdma_lines lines;
	int i, what;

	if (!n)
		return xpt_opt__usage(&xpt_rdma_cmd_baseline, "import what?");
	for (i = 0; i < n; i++)
		if (xpt_rdma_files__read(paths[i], &sink, &lines))
			return XPT_EXIT_FAILED;
	for (what = XPT_RDMA_TAKEN + 1; what < XPT_RDMA_NR_OFFERS; what++)
		if (b->left_out[what])
			xpt_info("%" PRIu64 " calls left out: %s", b->left_out[what],
				 xpt_rdma_offer_text((enum xpt_rdma_offer)what));
	if (b->kept)
		xpt_info("%" PRIu64 " kinds left out: the store knows them from more calls", b->kept);
	xpt_info("taken: %" PRIu64 " calls and %" PRIu64 " kinds; in the store: %u kinds",
		 b->left_out[XPT_RDMA_TAKEN], b->taken, xpt_rdma_store__nr(b->files.store));
	if (b->left_out[XPT_RDMA_TAKEN] + b->taken + b->kept)
		return XPT_EXIT_OK;
	xpt_err(0, "no good call of RDMA in %s", paths[0]);
	return XPT_EXIT_NOTHING;
}

static int run_action(struct baseline *b, const char *what, char **args, int n)
{
	bool import_ = !strcmp(what, "import");

	if (n && !import_)
		return xpt_opt__usage(&xpt_rdma_cmd_baseline, "'%s' is too much", args[0]);
	if (xpt_rdma_files__open(&b->files, b->opts.rules, b->opts.store, false, !import_))
		return XPT_EXIT_FAILED;
	if (import_)
		return import_files(b, args, n);
	if (!strcmp(what, "prune"))
		return prune_store(b);
	if (!strcmp(what, "export") && export_learned(b))
		return XPT_EXIT_FAILED;
	return each_tree(b, !strcmp(what, "show"), b->opts.json || !strcmp(what, "export"));
}

#define XPT_BO(m) offsetof(struct baseline_opts, m)

static const struct xpt_opt opts[] = {
	{ "store", 0, XPT_OPT_STR, XPT_BO(store), "FILE", XPT_RDMA_STORE_HELP, 0 },
	{ "expected", 0, XPT_OPT_STR, XPT_BO(rules), "FILE", XPT_RDMA_RULES_HELP, 0 },
	{ "method", 'm', XPT_OPT_LIST, XPT_BO(methods), "NAME", "only this method, or a glob; may be given "
	  "again", 0 },
	{ "kernel", 0, XPT_OPT_LIST, XPT_BO(kernels), "NAME", "only of this kernel, or a glob; may be given "
	  "again", 0 },
	{ "older", 0, XPT_OPT_DURATION, XPT_BO(older_ns), "TIME", "only what was not seen for this time "
	  "(720h)", 0 },
	{ "json", 0, XPT_OPT_FLAG, XPT_BO(json), 0, "as JSON, a line for each kind", 0 },
	{ 0 },
};

static int cmd_baseline(int argc, char **argv)
{
	static const char *const words[] = { "list", "show", "prune", "export", "import" };
	struct baseline b = { .taken = 0 };
	int rest, status;
	unsigned i;

	status = xpt_opt__parse(&xpt_rdma_cmd_baseline, argc, argv, &b.opts, &rest);
	if (status >= 0)
		return status;
	for (i = 0; i < 5 && (rest >= argc || strcmp(argv[rest], words[i])); i++)
		;
	if (i == 5)
		return xpt_opt__usage(&xpt_rdma_cmd_baseline, "list, show, prune, export or import?");
	xpt_strbuf__init(&b.sb, LINE_MAX_);
	status = run_action(&b, words[i], argv + rest + 1, argc - rest - 1);
	if (xpt_rdma_files__close(&b.files) && status == XPT_EXIT_OK)
		status = XPT_EXIT_FAILED;
	xpt_strbuf__free(&b.sb);
	return status;
}

const struct xpt_cmd xpt_rdma_cmd_baseline = {
	.name = "rdma baseline", .args = "list|show|prune|export|import [OPTIONS] [FILE...]",
	.summary = "good calls that failed ones are compared with",
	.opts = opts,
	.examples = "  xputrace rdma baseline list\n"
		    "  xputrace rdma baseline show --method modify_qp\n"
		    "  xputrace rdma baseline prune --older 720h\n"
		    "  xputrace rdma baseline import good.jsonl\n",
	.run = cmd_baseline,
};
