// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace: finds the subcommand and runs it; exits with its status. Output
 * that does not reach standard output makes a good status a failure.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "devices/reader_child.h"
#include "http/server_child.h"
#include "session/child.h"
#include "session/options/suggest.h"
#include "cli/opt.h"
#include "session/user.h"

static const struct xpt_cmd *const cmds[] = {
	&xpt_cmd_run,	 &xpt_cmd_attach, &xpt_cmd_agent, &xpt_cmd_top, &xpt_cmd_list, &xpt_cmd_doctor,
	&xpt_cmd_report, &xpt_cmd_replay, &xpt_cmd_convert,
	&xpt_cmd_timeline, &xpt_cmd_hist, &xpt_cmd_errors, &xpt_cmd_spdk, &xpt_cmd_script, &xpt_cmd_rdma,
	&xpt_cmd_hook,
};

#define NR_CMDS (sizeof(cmds) / sizeof(cmds[0]))

static void print_help(void)
{
	size_t i;

	printf("Usage: xputrace COMMAND [OPTIONS] ...\n\n"
	       "Shows how programs drive accelerators: every CUDA call with its cost, what\n"
	       "failed, what leaked - without touching the traced program.\n\nCommands:\n");
	for (i = 0; i < NR_CMDS; i++)
		printf("  %-9s %s\n", cmds[i]->name, cmds[i]->summary);
	printf("\n  -h, --help      this text; 'xputrace COMMAND --help' for a command\n"
	       "  -V, --version   version and exit\n\nExamples:\n"
	       "  sudo xputrace run -- python3 train.py    trace a program from its start\n"
	       "  sudo xputrace attach -p 4711             trace one that runs already\n"
	       "  sudo xputrace doctor                     what this machine can do\n");
}

static int refuse_unknown(const char *name)
{
	struct xpt_near near;
	char text[256];
	size_t i;

	xpt_near__init(&near, name);
	for (i = 0; i < NR_CMDS; i++)
		xpt_near__offer(&near, cmds[i]->name);
	xpt_err(0, "unknown %s '%s'%s", name[0] == '-' ? "option" : "command", name,
		xpt_near__text(&near, text, sizeof(text)));
	xpt_err(0, "try 'xputrace --help'");
	return XPT_EXIT_USAGE;
}

/* A closed 0, 1 or 2 would become the number of an output file or of a BPF map,
 * and the table of calls would be written into it. */
static void fill_std_fds(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static const struct xpt_cmd *find_cmd(const char *name)
{
	size_t i;

	for (i = 0; i < NR_CMDS; i++)
		if (!strcmp(name, cmds[i]->name))
			return cmds[i];
	return NULL;
}

/* xputrace help [COMMAND] */
static int help_on(const char *name)
{
	const struct xpt_cmd *cmd = name ? find_cmd(name) : NULL;

	if (name && !cmd)
		return refuse_unknown(name);
	if (cmd)
		xpt_opt__help(cmd);
	else
		print_help();
	return XPT_EXIT_OK;
}

static int run_cmd(int argc, char **argv)
{
	const struct xpt_cmd *cmd;

	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return help_on(NULL);
	if (!strcmp(argv[1], "help"))
		return help_on(argv[2]);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("xputrace %s\n", XPT_VERSION);
		return XPT_EXIT_OK;
	}
	cmd = find_cmd(argv[1]);
	return cmd ? cmd->run(argc - 1, argv + 1) : refuse_unknown(argv[1]);
}

/*
 * True, and said, if stdout did not take everything. An earlier write may have
 * failed and the last one not: errno is not known then. Where SIGPIPE is
 * ignored, that may have been a reader who had seen enough; those commands
 * look after their output themselves.
 */
static bool lost_output(void)
{
	struct sigaction sa;
	bool lost;

	errno = 0;
	lost = fflush(stdout) != 0;
	if (!lost && !sigaction(SIGPIPE, NULL, &sa) && sa.sa_handler != SIG_IGN)
		lost = ferror(stdout) != 0;
	if (!lost || errno == EPIPE)
		return false;
	xpt_err(-errno, "cannot write standard output: %s",
		errno ? strerror(errno) : "some of it could not be written");
	return true;
}

int main(int argc, char **argv)
{
	int status;

	if (xpt_reader_child__is_asked(argc, argv))	/* a process of ours that reads devices */
		return xpt_reader_child__run(argc, argv);
	if (xpt_server_child__is_asked(argc, argv))	/* a process of ours that serves metrics */
		return xpt_server_child__run();
	fill_std_fds();
	xpt_child__keep_ended();
	xpt_user__write_as_caller();
	setlocale(LC_CTYPE, "");
	if (argc < 2) {
		print_help();
		return XPT_EXIT_USAGE;
	}
	status = run_cmd(argc, argv);
	if (status == XPT_EXIT_OK && lost_output())
		status = XPT_EXIT_FAILED;
	return status;
}
