/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions and files that are not traced, and why, for the messages at the end
 * of the trace (struct xpt_engine_stats). Losses are counted by the caller.
 */
#ifndef XPT_ENGINE_LEFT_OUT_H
#define XPT_ENGINE_LEFT_OUT_H

#include <stdbool.h>
#include <stdint.h>

struct xpt_engine;
struct xpt_returns;

/* A function whose returns cannot be seen. */
void xpt_left_out__unseen(struct xpt_engine *e, const char *sym, const struct xpt_returns *r);
/*
 * Notes a file of that owner; only errors that mean a limit on the cost of reading it (-EFBIG, -E2BIG, -EDQUOT) are
 * noted.
 */
void xpt_left_out__costly(struct xpt_engine *e, int err, uint64_t owner, const char *name);
/* Notes a file, or the mappings of a process, as left out because the server of the file may never answer. */
void xpt_left_out__served(struct xpt_engine *e, int pid, const char *name);
/* Whether an error means that a server may never answer: see remote.h and xpt_inode__open(). */
bool xpt_left_out__may_wait(int err);
/* Whether the same could be read a while later: see remote.h. */
bool xpt_left_out__may_pass(int err);

#endif
