/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many bytes a call freed: the call itself names an address only, the call that
 * allocated it the size. Known where that was seen.
 */
#ifndef XPT_PIPELINE_CALLS_FREED_H
#define XPT_PIPELINE_CALLS_FREED_H

#include <stdint.h>
#include "model/event.h"

struct xpt_freed;

int xpt_freed__new(struct xpt_freed **ret_f);	/* 0 or -ENOMEM */
void xpt_freed__free(struct xpt_freed *f);	/* NULL is fine */
/* Takes each call that returned, in order of arrival; sets c->freed of a call that freed a known block. */
void xpt_freed__call(struct xpt_freed *f, struct xpt_call *c);
/* The process ran another program, or ended. */
void xpt_freed__gone(struct xpt_freed *f, const struct xpt_proc *proc, uint64_t ts_ns);
void xpt_freed__forget(struct xpt_freed *f, uint64_t ts_ns);	/* at XPT_EV_FORGET */

#endif
