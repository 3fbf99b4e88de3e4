// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace: finds the subcommand and runs it. Nothing else happens here.
 */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "cli/opt.h"

static const struct xpt_cmd *const cmds[] = {
	&xpt_cmd_run,	 &xpt_cmd_attach, &xpt_cmd_list,    &xpt_cmd_doctor,
	&xpt_cmd_report, &xpt_cmd_replay, &xpt_cmd_convert, &xpt_cmd_errors,
};

#define NR_CMDS (sizeof(cmds) / sizeof(cmds[0]))

static void help(void)
{
	size_t i;

	printf("Usage: xputrace COMMAND [OPTIONS] ...\n\n"
	       "Shows how programs drive accelerators: every CUDA call with its cost, what\n"
	       "failed, what leaked - without touching the traced program.\n\nCommands:\n");
	for (i = 0; i < NR_CMDS; i++)
		printf("  %-9s %s\n", cmds[i]->name, cmds[i]->summary);
	printf("\n  -h, --help      this text; 'xputrace COMMAND --help' for a command\n"
	       "      --version   version and exit\n\nExamples:\n"
	       "  sudo xputrace run -- python3 train.py    trace a program from its start\n"
	       "  sudo xputrace attach -p 4711             trace one that runs already\n"
	       "  sudo xputrace doctor                     what this machine can do\n");
}

static int unknown(const char *name)
{
	const char *best = NULL;
	unsigned best_distance = 4;
	size_t i;

	for (i = 0; i < NR_CMDS; i++) {
		unsigned d = xpt_edit_distance(name, cmds[i]->name);

		if (d < best_distance) {
			best_distance = d;
			best = cmds[i]->name;
		}
	}
	if (best)
		xpt_err(0, "unknown command '%s': did you mean '%s'?", name, best);
	else
		xpt_err(0, "unknown command '%s': try 'xputrace --help'", name);
	return XPT_EXIT_USAGE;
}

int main(int argc, char **argv)
{
	size_t i;

	setlocale(LC_CTYPE, "");
	if (argc < 2) {
		help();
		return XPT_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help();
		return XPT_EXIT_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("xputrace %s\n", XPT_VERSION);
		return XPT_EXIT_OK;
	}
	for (i = 0; i < NR_CMDS; i++)
		if (!strcmp(argv[1], cmds[i]->name))
			return cmds[i]->run(argc - 1, argv + 1);
	return unknown(argv[1]);
}
