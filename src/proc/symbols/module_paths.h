/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Paths of mapped files, each kept once for all processes that have mapped it, and the other data of mappings, by
 * owner of the process: all together have a limit, and one owner may take three times as much of it as is left free
 * (as in the rings, bpf/send/user.bpf.h).
 */
#ifndef XPT_PROC_SYMBOLS_MODULE_PATHS_H
#define XPT_PROC_SYMBOLS_MODULE_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpt_module_paths;

/* 0 or -ENOMEM. max_bytes: of everything. */
int xpt_module_paths__new(size_t max_bytes, struct xpt_module_paths **ret_p);
void xpt_module_paths__free(struct xpt_module_paths *p);	/* with all paths; NULL is fine */
/* Counts so many bytes more for that owner; false: he may not have them. */
bool xpt_module_paths__charge(struct xpt_module_paths *p, uint64_t owner, size_t bytes);
void xpt_module_paths__refund(struct xpt_module_paths *p, uint64_t owner, size_t bytes);
/* The path, which counts for the first owner who wants it. NULL: no share of his is left, or no memory. */
const char *xpt_module_paths__get(struct xpt_module_paths *p, uint64_t owner, const char *path);
/* Releases a path, as often as it was got. NULL is fine. */
void xpt_module_paths__put(struct xpt_module_paths *p, const char *path);
size_t xpt_module_paths__bytes(const struct xpt_module_paths *p);

#endif
