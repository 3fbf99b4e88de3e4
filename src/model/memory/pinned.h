/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which addresses of a process are pinned host memory (or managed memory,
 * which both sides can reach), from the calls that allocate and register it.
 */
#ifndef XPT_MODEL_MEMORY_PINNED_H
#define XPT_MODEL_MEMORY_PINNED_H

#include <stdbool.h>
#include <stdint.h>
#include "model/event.h"

struct xpt_pinned;

int xpt_pinned__new(struct xpt_pinned **ret_p);	/* 0 or -ENOMEM */
void xpt_pinned__free(struct xpt_pinned *p);	/* NULL is fine */
/* A call that worked and counts; any class. */
void xpt_pinned__call(struct xpt_pinned *p, const struct xpt_call *c);
void xpt_pinned__gone(struct xpt_pinned *p, const struct xpt_proc *proc);
void xpt_pinned__forget(struct xpt_pinned *p);	/* at XPT_EV_FORGET */
bool xpt_pinned__has(const struct xpt_pinned *p, const struct xpt_proc *proc, uint64_t addr);
uint64_t xpt_pinned__dropped(const struct xpt_pinned *p);	/* ranges that found no room */

#endif
