// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace run: starts a command and traces it from its first instruction.
 *
 * The child waits in a pipe until the probes are in place, becomes the user
 * behind sudo, and executes the command. Signals that are sent to xputrace are
 * passed on; the command's exit status becomes ours.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/time.h"
#include "cli/trace.h"
#include "cli/user.h"
#include "engine/elf.h"
#include "engine/libpath.h"

struct run_opts {
	struct xpt_trace_opts t;	/* first: shared rows use its offsets */
	bool as_root;
	struct xpt_list env;
};

struct run {
	struct xpt_trace trace;
	struct run_opts opts;
	char exe[4096];
	pid_t pid;
	int go;		/* closing it lets the child execute the command */
	int failed;	/* the child writes errno here if it cannot */
};

static volatile sig_atomic_t child_pid;

/* A signal from the terminal reaches the command by itself; others we pass on. */
static void on_signal(int sig, siginfo_t *info, void *ctx)
{
	(void)ctx;
	if (sig == SIGINT || sig == SIGTERM || sig == SIGHUP)
		xpt_interrupts = xpt_interrupts + 1;
	if (info->si_code != SI_KERNEL && child_pid > 0)
		kill((pid_t)child_pid, sig);
}

static void on_child(int sig)
{
	(void)sig;	/* only to interrupt epoll_wait */
}

static void catch_signals(void)
{
	static const int forwarded[] = { SIGUSR1, SIGUSR2, SIGQUIT, SIGALRM };
	struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	size_t i;

	xpt_trace__catch_signals(on_signal);
	for (i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
		sigaction(forwarded[i], &sa, NULL);
	sa = (struct sigaction){ .sa_handler = on_child, .sa_flags = SA_NOCLDSTOP };
	sigaction(SIGCHLD, &sa, NULL);
}

static void child(const struct run *r, int go, int failed, char **argv)
{
	int err = 0;
	unsigned i;
	char c;

	while (read(go, &c, 1) < 0 && errno == EINTR)
		;	/* until the parent closes its end */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	for (i = 0; i < r->opts.env.n; i++)
		if (putenv((char *)r->opts.env.v[i]))
			err = errno;
	if (!err && !r->opts.as_root)
		err = -xpt_user__become_caller();
	if (!err) {
		execv(r->exe, argv);
		err = errno;
	}
	if (write(failed, &err, sizeof(err)) < 0)
		_exit(XPT_EXIT_NOT_EXECUTABLE);
	_exit(err == ENOENT ? XPT_EXIT_NOT_FOUND : XPT_EXIT_NOT_EXECUTABLE);
}

static int start_child(struct run *r, char **argv)
{
	int go[2], failed[2];

	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		return xpt_err(-errno, "pipe: %s", strerror(errno));
	r->pid = fork();
	if (r->pid < 0)
		return xpt_err(-errno, "fork: %s", strerror(errno));
	if (!r->pid) {
		close(go[1]);
		child(r, go[0], failed[1], argv);
	}
	close(go[0]);
	close(failed[1]);
	r->go = go[1];
	r->failed = failed[0];
	return 0;
}

/* What of this program can be traced at all, said before it starts. */
static void look_at_program(const struct run *r)
{
	struct xpt_elf *elf = NULL;
	int err = xpt_elf__open(r->exe, &elf);

	if (err == -ENOTSUP)
		xpt_warn("%s is a 32-bit program or for another machine: its calls cannot be traced, "
			 "those of 64-bit children can", r->exe);
	else if (!err && !xpt_elf__interp(elf)[0])
		xpt_warn("%s is statically linked: only libraries that it loads later can be traced",
			 r->exe);
	xpt_elf__close(elf);
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

/* Attaches, then lets the child go. 0, or the errno with which exec failed. */
static int release(struct run *r)
{
	int err = 0;

	xpt_engine__preload(r->trace.engine, r->exe, library_path(r));
	if (xpt_engine__add_child(r->trace.engine, r->pid) ||
	    xpt_engine__start(r->trace.engine))
		xpt_warn("processes cannot be followed here: children are not traced");
	child_pid = r->pid;
	close(r->go);
	while (read(r->failed, &err, sizeof(err)) < 0 && errno == EINTR)
		;	/* end of file: exec succeeded */
	close(r->failed);
	return err;
}

/* Until the command ends, or a second interrupt asks us to leave it alone. */
static int trace_child(struct run *r, int *ret_wait_status)
{
	pid_t pid;

	for (;;) {
		pid = waitpid(r->pid, ret_wait_status, WNOHANG);
		if (pid == r->pid)
			return 0;
		if (xpt_interrupts > 1) {
			xpt_warn("interrupted twice: leaving process %d running, untraced", r->pid);
			*ret_wait_status = -1;
			return 1;
		}
		if (xpt_trace__step(&r->trace))
			return 1;
	}
}

static int status_of(int wait_status)
{
	if (wait_status == -1)
		return 128 + SIGINT;
	if (!WIFSIGNALED(wait_status))
		return WEXITSTATUS(wait_status);
	xpt_info("the command was killed by signal %d (%s)", WTERMSIG(wait_status),
		 strsignal(WTERMSIG(wait_status)));
	return 128 + WTERMSIG(wait_status);
}

static int find_command(struct run *r, const char *name)
{
	int err = xpt_libpath__command(name, getenv("PATH"), r->exe, sizeof(r->exe));

	if (!err)
		return -1;
	xpt_err(err, "cannot run '%s': %s", name,
		err == -ENOENT ? "no such command" : strerror(-err));
	return err == -ENOENT ? XPT_EXIT_NOT_FOUND : XPT_EXIT_NOT_EXECUTABLE;
}

static const struct xpt_opt opts[] = {
	XPT_TRACE_OPTIONS,
	{ "env", 'E', XPT_OPT_LIST, offsetof(struct run_opts, env), "VAR=VALUE",
	  "set a variable for the command only; may be given again", 0 },
	{ "as-root", 0, XPT_OPT_FLAG, offsetof(struct run_opts, as_root), 0,
	  "under sudo, run the command as root, not as the calling user", 0 },
	{ 0 },
};

static int run(int argc, char **argv)
{
	static struct run r;	/* large; zeroed */
	struct xpt_engine_cfg targets = { 0 };
	int first, status, wait_status = -1, err;

	r.opts.t = (struct xpt_trace_opts)XPT_TRACE_DEFAULTS;
	status = xpt_opt__parse(&xpt_cmd_run, argc, argv, &r.opts, &first);
	if (status >= 0)
		return status;
	if (first >= argc)
		return xpt_opt__usage(&xpt_cmd_run, "which command? xputrace run -- CMD ARGS");
	status = find_command(&r, argv[first]);
	if (status >= 0)
		return status;
	r.trace.opts = r.opts.t;
	status = xpt_trace__open(&r.trace, &xpt_cmd_run, &targets);
	if (status >= 0)
		return status;
	look_at_program(&r);
	catch_signals();
	if (start_child(&r, argv + first)) {
		xpt_trace__abort(&r.trace);
		return XPT_EXIT_FAILED;
	}
	err = release(&r);
	if (err) {
		waitpid(r.pid, NULL, 0);
		xpt_trace__abort(&r.trace);
		xpt_err(-err, "cannot run '%s': %s", r.exe, strerror(err));
		return err == ENOENT ? XPT_EXIT_NOT_FOUND : XPT_EXIT_NOT_EXECUTABLE;
	}
	err = trace_child(&r, &wait_status);
	return xpt_trace__close(&r.trace, status_of(wait_status), wait_status, err ? 1 : 0);
}

const struct xpt_cmd xpt_cmd_run = {
	.name = "run",
	.args = "[OPTIONS] -- CMD [ARGS]",
	.summary = "start a command and trace it and its children",
	.opts = opts,
	.examples = "  sudo xputrace run -- ./train\n"
		    "  sudo xputrace run -q -o t.xtr -- python3 train.py   # then: report t.xtr\n"
		    "  sudo xputrace run --counters -- ./serve             # totals only\n",
	.run = run,
};
