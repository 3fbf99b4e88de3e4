// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two pipes: the parent's byte in the first lets the child go on, and an end
 * of file there (xputrace died or gave up) lets it leave. In the second the
 * child writes why it could not execute the command; its end of file, by
 * O_CLOEXEC, means that it did.
 */
#include "session/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/process/pidfd.h"
#include "session/options/usage.h"
#include "session/program.h"
#include "session/user.h"

enum stage { STAGE_ENV, STAGE_USER, STAGE_EXEC };

struct failure {
	int err;	/* errno */
	int stage;
};

#define MAX_SIG 65	/* _NSIG of Linux */

static bool ignored[MAX_SIG];
static struct rlimit files;
static bool has_files;

static bool ended_left;	/* SIGCHLD was ignored */

void xpt_child__keep_ended(void)
{
	ended_left = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
}

void xpt_child__save(void)
{
	struct sigaction sa;
	int sig;

	for (sig = 1; sig < MAX_SIG; sig++)
		ignored[sig] = !sigaction(sig, NULL, &sa) && sa.sa_handler == SIG_IGN;
	ignored[SIGCHLD] |= ended_left;
	has_files = !getrlimit(RLIMIT_NOFILE, &files);
}

static void restore_signals(void)
{
	int sig;

	for (sig = 1; sig < MAX_SIG; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			signal(sig, ignored[sig] ? SIG_IGN : SIG_DFL);
	if (has_files)
		setrlimit(RLIMIT_NOFILE, &files);
}

/* Executes the command as a shell does: a text file without #! is run by /bin/sh. */
static int execute_command(const struct xpt_child_cfg *cfg)
{
	size_t n = 0;
	char **args;
	int err;

	execv(cfg->exe, cfg->argv);
	err = -errno;
	if (err != -ENOEXEC || !xpt_program__is_text(cfg->exe))
		return err;
	while (cfg->argv[n])
		n++;
	args = calloc(n + 2, sizeof(*args));
	if (!args)
		return -ENOMEM;
	args[0] = (char *)"sh";
	args[1] = (char *)cfg->exe;
	memcpy(args + 2, cfg->argv + 1, n * sizeof(*args));	/* with the NULL */
	execv("/bin/sh", args);
	return err;
}

static int prepare_child(const struct xpt_child_cfg *cfg, int *stage)
{
	unsigned i;

	*stage = STAGE_ENV;
	if (cfg->stdout_to_stderr && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return -errno;
	*stage = STAGE_USER;
	if (!cfg->as_root) {
		int err = xpt_user__become_caller();

		if (err)
			return err;
	}
	*stage = STAGE_ENV;	/* after the user's: -E HOME=... counts */
	for (i = 0; i < cfg->env->n; i++)
		if (putenv((char *)cfg->env->v[i]))
			return -errno;
	*stage = STAGE_EXEC;
	return 0;
}

static void run_child(const struct xpt_child_cfg *cfg, int go, int failed)
{
	struct failure f;
	ssize_t n;
	char c;

	do {
		n = read(go, &c, 1);
	} while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(XPT_EXIT_FAILED);
	f.err = -prepare_child(cfg, &f.stage);
	restore_signals();
	if (!f.err)
		f.err = -execute_command(cfg);
	n = write(failed, &f, sizeof(f));
	_exit(n == sizeof(f) ? XPT_EXIT_NOT_EXECUTABLE : XPT_EXIT_FAILED);
}

int xpt_child__start(const struct xpt_child_cfg *cfg, struct xpt_child *ret_c)
{
	int go[2], failed[2];

	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		return xpt_err(-errno, "pipe: %s", strerror(errno));
	fflush(NULL);	/* text that waits in buffers is written once, by us */
	ret_c->pid = fork();
	if (ret_c->pid < 0)
		return xpt_err(-errno, "fork: %s", strerror(errno));
	if (!ret_c->pid) {
		close(go[1]);
		run_child(cfg, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	ret_c->pidfd = xpt_pidfd__open(ret_c->pid);
	if (ret_c->pidfd < 0) {
		close(go[1]);	/* it leaves */
		close(failed[0]);
		waitpid(ret_c->pid, NULL, 0);
		return xpt_err(ret_c->pidfd, "pidfd_open: %s", strerror(-ret_c->pidfd));
	}
	ret_c->go_fd = go[1];
	ret_c->failure_fd = failed[0];
	return 0;
}

/* Says why, and finds the exit status that a shell would give. */
static int explain_failure(const struct xpt_child_cfg *cfg, const struct failure *f)
{
	char why[512], as[64] = "";
	uid_t uid;
	gid_t gid;

	if (f->stage == STAGE_USER) {
		xpt_err(-f->err, "cannot become the user who called sudo: %s (--as-root runs the "
			"command as root)", strerror(f->err));
		return XPT_EXIT_FAILED;
	}
	if (f->stage == STAGE_ENV) {
		xpt_err(-f->err, "cannot set up the command: %s", strerror(f->err));
		return XPT_EXIT_FAILED;
	}
	if (f->err == EACCES && !cfg->as_root && xpt_user__caller(&uid, &gid))
		snprintf(as, sizeof(as), " as user %u (--as-root: as root)", (unsigned)uid);
	xpt_err(-f->err, "cannot run '%s'%s: %s", cfg->exe, as,
		xpt_program__why_not(cfg->exe, f->err, why, sizeof(why)));
	return XPT_EXIT_NOT_EXECUTABLE;
}

int xpt_child__release(struct xpt_child *c, const struct xpt_child_cfg *cfg)
{
	struct failure f = { 0 };
	ssize_t n = write(c->go_fd, "g", 1);

	close(c->go_fd);
	do {
		n = read(c->failure_fd, &f, sizeof(f));
	} while (n < 0 && errno == EINTR);
	close(c->failure_fd);
	if (n != sizeof(f))	/* end of file: it runs */
		return -1;
	waitpid(c->pid, NULL, 0);
	return explain_failure(cfg, &f);
}

void xpt_child__cancel(struct xpt_child *c)
{
	close(c->go_fd);
	close(c->failure_fd);
	waitpid(c->pid, NULL, 0);
}
