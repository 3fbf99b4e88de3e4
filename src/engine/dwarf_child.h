/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Debug information is made by whoever made the program, and its readers have had
 * many holes: a child without a future reads it, with limits of time and memory, and
 * what it says is checked.
 */
#ifndef XPT_ENGINE_DWARF_CHILD_H
#define XPT_ENGINE_DWARF_CHILD_H

#include <stddef.h>

/* Runs in the child: reads the open file, writes its answer to `to`. 0 if there is one. */
typedef int (*xpt_dwarf_child_fn)(int fd, int to, const void *ctx);
/* What it wrote, at most max bytes. 0, -ENOENT: nothing; -ETIMEDOUT ... */
int xpt_dwarf_child__run(xpt_dwarf_child_fn fn, int fd, const void *ctx, void *ret_answer, size_t max,
			 size_t *ret_size);
/* Ends a name of at most max - 1 bytes, and makes it printable: names go to terminals. */
void xpt_dwarf_child__clean(char *name, size_t max);

#endif
