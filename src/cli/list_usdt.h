/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of `list` that shows USDT probes: usdt:PATH:PROVIDER:NAME.
 */
#ifndef XPT_CLI_LIST_USDT_H
#define XPT_CLI_LIST_USDT_H

#include <stdbool.h>
#include "cli/opt.h"

struct xpt_list_usdt {
	const char *spec;	/* as it was typed */
	const struct xpt_list *pids;	/* look at what these have mapped; none: on this machine */
	bool verbose, json;
};

/* True: it is meant as a USDT probe, whether right or wrong. */
bool xpt_list_usdt__is(const char *spec);
int xpt_list_usdt__run(const struct xpt_list_usdt *what);	/* an exit status */

#endif
