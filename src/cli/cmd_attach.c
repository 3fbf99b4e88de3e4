// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace attach: traces processes that run already, or that start later
 * under a given name, or all of them. Stops nobody and leaves no probe behind.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "cli/trace.h"
#include "engine/maps.h"

struct attach_opts {
	struct xpt_trace_opts t;	/* first: shared rows use its offsets */
	struct xpt_list pids;
	const char *comm;
	bool all;
};

struct attach {
	struct xpt_trace trace;
	struct attach_opts opts;
	unsigned nr_found;
};

static void on_signal(int sig, siginfo_t *info, void *ctx)
{
	(void)sig, (void)info, (void)ctx;
	xpt_interrupts = xpt_interrupts + 1;
}

/* -p 12 -p 13 and -p 12,13 alike. -1 or an exit status. */
static int add_pid_list(struct attach *a, const char *list)
{
	char item[24];
	uint64_t pid;
	int err;

	while (*list) {
		size_t n = strcspn(list, ",");

		snprintf(item, sizeof(item), "%.*s", (int)n, list);
		if (xpt_parse_u64(item, 1, INT32_MAX, &pid))
			return xpt_opt__usage(&xpt_cmd_attach, "'%s' is not a process id", item);
		err = xpt_engine__add_pid(a->trace.engine, (int)pid);
		if (err == -ESRCH)
			xpt_err(err, "process %s does not exist (any more)", item);
		else if (err)
			xpt_err(err, "cannot trace process %s: %s", item, strerror(-err));
		else
			a->nr_found++;
		list += n + (list[n] == ',');
	}
	return -1;
}

static int add_if_named(void *ctx, int pid)
{
	struct attach *a = ctx;
	struct xpt_procinfo info;

	if (!xpt_proc__read(pid, &info) && !strcmp(info.comm, a->opts.comm) &&
	    !xpt_engine__add_pid(a->trace.engine, pid))
		a->nr_found++;
	return 0;
}

/* -1 or an exit status. */
static int add_targets(struct attach *a)
{
	unsigned i;
	int status = -1;

	for (i = 0; status < 0 && i < a->opts.pids.n; i++)
		status = add_pid_list(a, a->opts.pids.v[i]);
	if (status >= 0)
		return status;
	if (a->opts.pids.n && !a->nr_found)
		return XPT_EXIT_NOTHING;
	if (a->opts.comm) {
		xpt_proc__each(add_if_named, a);
		if (!a->nr_found)
			xpt_info("no process is called '%s' yet; waiting for one", a->opts.comm);
	}
	if (a->opts.all)
		xpt_engine__add_all(a->trace.engine);
	return -1;
}

static int trace(struct attach *a)
{
	uint32_t reason = 1;

	while (!xpt_interrupts) {
		if (xpt_engine__targets_gone(a->trace.engine)) {
			xpt_info("the traced processes have ended");
			reason = 2;
			break;
		}
		if (xpt_trace__step(&a->trace))
			break;
	}
	return xpt_trace__close(&a->trace, XPT_EXIT_OK, -1, reason);
}

#define XPT_AO(m) offsetof(struct attach_opts, m)

static const struct xpt_opt opts[] = {
	{ "pid", 'p', XPT_OPT_LIST, XPT_AO(pids), "PID[,PID]", "trace these processes and the "
	  "children they start", 0 },
	{ "comm", 0, XPT_OPT_STR, XPT_AO(comm), "NAME", "trace processes of this name (as in "
	  "/proc/PID/comm), also those that start later", 0 },
	{ "all", 0, XPT_OPT_FLAG, XPT_AO(all), 0, "trace every process", 0 },
	XPT_TRACE_OPTIONS,
	{ 0 },
};

static int run(int argc, char **argv)
{
	static struct attach a;	/* large; zeroed */
	struct xpt_engine_cfg targets = { 0 };
	int rest, status;

	a.opts.t = (struct xpt_trace_opts)XPT_TRACE_DEFAULTS;
	status = xpt_opt__parse(&xpt_cmd_attach, argc, argv, &a.opts, &rest);
	if (status >= 0)
		return status;
	if (rest < argc)
		return xpt_opt__usage(&xpt_cmd_attach, "unexpected '%s' (a process id needs -p)",
				      argv[rest]);
	if (!!a.opts.pids.n + !!a.opts.comm + a.opts.all != 1)
		return xpt_opt__usage(&xpt_cmd_attach, "which processes? one of -p, --comm, --all");
	a.trace.opts = a.opts.t;
	targets.all = a.opts.all;
	targets.comm = a.opts.comm;
	status = xpt_trace__open(&a.trace, &xpt_cmd_attach, &targets);
	if (status >= 0)
		return status;
	xpt_trace__catch_signals(on_signal);
	if (xpt_engine__start(a.trace.engine))
		xpt_warn("processes cannot be followed here: children are not traced");
	status = add_targets(&a);
	if (status >= 0) {
		xpt_trace__abort(&a.trace);
		return status;
	}
	return trace(&a);
}

const struct xpt_cmd xpt_cmd_attach = {
	.name = "attach",
	.args = "-p PID[,PID] | --comm NAME | --all [OPTIONS]",
	.summary = "trace processes that run already, until they end or Ctrl-C",
	.opts = opts,
	.examples = "  sudo xputrace attach -p 4711\n"
		    "  sudo xputrace attach --comm python3 -o t.xtr\n"
		    "  sudo xputrace attach --all --counters      # who uses the GPU, and how\n",
	.run = run,
};
