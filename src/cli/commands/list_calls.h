/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of `list` that shows the functions of a file that
 * `call:PATH:FUNCTION` finds.
 */
#ifndef XPT_CLI_COMMANDS_LIST_CALLS_H
#define XPT_CLI_COMMANDS_LIST_CALLS_H

#include <stdbool.h>

struct xpt_elf;
struct xpt_probe;

struct xpt_list_calls {
	const struct xpt_probe *probe;
	bool verbose, json;
	unsigned nr;	/* functions so far */
};

/* Prints the functions of a file; path: as it is printed. 0, or -errno of reading it. */
int xpt_list_calls__file(struct xpt_list_calls *l, struct xpt_elf *elf, const char *path);

#endif
