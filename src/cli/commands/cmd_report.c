// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace report, replay, convert: a recording as a summary, as the live
 * table and a summary, or as another file format.
 */
#include <string.h>

#include "base/parse.h"
#include "cli/args/sections.h"
#include "cli/args/trace_rows.h"
#include "cli/opt.h"
#include "recordings/compare.h"
#include "session/read.h"
#include "session/traces.h"

struct report_opts {
	bool json, csv, all, all_errors, compare, raw, quiet, phases;
	const char *fail_above;
	struct xpt_list sections, show;
	unsigned color, weight, clock;
	uint64_t max_size;
	struct xpt_list outs;
};

#define XPT_RO(m) offsetof(struct report_opts, m)

static const struct xpt_opt report_opts[] = {
	{ "all", 0, XPT_OPT_FLAG, XPT_RO(all), 0, "with the tables that the summary leaves out",
	  0 },
	{ "section", 's', XPT_OPT_LIST, XPT_RO(sections), "NAMES", "these sections only: keys of "
	  "the JSON report, commas between them; may be given again", 0 },
	{ "json", 0, XPT_OPT_FLAG, XPT_RO(json), 0, "as JSON", 0 },
	{ "csv", 0, XPT_OPT_FLAG, XPT_RO(csv), 0, "as comma-separated values; best with one "
	  "--section", 0 },
	{ "compare", 0, XPT_OPT_FLAG, XPT_RO(compare), 0, "two recordings: what became slower, "
	  "more or new from the first to the second", 0 },
	{ "fail-above", 0, XPT_OPT_STR, XPT_RO(fail_above), "PCT%", "with --compare: exit status 1 "
	  "if calls became slower by more than this", 0 },
	{ "clock", 0, XPT_OPT_CHOICE, XPT_RO(clock), "WHICH", XPT_CLOCK_HELP, "trace|wall" },
	{ "all-errors", 0, XPT_OPT_FLAG, XPT_RO(all_errors), 0, XPT_ALL_ERRORS_HELP, 0 },
	{ "raw", 0, XPT_OPT_FLAG, XPT_RO(raw), 0, "plain numbers: bytes and nanoseconds", 0 },
	{ "color", 0, XPT_OPT_CHOICE, XPT_RO(color), "WHEN", "auto, always or never",
	  "auto|always|never" },
	{ 0 },
};

static const struct xpt_opt replay_opts[] = {
	{ "show", 0, XPT_OPT_LIST, XPT_RO(show), "COLUMNS", XPT_SHOW_HELP, XPT_SHOW_CHOICES },
	{ "clock", 0, XPT_OPT_CHOICE, XPT_RO(clock), "WHICH", XPT_CLOCK_HELP, "trace|wall" },
	{ "all-errors", 0, XPT_OPT_FLAG, XPT_RO(all_errors), 0, XPT_ALL_ERRORS_HELP, 0 },
	{ "raw", 0, XPT_OPT_FLAG, XPT_RO(raw), 0, "plain numbers: bytes and nanoseconds", 0 },
	{ "color", 0, XPT_OPT_CHOICE, XPT_RO(color), "WHEN", "auto, always or never",
	  "auto|always|never" },
	{ 0 },
};

static const struct xpt_opt convert_opts[] = {
	{ "output", 'o', XPT_OPT_LIST, XPT_RO(outs), "FILE", "write to FILE, by its extension: "
	  ".xtr, .jsonl, .csv, .json (Chrome trace), .pftrace (Perfetto), .svg (flame "
	  "graph), or .folded (its input for other tools), or - (JSON lines to standard output); may be given "
	  "again", 0 },
	{ "weight", 0, XPT_OPT_CHOICE, XPT_RO(weight), "WHAT", "flame graphs of time (default), "
	  "bytes or count", "time|bytes|count" },
	{ "all-errors", 0, XPT_OPT_FLAG, XPT_RO(all_errors), 0, XPT_ALL_ERRORS_HELP, 0 },
	{ "phases", 0, XPT_OPT_FLAG, XPT_RO(phases), 0, "JSONL: separate objects for begin and "
	  "end of a call", 0 },
	{ "max-size", 0, XPT_OPT_SIZE, XPT_RO(max_size), "SIZE", "stop writing calls to a file at "
	  "this size (default: no limit)", 0 },
	{ 0 },
};

/* Parses options and the one operand, two with --compare. -1 or an exit status. */
static int parse_args(const struct xpt_cmd *cmd, int argc, char **argv, struct report_opts *o,
		      const char *ret_path[2])
{
	int rest, status = xpt_opt__parse(cmd, argc, argv, o, &rest);

	if (status >= 0)
		return status;
	if (!argv[rest])
		return xpt_opt__usage(cmd, "which recording?%s (- reads standard input)", xpt_traces__hint());
	ret_path[0] = argv[rest];
	ret_path[1] = argv[rest + 1];
	if (o->compare && !ret_path[1])
		return xpt_opt__usage(cmd, "compare %s with what?", argv[rest]);
	if (ret_path[1] && (!o->compare || argv[rest + 2]))
		return xpt_opt__usage(cmd, "unexpected '%s'", argv[rest + 1 + o->compare]);
	return -1;
}

static int compare_two(const char *const path[2], const struct xpt_outputs_cfg *cfg,
		       const struct report_opts *o)
{
	uint64_t ppm = 0;

	if (o->sections.n)
		return xpt_opt__usage(&xpt_cmd_report, "--section is not for comparisons");
	if (!strcmp(path[0], path[1]) && !strcmp(path[0], "-"))
		return xpt_opt__usage(&xpt_cmd_report, "only one of them can be standard input");
	if (o->fail_above && xpt_parse_share(o->fail_above, 0, 1000000000, &ppm))
		return xpt_opt__usage(&xpt_cmd_report, "'%s' is not a share, such as 5%%",
				      o->fail_above);
	return xpt_compare(path[0], path[1], cfg, o->fail_above, ppm);
}

static int run_report(int argc, char **argv)
{
	struct report_opts o = { 0 };
	struct xpt_outputs_cfg cfg = { .summary = true };
	const struct xpt_schema *sections[XPT_MAX_SECTIONS + 1];
	const char *path[2];
	int status = parse_args(&xpt_cmd_report, argc, argv, &o, path);

	if (status >= 0)
		return status;
	if (o.json && o.csv)
		return xpt_opt__usage(&xpt_cmd_report, "--json or --csv, not both");
	if (o.fail_above && !o.compare)
		return xpt_opt__usage(&xpt_cmd_report, "--fail-above is for --compare");
	if (xpt_sections__parse(&o.sections, sections))
		return XPT_EXIT_USAGE;
	cfg.sections = o.sections.n ? sections : NULL;
	cfg.all = o.all;
	cfg.wall = o.clock;
	cfg.json = o.json;
	cfg.csv = o.csv;
	cfg.raw = o.raw;
	cfg.all_errors = o.all_errors;
	cfg.color = o.color;
	return o.compare ? compare_two(path, &cfg, &o) : xpt_read__recording(path[0], &cfg);
}

static int run_replay(int argc, char **argv)
{
	struct report_opts o = { 0 };
	struct xpt_outputs_cfg cfg = { .live = true, .summary = true };
	const char *path[2];
	int status = parse_args(&xpt_cmd_replay, argc, argv, &o, path);

	if (status >= 0)
		return status;
	cfg.raw = o.raw;
	cfg.all_errors = o.all_errors;
	cfg.color = o.color;
	cfg.show = xpt_show__of(&o.show);
	cfg.wall = o.clock;
	return xpt_read__recording(path[0], &cfg);
}

static int run_convert(int argc, char **argv)
{
	struct report_opts o = { 0 };
	struct xpt_outputs_cfg cfg = { 0 };
	const char *path[2];
	int status = parse_args(&xpt_cmd_convert, argc, argv, &o, path);

	if (status >= 0)
		return status;
	if (!o.outs.n)
		return xpt_opt__usage(&xpt_cmd_convert, "to what? -o FILE.jsonl");
	cfg.files = o.outs.v;
	cfg.phases = o.phases;
	cfg.all_errors = o.all_errors;
	cfg.weight = o.weight;
	cfg.max_bytes = o.max_size;
	return xpt_read__recording(path[0], &cfg);
}

const struct xpt_cmd xpt_cmd_report = {
	.name = "report",
	.args = "FILE [FILE] [OPTIONS]",
	.summary = "the summary of a recording",
	.opts = report_opts,
	.examples = "  xputrace report t.xtr\n  xputrace report t.xtr --json | jq .leaks\n"
		    "  xputrace report t.xtr --csv --section functions >functions.csv\n"
		    "  xputrace report --compare before.xtr after.xtr\n",
	.run = run_report,
};

const struct xpt_cmd xpt_cmd_replay = {
	.name = "replay",
	.args = "FILE [OPTIONS]",
	.summary = "show a recording as if it were traced now",
	.opts = replay_opts,
	.examples = "  xputrace replay t.xtr | less\n",
	.run = run_replay,
};

const struct xpt_cmd xpt_cmd_convert = {
	.name = "convert",
	.args = "FILE -o OUT",
	.summary = "turn a recording into another format",
	.opts = convert_opts,
	.examples = "  xputrace convert t.xtr -o t.jsonl\n",
	.run = run_convert,
};
