/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of reading debug information that all readers share. Debug information is untrusted input, and libraries
 * that parse it have had many vulnerabilities. Therefore its readers run in a sandboxed child process
 * (base/process/jail.h), and their results are checked.
 */
#ifndef XPT_ELF_DWARF_DWARF_CHILD_H
#define XPT_ELF_DWARF_DWARF_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Dwarf;

/* A file in memory of this process alone. */
struct xpt_dwarf_image {
	void *at;	/* NULL: none */
	size_t size;
	uint64_t stored;	/* bytes that the file system keeps of it: less than size where it has holes */
};

/*
 * Maps it; fd may be -1: none. 0, -ENOENT for none or an empty file, or -errno; xpt_dwarf_child__unmap() takes it
 * away.
 */
int xpt_dwarf_child__map(int fd, struct xpt_dwarf_image *ret);
void xpt_dwarf_child__unmap(struct xpt_dwarf_image *image);
/*
 * Opens the debug information of the open file in the jail, with that of the file for common parts (mapped before; or
 * NULL). Returns 0; -ENOENT if it has none; -EFBIG if it would need too much memory when unpacked; -errno if it
 * cannot be mapped. It is freed when the child ends.
 */
int xpt_dwarf_child__open(int fd, const struct xpt_dwarf_image *shared, struct Dwarf **ret_dw);
/*
 * Whether an error of xpt_jail__run() means that existing information was not read, rather than that there is none.
 */
bool xpt_dwarf_child__unread(int err);
/* Ends a name of at most max - 1 bytes, and makes it printable: names go to terminals. */
void xpt_dwarf_child__clean(char *name, size_t max);

#endif
