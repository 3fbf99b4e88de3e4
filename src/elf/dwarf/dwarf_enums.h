/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the enumerators of an enum of a program from the program's debug information. That is untrusted input, and
 * libraries that parse it have had many vulnerabilities. A sandboxed child process parses it, therefore, with limits
 * of time and memory (base/process/jail.h), and its results are checked.
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
 * Reads the enum named type from the debug information of the open file fd, and removes prefix from the names of its
 * enumerators. shared is the result of xpt_debug_file__open_shared() for that file, which can be -1. Returns 0;
 * -ENOENT if the file has no such enum or no debug information; -ENOTSUP if xputrace was built without libdw;
 * -ETIMEDOUT or another error if the file could not be read.
 */
int xpt_enum__read(int fd, int shared, const char *type, const char *prefix, struct xpt_enum *ret_enum);

/* Makes the names in a result of the sandboxed child printable, and returns whether the result can be used. */
bool xpt_enum__good(struct xpt_enum *e);

#endif
