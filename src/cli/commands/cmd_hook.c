// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace hook: traces as hook lines define, in the manner of `run` or
 * `attach`, and shows their sums. Libraries are traced only where -d names
 * them.
 */
#include <stdio.h>
#include <string.h>

#include "cli/args/trace_rows.h"
#include "cli/command.h"

struct hook_opts {
	struct xpt_trace_opts t;	/* first: shared rows use its offsets */
	struct xpt_list pids, env;
	bool all, as_root, check;
};

#define HO(m) offsetof(struct hook_opts, m)

static const struct xpt_opt opts[] = {
	{ "hook", 'e', XPT_OPT_LIST, XPT_TO(hooks), "HOOK", "what to trace: PROBE [CAPTURES] [/FILTER/] [ACTION]; "
	  "may be given again", 0 },
	{ "file", 'f', XPT_OPT_LIST, XPT_TO(hook_files), "FILE", "a file with a hook a line, or the name of one in "
	  "$XPUTRACE_HOOKS, /usr/share/xputrace/hooks or examples/hooks; - is standard input; may be given again", 0 },
	{ "pid", 'p', XPT_OPT_LIST, HO(pids), "PID[,PID]", "trace these processes and the children they start", 0 },
	{ "all", 'a', XPT_OPT_FLAG, HO(all), 0, "trace every process", 0 },
	{ "check", 0, XPT_OPT_FLAG, HO(check), 0, "read the hooks, say what is wrong with them, and end", 0 },
	{ "interval", 'i', XPT_OPT_DURATION, XPT_TO(interval_ns), "TIME", "show what was added up so far every TIME, "
	  "too", 0 },
	{ "output", 'o', XPT_OPT_LIST, XPT_TO(outs), "FILE", "write events to FILE, by its extension, as `run` does; "
	  "may be given again", 0 },
	{ "json", 0, XPT_OPT_FLAG, XPT_TO(json), 0, "the result as JSON; no table of events", 0 },
	{ "quiet", 'q', XPT_OPT_FLAG, XPT_TO(quiet), 0, "no table of events", 0 },
	{ "raw", 0, XPT_OPT_FLAG, XPT_TO(raw), 0, "plain numbers: bytes and nanoseconds", 0 },
	{ "domain", 'd', XPT_OPT_LIST, XPT_TO(domains), "NAME", "trace this domain (cuda, cudart, ...) beside the "
	  "hooks; may be given again", 0 },
	{ "rate", 0, XPT_OPT_RATE, XPT_TO(rate), "N", "at most N events of each function a second; sums are of all", 0 },
	{ "stacks", 0, XPT_OPT_GLOBS, XPT_TO(stacks), "GLOB", "events with the stack of who called, of functions "
	  "whose name matches (all without GLOB); may be given again", 0 },
	{ "max-size", 0, XPT_OPT_SIZE, XPT_TO(max_size), "SIZE", "stop writing events to a file at this size, 0 for "
	  "never (default 1G)", 0 },
	{ "kernel-max", 0, XPT_OPT_SIZE, XPT_TO(kernel_max), "N", "refuse to trace more than N functions of the "
	  "kernel (default 1000)", 0 },
	{ "no-follow", 0, XPT_OPT_FLAG, XPT_TO(no_follow), 0, "leave child processes alone", 0 },
	{ "require", 0, XPT_OPT_FLAG, XPT_TO(require), 0, "exit with 3 if nothing was hit", 0 },
	{ "env", 'E', XPT_OPT_LIST, HO(env), "VAR=VALUE", "set a variable for the command only; may be given again",
	  "?*=*" },
	{ "as-root", 0, XPT_OPT_FLAG, HO(as_root), 0, "under sudo, run the command as root, not as the calling user", 0 },
	{ "attach", 0, XPT_OPT_CHOICE, XPT_TO(attach), "KIND", "auto, session, multi or perf: how probes are attached",
	  "auto|session|multi|perf" },
	{ "sites", 0, XPT_OPT_CHOICE, XPT_TO(sites), "HOW", "auto or symbol: may probes on functions move to a cheaper, "
	  "equivalent place?", "auto|symbol" },
	{ "color", 0, XPT_OPT_CHOICE, XPT_TO(color), "WHEN", "auto, always or never", "auto|always|never" },
	{ "verbose", 'v', XPT_OPT_FLAG, XPT_TO(verbose), 0, "say what is being done, on stderr", 0 },
	{ 0 },
};

/* For any program and process. */
static int check_hooks(const struct hook_opts *o)
{
	struct xpt_hook_set *set;
	int status = xpt_hook_set__read(xpt_cmd_hook.name, &o->t.hooks, &o->t.hook_files, "*", 1, &set);

	return status < 0 ? XPT_EXIT_OK : status;
}

static int run_hook(int argc, char **argv)
{
	static struct hook_opts o = { .t = XPT_TRACE_DEFAULTS };
	int rest, status = xpt_opt__parse(&xpt_cmd_hook, argc, argv, &o, &rest);

	if (status >= 0)
		return status;
	if (!o.t.hooks.n && !o.t.hook_files.n)
		return xpt_opt__usage(&xpt_cmd_hook, "which hook? -e HOOK or -f FILE");
	if (o.check)
		return check_hooks(&o);
	if ((o.pids.n != 0) + o.all + (rest < argc) != 1)
		return xpt_opt__usage(&xpt_cmd_hook, "which processes? One of -p PID, -a and -- COMMAND");
	if (o.t.interval_ns && o.t.json)
		return xpt_opt__usage(&xpt_cmd_hook, "--interval and --json exclude each other");
	o.t.only_hooks = true;
	if (rest < argc)
		return xpt_run__trace(&xpt_cmd_hook, &o.t, &o.env, o.as_root, argv + rest);
	if (o.env.n || o.as_root)
		return xpt_opt__usage(&xpt_cmd_hook, "-E and --as-root are for a command");
	return xpt_attach__trace(&xpt_cmd_hook, &o.t, &o.pids, o.all);
}

const struct xpt_cmd xpt_cmd_hook = {
	.name = "hook",
	.args = "-e HOOK... | -f FILE...  -p PID | -a | -- CMD [ARGS]",
	.summary = "count, time and filter any function or probe by lines",
	.opts = opts,
	.takes_command = true,
	.examples = "  sudo xputrace hook -e 'call:libcuda.so.1:cu* count by func' -- ./train\n"
		    "  sudo xputrace hook -e 'call:libcuda.so.1:cuMemAlloc_v2 hist(bytesize)' -p 4711\n"
		    "  sudo xputrace hook -e 'call:libcuda.so.1:cu* if failed count by func, result' -a\n",
	.run = run_hook,
};
