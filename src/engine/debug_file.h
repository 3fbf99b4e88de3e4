/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the separate debug file of a stripped ELF file where distributions and
 * debuggers agree that it lies: by build id under /usr/lib/debug/.build-id, or
 * by the name and checksum of .gnu_debuglink beside the file. Looks in the
 * process's file system first, then in ours.
 */
#ifndef XPT_ENGINE_DEBUG_FILE_H
#define XPT_ENGINE_DEBUG_FILE_H

struct xpt_elf;

/*
 * NULL: there is none, or it belongs to another build. The result has sections
 * only (xpt_elf__open_bare). root, path: as in xpt_funcs__open.
 */
struct xpt_elf *xpt_debug_file__open(const struct xpt_elf *elf, const char *root,
				     const char *path);

#endif
