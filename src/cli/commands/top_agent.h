/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `xputrace top` as the client of an agent: the agent counts, this shows. Between the files of `top` only. */
#ifndef XPT_CLI_TOP_AGENT_H
#define XPT_CLI_TOP_AGENT_H

#include "cli/commands/top_output.h"

/*
 * Asks the agent at that socket until the user has seen enough. ret_status: an exit status. False: there is none, and
 * nothing has been said.
 */
bool xpt_top_agent__follow(struct xpt_top_output *o, const char *path, int *ret_status);

#endif
