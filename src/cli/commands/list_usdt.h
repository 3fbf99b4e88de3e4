/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of `list` that shows the probes of a file: usdt:PATH:PROVIDER:NAME and
 * call:PATH:FUNCTION.
 */
#ifndef XPT_CLI_COMMANDS_LIST_USDT_H
#define XPT_CLI_COMMANDS_LIST_USDT_H

#include <stdbool.h>
#include "cli/opt.h"

struct xpt_domain;

struct xpt_list_usdt {
	const char *spec;	/* as it was typed; path __EXE__: the program of pids, or a library of it */
	const struct xpt_domain *domain;	/* only probes of its table; NULL: all */
	const struct xpt_list *pids;	/* look at the files that these have mapped; none: on this machine */
	bool verbose, json;
};

/* Whether spec is a probe of one of these kinds, valid or not. */
bool xpt_list_usdt__is(const char *spec);
int xpt_list_usdt__run(const struct xpt_list_usdt *wanted);	/* an exit status */

#endif
