/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the separate debug file of a stripped ELF file where distributions and
 * debuggers agree that it lies: by build id under /usr/lib/debug/.build-id, or
 * by the name and checksum of .gnu_debuglink beside the file. Looks in the
 * process's file system first, then in ours.
 */
#ifndef XPT_ELF_DEBUG_FILE_H
#define XPT_ELF_DEBUG_FILE_H

struct xpt_elf;

/*
 * NULL: there is none, or it belongs to another build. The result has sections
 * only (xpt_elf__open_bare), and the pauses of elf. root, path: as in xpt_funcs__open;
 * root NULL: only in our file system, beside the file only if path leads to it there.
 */
struct xpt_elf *xpt_debug_file__open(const struct xpt_elf *elf, const char *root,
				     const char *path);

/*
 * The file of debug information that this one, itself or a separate debug file, shares with others of
 * its package (dwz, .gnu_debugaltlink): by build id, or below /usr/lib/debug/.dwz. A descriptor of a regular
 * file that the caller closes, or -1. Whether it is of the same build its reader finds out.
 */
int xpt_debug_file__open_shared(const struct xpt_elf *elf, const char *root);

#endif
