// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace run: starts a command and traces it from its first instruction.
 *
 * The child (child.c) waits until the probes are in place. Signals that are
 * sent to xputrace are passed on; the command's exit status becomes ours.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/process/pidfd.h"
#include "cli/args/trace_rows.h"
#include "cli/command.h"
#include "proc/libpath.h"
#include "session/child.h"
#include "session/live_trace.h"
#include "session/program.h"

struct run_opts {
	struct xpt_trace_opts t;	/* first: shared rows use its offsets */
	bool as_root;
	struct xpt_list env;
};

struct run {
	struct xpt_trace trace;
	struct run_opts opts;
	const struct xpt_cmd *cmd;
	char exe[4096];
	struct xpt_child child;
	struct xpt_child_cfg child_cfg;
};

static volatile sig_atomic_t child_fd, last_signal, undelivered;

/* A signal from the terminal reaches the command by itself; others we pass on. */
static void on_signal(int sig, siginfo_t *info, void *ctx)
{
	int saved = errno;

	(void)ctx;
	if (sig == SIGINT || sig == SIGTERM || sig == SIGHUP) {
		last_signal = sig;
		xpt_trace__interrupt();
	}
	if (info->si_code != SI_KERNEL && child_fd > 0)
		xpt_pidfd__send((int)child_fd, sig);
	else if (child_fd <= 0)
		undelivered = sig;
	errno = saved;
}

static void on_child(int sig)
{
	(void)sig;	/* only to interrupt epoll_wait */
}

static void catch_signals(void)
{
	static const int forwarded[] = { SIGUSR2, SIGQUIT, SIGALRM };
	struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	size_t i;

	xpt_trace__catch_signals(on_signal);
	for (i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
		sigaction(forwarded[i], &sa, NULL);
	sa = (struct sigaction){ .sa_handler = on_child, .sa_flags = SA_NOCLDSTOP };
	sigaction(SIGCHLD, &sa, NULL);
}

static const char *library_path(const struct run *r)
{
	const char *name = "LD_LIBRARY_PATH=";
	unsigned i;

	for (i = r->opts.env.n; i-- > 0;)
		if (!strncmp(r->opts.env.v[i], name, strlen(name)))
			return r->opts.env.v[i] + strlen(name);
	return getenv("LD_LIBRARY_PATH");
}

/* Attaches, then lets the child go. -1 or an exit status. */
static int release_child(struct run *r)
{
	int status, err;

	xpt_engine__preload(r->trace.engine, r->exe, library_path(r));
	err = xpt_engine__add_child(r->trace.engine, r->child.pid);
	if (err)
		xpt_warn("the command cannot be traced: %s", strerror(-err));
	status = xpt_trace__start(&r->trace);
	if (status >= 0) {
		xpt_child__cancel(&r->child);
		return status;
	}
	status = xpt_child__release(&r->child, &r->child_cfg);
	xpt_trace__hurry(true);
	xpt_trace__drop_rights(&r->trace);
	child_fd = r->child.pidfd;
	if (status < 0 && undelivered)
		xpt_pidfd__send(r->child.pidfd, (int)undelivered);
	return status;
}

/* Until the command ends, or a second interrupt asks us to leave it alone. */
static int trace_child(struct run *r, int *ret_wait_status)
{
	pid_t pid;
	int err;

	for (;;) {
		pid = waitpid(r->child.pid, ret_wait_status, WNOHANG);
		if (pid == r->child.pid)
			return 0;
		if (xpt_interrupts > 1) {
			xpt_warn("interrupted twice: leaving process %d running, untraced",
				 r->child.pid);
			*ret_wait_status = -1;
			return 1;
		}
		err = xpt_trace__step(&r->trace);
		if (err) {
			xpt_err(err, "cannot go on tracing: %s; process %d goes on",
				strerror(-err), r->child.pid);
			last_signal = 0;
			*ret_wait_status = -1;
			return 1;
		}
	}
}

static int status_of(int wait_status)
{
	if (wait_status == -1)
		return last_signal ? 128 + (int)last_signal : XPT_EXIT_FAILED;
	if (!WIFSIGNALED(wait_status))
		return WEXITSTATUS(wait_status);
	xpt_info("the command was killed by signal %d (%s)%s", WTERMSIG(wait_status),
		 strsignal(WTERMSIG(wait_status)), WCOREDUMP(wait_status) ? ", core dumped" : "");
	return 128 + WTERMSIG(wait_status);
}

static int find_command(struct run *r, const char *name)
{
	int err = xpt_libpath__command(name, getenv("PATH"), r->exe, sizeof(r->exe));
	char why[512];

	if (!err)
		return -1;
	if (err == -ENOENT) {
		xpt_err(err, "cannot run '%s': no such command", name);
		return XPT_EXIT_NOT_FOUND;
	}
	xpt_err(err, "cannot run '%s': %s", name,
		xpt_program__why_not(name, -err, why, sizeof(why)));
	return XPT_EXIT_NOT_EXECUTABLE;
}

static const struct xpt_opt opts[] = {
	XPT_TRACE_OPTIONS,
	{ "env", 'E', XPT_OPT_LIST, offsetof(struct run_opts, env), "VAR=VALUE",
	  "set a variable for the command only; may be given again", "?*=*" },
	{ "no-hold", 0, XPT_OPT_FLAG, XPT_TO(no_hold), 0, "never let the command wait while a "
	  "library that it loads late gets its probes", 0 },
	{ "as-root", 0, XPT_OPT_FLAG, offsetof(struct run_opts, as_root), 0,
	  "under sudo, run the command as root, not as the calling user", 0 },
	{ 0 },
};

/* Everything that can be known to be wrong before anything is opened. -1 or an exit status. */
static int check_all(struct run *r, char **argv)
{
	int status = find_command(r, argv[0]);

	r->trace.opts = r->opts.t;
	r->trace.text_to_stderr = !r->opts.t.json && !r->opts.t.only_hooks;
	r->trace.where = (struct xpt_functions_where){
		.loader = true,
		.exe = r->exe,
		.ld_library_path = library_path(r),
	};
	r->child_cfg = (struct xpt_child_cfg){
		.exe = r->exe,
		.argv = argv,
		.env = &r->opts.env,
		.as_root = r->opts.as_root,
		.stdout_to_stderr = xpt_trace_opts__lines_on_stdout(&r->opts.t) ||
				    (r->opts.t.json && !r->opts.t.log),
	};
	return status;
}

static bool is_stopped(void)
{
	return xpt_interrupts > 1;
}

static int trace_command(struct run *r, char **argv)
{
	struct xpt_engine_cfg targets = { .hold = true, .stopped = is_stopped };
	int wait_status = -1, left, status = check_all(r, argv);

	if (status >= 0)
		return status;
	xpt_child__save();
	status = xpt_trace__open(&r->trace, r->cmd->name, &targets);
	if (status >= 0)
		return status;
	xpt_program__warn(r->exe);
	catch_signals();
	if (xpt_child__start(&r->child_cfg, &r->child)) {
		xpt_trace__abort(&r->trace);
		return XPT_EXIT_FAILED;
	}
	status = release_child(r);
	if (status >= 0) {
		xpt_trace__abort(&r->trace);
		return status;
	}
	left = trace_child(r, &wait_status);
	return xpt_trace__close(&r->trace, status_of(wait_status), wait_status,
			       left ? XPT_END_INTERRUPTED : XPT_END_COMMAND);
}

static struct run the_run;	/* large; zeroed */

int xpt_run__trace(const struct xpt_cmd *cmd, const struct xpt_trace_opts *opts_,
		   const struct xpt_list *env, bool as_root, char **argv)
{
	the_run.cmd = cmd;
	the_run.opts = (struct run_opts){ .t = *opts_, .as_root = as_root, .env = *env };
	return trace_command(&the_run, argv);
}

static int run_run(int argc, char **argv)
{
	struct run *r = &the_run;
	int first, status;

	r->cmd = &xpt_cmd_run;
	r->opts.t = (struct xpt_trace_opts)XPT_TRACE_DEFAULTS;
	status = xpt_opt__parse(&xpt_cmd_run, argc, argv, &r->opts, &first);
	if (status >= 0)
		return status;
	if (first >= argc) {
		xpt_opt__report_taken(&xpt_cmd_run, argv, first);
		return xpt_opt__usage(&xpt_cmd_run, "which command? xputrace run -- CMD ARGS");
	}
	status = trace_command(r, argv + first);
	if (status >= XPT_EXIT_NOT_EXECUTABLE && !r->child.pid) {
		xpt_opt__report_taken(&xpt_cmd_run, argv, first);
		xpt_opt__report_alone(argv, first);
	}
	return status;
}

const struct xpt_cmd xpt_cmd_run = {
	.name = "run",
	.args = "[OPTIONS] -- CMD [ARGS]",
	.summary = "start a command and trace it and its children",
	.opts = opts,
	.takes_command = true,
	.examples = "  sudo xputrace run -- ./train\n"
		    "  sudo xputrace run -q -o t.xtr -- python3 train.py   # then: report t.xtr\n"
		    "  sudo xputrace run --counters -- ./serve             # totals only\n",
	.run = run_run,
};
