// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace attach: traces processes that run already, or that start later
 * and have a given name, user or cgroup, or all of them. Stops nobody and leaves no probe behind.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/args/pids.h"
#include "cli/args/trace_rows.h"
#include "cli/command.h"
#include "session/live_trace.h"

struct attach_opts {
	struct xpt_trace_opts t;	/* first: shared rows use its offsets */
	struct xpt_list pids;
	struct xpt_targets_opts sel;
	bool all;
};

struct attach {
	struct xpt_trace trace;
	struct attach_opts opts;
	const struct xpt_cmd *cmd;
	struct xpt_pids pids;
};

static void on_signal(int sig, siginfo_t *info, void *ctx)
{
	(void)sig, (void)info, (void)ctx;
	xpt_trace__interrupt();
}

static int trace_targets(struct attach *a)
{
	uint32_t reason = XPT_END_INTERRUPTED;
	int err, status = XPT_EXIT_OK;

	while (!xpt_interrupts) {
		if (xpt_engine__targets_gone(a->trace.engine)) {
			xpt_info("the traced processes have ended");
			reason = XPT_END_NO_TARGETS;
			break;
		}
		err = xpt_trace__step(&a->trace);
		if (err) {
			xpt_err(err, "cannot go on tracing: %s", strerror(-err));
			status = XPT_EXIT_FAILED;
			break;
		}
	}
	return xpt_trace__close(&a->trace, status, -1, reason);
}

#define XPT_AO(m) offsetof(struct attach_opts, m)

static const struct xpt_opt opts[] = {
	{ "pid", 'p', XPT_OPT_LIST, XPT_AO(pids), "PID[,PID]", "trace these processes and the "
	  "children they start", 0 },
	XPT_TARGETS_OPTIONS(struct attach_opts, sel),
	{ "all", 'a', XPT_OPT_FLAG, XPT_AO(all), 0, "trace every process", 0 },
	XPT_TRACE_OPTIONS,
	{ 0 },
};

/* Who is traced. -1 or an exit status. */
static int choose_targets(struct attach *a)
{
	int status = xpt_pids__read(&a->pids, a->cmd, &a->opts.pids, &a->opts.sel);

	a->trace.opts = a->opts.t;
	a->trace.where = (struct xpt_functions_where){
		.loader = !a->pids.nr,
		.ld_library_path = getenv("LD_LIBRARY_PATH"),
		.pids = a->pids.pid,
		.nr_pids = a->pids.nr,
	};
	return status;
}

static bool is_stopped(void)
{
	return xpt_interrupts > 0;
}

static int attach_targets(struct attach *a)
{
	struct xpt_engine_cfg targets = { 0 };
	int status = choose_targets(a);

	if (status >= 0)
		return status;
	targets.all = !a->pids.select && a->opts.all;
	targets.select = a->pids.select;
	targets.open = !a->pids.nr;
	targets.stopped = is_stopped;
	status = xpt_trace__open(&a->trace, a->cmd->name, &targets);
	if (status >= 0)
		return status;
	xpt_trace__hurry(false);
	xpt_trace__catch_signals(on_signal);
	status = xpt_trace__start(&a->trace);
	xpt_trace__drop_rights(&a->trace);	/* before anything that belongs to strangers is looked at */
	if (status < 0)
		status = xpt_pids__add_targets(&a->pids, a->trace.engine);
	if (status >= 0) {
		xpt_trace__abort(&a->trace);
		return status;
	}
	if (a->opts.t.only_hooks)
		xpt_info("hooks are in place; Ctrl-C ends");
	else
		xpt_debug("probes are in place; Ctrl-C ends");
	return trace_targets(a);	/* the selection goes with the process: the engine has it until the end */
}

static struct attach the_attach;	/* large; zeroed */

int xpt_attach__trace(const struct xpt_cmd *cmd, const struct xpt_trace_opts *opts_,
		      const struct xpt_list *pids, bool all)
{
	the_attach.cmd = cmd;
	the_attach.opts = (struct attach_opts){ .t = *opts_, .pids = *pids, .all = all };
	return attach_targets(&the_attach);
}

static int run_attach(int argc, char **argv)
{
	struct attach_opts *o = &the_attach.opts;
	int rest, status;

	the_attach.cmd = &xpt_cmd_attach;
	o->t = (struct xpt_trace_opts)XPT_TRACE_DEFAULTS;
	status = xpt_opt__parse(&xpt_cmd_attach, argc, argv, o, &rest);
	if (status >= 0)
		return status;
	if (rest < argc) {
		xpt_opt__report_alone(argv, rest);
		return xpt_opt__usage(&xpt_cmd_attach, "unexpected '%s' (a process id needs -p)",
				      argv[rest]);
	}
	if (!o->pids.n && !o->all && !xpt_targets__given(&o->sel))
		return xpt_opt__usage(&xpt_cmd_attach, "which processes? -p, --comm, --uid, "
				      "--cgroup, --container or --all");
	if (o->pids.n && o->all)
		return xpt_opt__usage(&xpt_cmd_attach, "-p and --all exclude each other");
	return attach_targets(&the_attach);
}

const struct xpt_cmd xpt_cmd_attach = {
	.name = "attach",
	.args = "-p PID[,PID] | --comm GLOB | --uid USER | --cgroup PATH |\n"
		"                       --container ID | --all [OPTIONS]",
	.summary = "trace processes that run already, until they end or Ctrl-C",
	.opts = opts,
	.examples = "  sudo xputrace attach -p 4711\n"
		    "  sudo xputrace attach --comm python3 -o t.xtr\n"
		    "  sudo xputrace attach --container 3f4e5d6c7b8a --uid 1000\n"
		    "  sudo xputrace attach --all --counters      # who uses the GPU, and how\n",
	.run = run_attach,
};
