/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs bpftrace and watches it: it can be ended by a signal, can end with success and without a word, and can ignore
 * Ctrl-C, and then the user who waits for its output has to get it.
 */
#ifndef XPT_SESSION_SPDK_BPFTRACE_RUN_H
#define XPT_SESSION_SPDK_BPFTRACE_RUN_H

#include <stdbool.h>
#include <stdint.h>

struct xpt_bpftrace_end {
	int status;		/* as waitpid(2) has it */
	bool printed;		/* something; also where that is not known: with a command */
	bool started;		/* the command was; also where the kernel does not report it */
	bool killed;		/* it did not end by signals that were sent to us, and got SIGKILL */
};

/*
 * Runs argv[0], which is looked for in PATH, until it ends. command: the file that it is to start, or NULL: then its
 * output goes through a pipe. SIGINT, SIGTERM and SIGHUP that only we get are handed on; the second one, after 5 s,
 * becomes SIGKILL. Returns 0, or -errno if it could not be run.
 */
int xpt_bpftrace__run(char *const *argv, const char *command, struct xpt_bpftrace_end *ret_end);

#endif
