/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A built-in domain as a file of hooks.
 */
#ifndef XPT_CLI_COMMANDS_LIST_HOOKS_H
#define XPT_CLI_COMMANDS_LIST_HOOKS_H

/* Prints it; name NULL or unknown: says which there are. An exit status. */
int xpt_list_hooks__run(const char *name);

#endif
