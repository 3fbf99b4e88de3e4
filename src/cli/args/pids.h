/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes that are traced although they run already: by their ids, by their properties (targets.h), or all
 * of them. Stops no process.
 */
#ifndef XPT_CLI_ARGS_PIDS_H
#define XPT_CLI_ARGS_PIDS_H

#include "cli/args/targets.h"

#define XPT_PIDS_MAX 1024

struct xpt_engine;

struct xpt_pids {
	const struct xpt_cmd *cmd;
	struct xpt_select *select;	/* NULL: nothing was selected by */
	const char *comm;		/* the first name that was asked for; or NULL */
	int pid[XPT_PIDS_MAX];
	unsigned nr_asked, nr, nr_found;
};

/* Reads and checks the options, before anything is loaded or written; pids: values of -p. -1 or an exit status. */
int xpt_pids__read(struct xpt_pids *p, const struct xpt_cmd *cmd, const struct xpt_list *pids,
		   const struct xpt_targets_opts *sel);
/* Once the engine has started: those with an id, else those that are selected, else all. -1 or an exit status. */
int xpt_pids__add_targets(struct xpt_pids *p, struct xpt_engine *e);

#endif
