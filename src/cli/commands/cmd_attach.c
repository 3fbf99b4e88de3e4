// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace attach: traces processes that run already, or that start later
 * and have a given name, user or cgroup, or all of them. Stops nobody and leaves no probe behind.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/args/trace_opts.h"
#include "base/log.h"
#include "base/parse.h"
#include "cli/command.h"
#include "cli/args/targets.h"
#include "session/trace.h"
#include "proc/maps.h"

#define MAX_PIDS 1024

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
	struct xpt_select *select;	/* NULL: nothing was selected by */
	int pids[MAX_PIDS];
	unsigned nr_asked, nr_pids, nr_found;
};

static void on_signal(int sig, siginfo_t *info, void *ctx)
{
	(void)sig, (void)info, (void)ctx;
	xpt_trace__interrupt();
}

/* The process of a process or thread id, from /proc/ID/status. 0: it is a good
 * target, else a message was given. */
static int check_pid(uint64_t id, int *ret_pid)
{
	char path[64], line[256], state = 0;
	long long tgid = 0, kthread = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%llu/status", (unsigned long long)id);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "State: %c", &state);
		sscanf(line, "Tgid: %lld", &tgid);
		sscanf(line, "Kthread: %lld", &kthread);
	}
	if (f)
		fclose(f);
	if (tgid <= 0)
		return xpt_err(-ESRCH, "process %llu does not exist", (unsigned long long)id);
	if (state == 'Z' || state == 'X')
		return xpt_err(-ESRCH, "process %llu has ended already", (unsigned long long)id);
	if (kthread == 1)
		return xpt_err(-ESRCH, "%llu is a thread of the kernel: it calls no library",
			       (unsigned long long)id);
	if ((uint64_t)tgid != id)
		xpt_info("%llu is a thread of process %lld: tracing the whole process",
			 (unsigned long long)id, tgid);
	*ret_pid = (int)tgid;
	return 0;
}

/* What else was asked for holds for processes named by their id, too. */
static bool is_selected(struct attach *a, int pid)
{
	struct xpt_procinfo info;
	const char *why;

	if (!a->select)
		return true;
	if (xpt_select__by_comm(a->select) &&
	    (xpt_proc__read(pid, &info) || !xpt_select__comm_matches(a->select, info.comm)))
		why = "name";
	else
		why = xpt_select__why_not(a->select, pid);
	if (why)
		xpt_err(0, "process %d is left out: it has another %s", pid, why);
	return !why;
}

/* -p 12 -p 13 and -p 12,13 alike. -1 or an exit status. */
static int read_pid_list(struct attach *a, const char *list)
{
	char item[24];
	uint64_t id;

	while (*list || !a->nr_asked) {
		size_t n = strcspn(list, ",");

		snprintf(item, sizeof(item), "%.*s", (int)n, list);
		if (xpt_parse_u64(item, 1, INT32_MAX, &id))
			return xpt_opt__usage(a->cmd, "'%s' is not a process id", item);
		if (a->nr_pids == MAX_PIDS)
			return xpt_opt__usage(a->cmd, "more than %d processes", MAX_PIDS);
		a->nr_asked++;
		if (!check_pid(id, &a->pids[a->nr_pids]) && is_selected(a, a->pids[a->nr_pids]))
			a->nr_pids++;
		list += n + (list[n] == ',');
	}
	return -1;
}

/* Before anything is loaded or written. -1 or an exit status. */
static int read_pids(struct attach *a)
{
	int status = -1;
	unsigned i;

	for (i = 0; status < 0 && i < a->opts.pids.n; i++)
		status = read_pid_list(a, a->opts.pids.v[i]);
	return status < 0 && a->nr_asked && !a->nr_pids ? XPT_EXIT_NOTHING : status;
}

/* False: all have ended meanwhile. */
static bool add_pids(struct attach *a)
{
	unsigned i;
	int err;

	for (i = 0; i < a->nr_pids; i++) {
		err = xpt_engine__add_pid(a->trace.engine, a->pids[i]);
		if (err == -ESRCH)
			xpt_err(err, "process %d has ended", a->pids[i]);
		else if (err)
			xpt_err(err, "cannot trace process %d: %s", a->pids[i], strerror(-err));
		else
			a->nr_found++;
	}
	return a->nr_found || !a->nr_pids;
}

static int add_if_named(void *ctx, int pid)
{
	struct attach *a = ctx;
	struct xpt_procinfo info;

	if (!xpt_proc__read(pid, &info) && xpt_select__comm_matches(a->select, info.comm) &&
	    !xpt_select__why_not(a->select, pid) && !xpt_engine__add_pid(a->trace.engine, pid))
		a->nr_found++;
	return 0;
}

/* Processes by name are told at once; others when they make a call. */
static void add_selected(struct attach *a)
{
	if (a->select && xpt_select__by_comm(a->select)) {
		xpt_proc__each(add_if_named, a);
		if (!a->nr_found)
			xpt_info("no process is called '%s' yet; waiting for one",
				 a->opts.sel.comms.v[0]);
	}
	xpt_engine__add_all(a->trace.engine);
}

/* -1 or an exit status. */
static int add_targets(struct attach *a)
{
	if (!add_pids(a))
		return XPT_EXIT_NOTHING;
	/* Programs that start later are to be seen from their first call. */
	if (!a->nr_pids) {
		xpt_engine__preload(a->trace.engine, NULL, getenv("LD_LIBRARY_PATH"));
		add_selected(a);
	}
	return -1;
}

static int trace(struct attach *a)
{
	uint32_t reason = 1;
	int err, status = XPT_EXIT_OK;

	while (!xpt_interrupts) {
		if (xpt_engine__targets_gone(a->trace.engine)) {
			xpt_info("the traced processes have ended");
			reason = 2;
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
	{ "all", 0, XPT_OPT_FLAG, XPT_AO(all), 0, "trace every process", 0 },
	XPT_TRACE_OPTIONS,
	{ 0 },
};

/* Who is traced. -1 or an exit status. */
static int prepare(struct attach *a)
{
	int status = xpt_targets__select(a->cmd, &a->opts.sel, &a->select);

	if (status >= 0)
		return status;
	a->trace.opts = a->opts.t;
	status = read_pids(a);
	a->trace.where = (struct xpt_functions_where){
		.loader = !a->nr_pids,
		.ld_library_path = getenv("LD_LIBRARY_PATH"),
		.pids = a->pids,
		.nr_pids = a->nr_pids,
	};
	return status;
}

static bool is_stopped(void)
{
	return xpt_interrupts > 0;
}

static int attach(struct attach *a)
{
	struct xpt_engine_cfg targets = { 0 };
	int status = prepare(a);

	if (status >= 0)
		return status;
	targets.all = !a->select && a->opts.all;
	targets.select = a->select;
	targets.open = !a->nr_pids;
	targets.stopped = is_stopped;
	status = xpt_trace__open(&a->trace, a->cmd->name, &targets);
	if (status >= 0)
		return status;
	xpt_trace__hurry();
	xpt_trace__catch_signals(on_signal);
	status = xpt_trace__start(&a->trace);
	xpt_trace__drop_rights(&a->trace);	/* before anything that belongs to strangers is looked at */
	if (status < 0)
		status = add_targets(a);
	if (status >= 0) {
		xpt_trace__abort(&a->trace);
		return status;
	}
	if (a->opts.t.only_hooks)
		xpt_info("hooks are in place; Ctrl-C ends");
	else
		xpt_debug("probes are in place; Ctrl-C ends");
	return trace(a);	/* a->select goes with the process: the engine has it until the end */
}

static struct attach the_attach;	/* large; zeroed */

int xpt_attach__trace(const struct xpt_cmd *cmd, const struct xpt_trace_opts *opts_,
		      const struct xpt_list *pids, bool all)
{
	the_attach.cmd = cmd;
	the_attach.opts = (struct attach_opts){ .t = *opts_, .pids = *pids, .all = all };
	return attach(&the_attach);
}

static int run(int argc, char **argv)
{
	struct attach_opts *o = &the_attach.opts;
	int rest, status;

	the_attach.cmd = &xpt_cmd_attach;
	o->t = (struct xpt_trace_opts)XPT_TRACE_DEFAULTS;
	status = xpt_opt__parse(&xpt_cmd_attach, argc, argv, o, &rest);
	if (status >= 0)
		return status;
	if (rest < argc) {
		xpt_opt__tell_alone(argv, rest);
		return xpt_opt__usage(&xpt_cmd_attach, "unexpected '%s' (a process id needs -p)",
				      argv[rest]);
	}
	if (!o->pids.n && !o->all && !xpt_targets__given(&o->sel))
		return xpt_opt__usage(&xpt_cmd_attach, "which processes? -p, --comm, --uid, "
				      "--cgroup, --container or --all");
	if (o->pids.n && o->all)
		return xpt_opt__usage(&xpt_cmd_attach, "-p and --all exclude each other");
	return attach(&the_attach);
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
	.run = run,
};
