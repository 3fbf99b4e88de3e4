/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Enums of a program, as its debug information has them. Debug information is made
 * by whoever made the program, and its readers have had many holes: a child without
 * a future reads it, with limits of time and memory, and its results are checked.
 */
#ifndef XPT_ELF_DWARF_DWARF_ENUMS_H
#define XPT_ELF_DWARF_DWARF_ENUMS_H

#include <stdbool.h>
#include "model/domain/states.h"

#define XPT_ENUM_NAME 64	/* bytes with the NUL; longer names are cut */

struct xpt_enum {
	unsigned nr;		/* values 0 to nr - 1 */
	char name[XPT_STATES_MAX][XPT_ENUM_NAME];	/* "": no name for that value */
};

/*
 * The enum of that name in the open file (shared: that of xpt_debug_file__open_shared(), or -1), without prefix before its names. 0; -ENOENT:
 * it has none, or no debug information; -ENOTSUP: built without libdw; -ETIMEDOUT and
 * others: it could not be read.
 */
int xpt_enum__read(int fd, int shared, const char *type, const char *prefix, struct xpt_enum *ret_enum);

/* Whether a result of a child that read hostile input can be used; its names are made printable. */
bool xpt_enum__good(struct xpt_enum *e);

#endif
