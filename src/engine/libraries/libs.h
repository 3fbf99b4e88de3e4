/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What libs.c offers the rest of the engine: files that processes map, and the probes on them.
 */
#ifndef XPT_ENGINE_LIBRARIES_LIBS_H
#define XPT_ENGINE_LIBRARIES_LIBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpt_elib;
struct xpt_engine;
struct xpt_mapping;
struct xpt_returns;

void xpt_libs__on_mapping(void *ctx, int pid, const struct xpt_mapping *m);
/*
 * Whether a file of a target, mapped before its end, would get probes and has none: by what it is called
 * and its inode, for nothing is read any more. Programs are left out: few hold a runtime.
 */
bool xpt_libs__misses(const struct xpt_engine *e, int pid, const struct xpt_mapping *m);
void xpt_libs__on_file(struct xpt_engine *e, int pid, const char *path, const char *name);
int xpt_libs__scan_pid(struct xpt_engine *e, int pid);
void xpt_libs__detach(struct xpt_engine *e);
void xpt_libs__unlink(struct xpt_elib *lib);	/* its probes only */
bool xpt_libs__slow_to_leave(const struct xpt_engine *e);
size_t xpt_libs__nr_fds(const struct xpt_engine *e);	/* links that close faster, 20 ms each */
bool xpt_libs__leave_in_background(struct xpt_engine *e);	/* false: no child could be made */
/* A function that is left alone. */
void xpt_libs__unseen(struct xpt_engine *e, const char *sym, const struct xpt_returns *r);
int xpt_libs__link(struct xpt_engine *e, struct xpt_elib *lib, const char *path,
		   const uint64_t *offsets, const uint64_t *cookies, uint32_t n);
/*
 * A file of that user was not read. If that was for what it would cost (-EFBIG, -E2BIG) the
 * user of xputrace is told at the end. The loss is counted by the caller.
 */
void xpt_libs__refused(struct xpt_engine *e, int err, uint64_t owner, const char *name);

#endif
