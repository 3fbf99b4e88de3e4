// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace top: which processes use accelerators now, and how. Where an agent counts already, it is asked; else top
 * traces for itself, counts only: single calls are not recorded.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/time.h"
#include "cli/args/pids.h"
#include "cli/commands/top_agent.h"
#include "cli/commands/top_output.h"
#include "cli/opt.h"
#include "session/live_trace.h"
#include "snapshot/local.h"

#define DEFAULT_NS 1000000000ull
#define INTERVAL_MIN_NS 100000000ull
/* Time after the end of the processes until all records of them have arrived. */
#define SETTLE_NS 300000000ull
#define INTERVAL_MAX_NS 3600000000000ull

struct top_opts {
	struct xpt_trace_opts t;
	struct xpt_list pids;
	struct xpt_targets_opts sel;
	uint64_t interval_ns;
	bool once, no_agent;
	const char *socket;		/* of an agent; NULL: the usual one */
};

struct top {
	struct xpt_trace trace;
	struct top_opts opts;
	struct xpt_pids pids;
	struct xpt_top_output output;
	int bad;			/* a snapshot that could not be read: -errno */
};

static struct top the_top;		/* large; zeroed */

static void handle_signal(int sig, siginfo_t *info, void *ctx)
{
	(void)sig, (void)info, (void)ctx;
	xpt_trace__interrupt();
}

static bool is_stopped(void)
{
	return xpt_interrupts > 0;
}

/* --- its own trace -------------------------------------------------------------------------------- */

static void take_document(void *ctx, const struct xpt_strbuf *document)
{
	struct top *t = ctx;
	int err = xpt_top_output__take(&t->output, document->s, document->len);

	t->bad = t->bad ? t->bad : err;
}

/* Counts and nothing else: no table, no file of calls, no summary. */
static struct xpt_trace_opts make_trace_opts(const struct top_opts *o)
{
	struct xpt_trace_opts t = o->t;

	t.counters = t.quiet = t.no_file = t.no_summary = t.unattended = true;
	t.json = false;			/* asks for a summary */
	t.snapshot_ns = o->interval_ns;
	return t;
}

static void name_source(struct top *t)
{
	if (t->pids.nr == 1)
		xpt_top_output__set_source(&t->output, "its own trace of process %d", t->pids.pid[0]);
	else if (t->pids.nr || t->pids.select)
		xpt_top_output__set_source(&t->output, "its own trace of %s", t->pids.nr ? "some of them" : "those selected");
	else
		xpt_top_output__set_source(&t->output, "its own trace of all");
}

static int check_output(const struct top *t)
{
	if (t->bad)
		return xpt_err(t->bad, "the counts cannot be shown: %s",
			       t->bad == -E2BIG ? "the snapshot is too large" : strerror(-t->bad));
	if (t->output.err && t->output.err != -EPIPE)
		return xpt_err(t->output.err, "cannot write standard output: %s", strerror(-t->output.err));
	return 0;
}

static int step_trace(struct top *t)
{
	int err = xpt_trace__step(&t->trace);

	return err ? xpt_err(err, "cannot go on tracing: %s", strerror(-err)) : check_output(t);
}

/* Writes the counts since the last document, or all of them, where the processes end before the
 * interval is over. */
static int show_last_counts(struct top *t)
{
	uint64_t end_ns = xpt_now_ns() + SETTLE_NS;
	int err = 0;

	if (t->output.screen)
		return 0;		/* it goes with them */
	while (!err && xpt_now_ns() < end_ns)
		err = step_trace(t);
	if (err || t->output.done)
		return err;
	t->output.is_last = true;
	xpt_snapshot_page__write_last(&t->trace.snapshots, t->trace.engine);
	return check_output(t);
}

static int watch_trace(struct top *t)
{
	int err = 0, status;

	while (!err && !t->output.done && !xpt_interrupts) {
		if (xpt_engine__targets_gone(t->trace.engine)) {
			xpt_info("the traced processes have ended");
			err = show_last_counts(t);
			break;
		}
		err = step_trace(t);
		xpt_top_output__step(&t->output);
	}
	xpt_top_output__free(&t->output);	/* the screen goes first: the end of the trace may take long */
	status = xpt_trace__close(&t->trace, err ? XPT_EXIT_FAILED : XPT_EXIT_OK, -1, XPT_END_INTERRUPTED);
	return status;
}

static int trace_processes(struct top *t)
{
	struct xpt_engine_cfg targets = { .stopped = is_stopped };
	int status = xpt_pids__read(&t->pids, &xpt_cmd_top, &t->opts.pids, &t->opts.sel);

	if (status >= 0)
		return status;
	name_source(t);
	t->trace.opts = make_trace_opts(&t->opts);
	t->trace.where = (struct xpt_functions_where){
		.loader = !t->pids.nr, .ld_library_path = getenv("LD_LIBRARY_PATH"), .pids = t->pids.pid,
		.nr_pids = t->pids.nr,
	};
	t->trace.snapshots.take = take_document;
	t->trace.snapshots.take_ctx = t;
	targets.all = !t->pids.select && !t->pids.nr;
	targets.select = t->pids.select;
	targets.open = !t->pids.nr;
	status = xpt_trace__open(&t->trace, "top", &targets);
	if (status >= 0)
		return status;
	xpt_trace__hurry(false);
	xpt_trace__catch_signals(handle_signal);
	status = xpt_trace__start(&t->trace);
	xpt_trace__drop_rights(&t->trace);
	if (status < 0)
		status = xpt_pids__add_targets(&t->pids, t->trace.engine);
	if (status >= 0) {
		xpt_trace__abort(&t->trace);
		return status;
	}
	xpt_debug("probes are in place; Ctrl-C ends");
	if (t->output.mode == XPT_TOP_ON_SCREEN)
		status = xpt_top_output__open_screen(&t->output);
	if (status > 0) {
		xpt_trace__abort(&t->trace);
		return status;
	}
	return watch_trace(t);
}

/* --- the command ----------------------------------------------------------------------------------- */

#define XPT_TOP(m) offsetof(struct top_opts, m)

static const struct xpt_opt opts[] = {
	{ "once", 0, XPT_OPT_FLAG, XPT_TOP(once), 0, "write one page after one interval, and exit", 0 },
	{ "json", 0, XPT_OPT_FLAG, XPT_TOP(t.json), 0, "JSON instead of a screen: a document each interval, one a line; "
	  "with --once a single one", 0 },
	{ "interval", 0, XPT_OPT_DURATION, XPT_TOP(interval_ns), "TIME", "how often the numbers are new (default 1s)", 0 },
	{ "no-agent", 0, XPT_OPT_FLAG, XPT_TOP(no_agent), 0, "trace for itself, also where an agent counts already", 0 },
	{ "socket", 0, XPT_OPT_STR, XPT_TOP(socket), "PATH", "ask the agent there (default " XPT_LOCAL_SOCKET ", if there is "
	  "one and no option names what to trace)", 0 },
	{ "pid", 'p', XPT_OPT_LIST, XPT_TOP(pids), "PID[,PID]", "trace these processes and the children they start", 0 },
	XPT_TARGETS_OPTIONS(struct top_opts, sel),
	{ "domain", 'd', XPT_OPT_LIST, XPT_TOP(t.domains), "NAME", "count calls of this domain only (cuda, cudart, nccl, "
	  "verbs, ...); may be given again", 0 },
	{ "function", 'f', XPT_OPT_LIST, XPT_TOP(t.functions), "GLOB", "count calls of functions whose name matches only; "
	  "!GLOB: of all others; may be given again", 0 },
	{ "devices", 0, XPT_OPT_PERIOD, XPT_TOP(t.readings_ns), "TIME", "read GPUs (NVML), RDMA ports and NVMe controllers "
	  "every TIME (1s)", 0 },
	{ "verbose", 'v', XPT_OPT_FLAG, XPT_TOP(t.verbose), 0, "say what is done", 0 },
	{ 0 },
};

static enum xpt_top_mode find_mode(const struct top_opts *o)
{
	if (o->once)
		return o->t.json ? XPT_TOP_DOCUMENT : XPT_TOP_PAGE;
	return o->t.json ? XPT_TOP_DOCUMENTS : XPT_TOP_ON_SCREEN;
}

/* An agent counts everything: where something else was asked for, it cannot help. */
static bool may_ask_agent(const struct top_opts *o)
{
	return !o->no_agent && !o->pids.n && !xpt_targets__given(&o->sel) && !o->t.domains.n && !o->t.functions.n &&
	       !o->t.readings_ns;
}

/* Follows the agent until the end. Returns true if it did so, or if the command needs an agent that is not there. */
static bool ask_agent(struct top *t, int *ret_status)
{
	const struct top_opts *o = &t->opts;

	if (!o->socket && !may_ask_agent(o))
		return false;
	if (xpt_top_agent__follow(&t->output, o->socket ? o->socket : XPT_LOCAL_SOCKET, ret_status))
		return true;
	if (o->socket)
		*ret_status = xpt_err(XPT_EXIT_FAILED, "no agent answers at %s", o->socket);
	return o->socket;
}

static int run_top(int argc, char **argv)
{
	struct top *t = &the_top;
	struct top_opts *o = &t->opts;
	int rest, status;

	o->t = (struct xpt_trace_opts)XPT_TRACE_DEFAULTS;
	o->interval_ns = DEFAULT_NS;
	status = xpt_opt__parse(&xpt_cmd_top, argc, argv, o, &rest);
	if (status >= 0)
		return status;
	if (rest < argc)
		return xpt_opt__usage(&xpt_cmd_top, "unexpected '%s' (a process id needs -p)", argv[rest]);
	if (o->socket && (o->no_agent || !may_ask_agent(o)))
		return xpt_opt__usage(&xpt_cmd_top, "--socket names an agent, which counts everything: options of an own "
				      "trace exclude it");
	if (o->interval_ns < INTERVAL_MIN_NS || o->interval_ns > INTERVAL_MAX_NS)
		return xpt_opt__usage(&xpt_cmd_top, "--interval: from 100ms to 1h");
	if (find_mode(o) == XPT_TOP_ON_SCREEN && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		return xpt_opt__usage(&xpt_cmd_top, "standard output is no terminal: --once writes one page, --json "
				      "documents for programs");
	xpt_top_output__init(&t->output, find_mode(o), o->interval_ns);
	if (ask_agent(t, &status))
		return status;
	if (!o->t.readings_ns)
		o->t.readings_ns = DEFAULT_NS;
	return trace_processes(t);
}

const struct xpt_cmd xpt_cmd_top = {
	.name = "top",
	.args = "[OPTIONS]",
	.summary = "which processes use accelerators now, and how: a screen of numbers",
	.opts = opts,
	.examples = "  sudo xputrace top\n"
		    "  sudo xputrace top --once                  # one page\n"
		    "  sudo xputrace top --once --json -p 4711\n"
		    "  sudo xputrace top --json --interval 5s    # a document every 5 s\n",
	.run = run_top,
};
