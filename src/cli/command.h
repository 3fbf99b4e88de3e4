/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The work of `run` and `attach`, for other commands with options of their own.
 */
#ifndef XPT_CLI_COMMAND_H
#define XPT_CLI_COMMAND_H

#include "cli/opt.h"
#include "session/live_trace.h"

/* Starts a command (argv ends with NULL) and traces it. An exit status. */
int xpt_run__trace(const struct xpt_cmd *cmd, const struct xpt_trace_opts *opts,
		   const struct xpt_list *env, bool as_root, char **argv);
/* Traces processes that run, by their ids, or all. An exit status. */
int xpt_attach__trace(const struct xpt_cmd *cmd, const struct xpt_trace_opts *opts,
		      const struct xpt_list *pids, bool all);

#endif
