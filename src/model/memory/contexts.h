/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The current CUDA context of each thread, learned from calls alone: calls of the class INIT hand contexts out,
 * arguments with the role CURRENT make one current, calls of the class RESET end one. Functions are recognized by
 * class and arguments by role (wire/vocab.h), not by name.
 *
 * If the current context of a thread was not seen (it is older than the trace, or its call was filtered), it is
 * unknown and not guessed, unless exactly one context of the process was seen.
 */
#ifndef XPT_MODEL_MEMORY_CONTEXTS_H
#define XPT_MODEL_MEMORY_CONTEXTS_H

#include <stdbool.h>
#include <stdint.h>
#include "model/event.h"

#define XPT_NO_DEVICE UINT32_MAX

struct xpt_place {
	uint64_t context;	/* handle; 0 unknown; a stand-in where only the device is known */
	uint32_t device;	/* ordinal, XPT_NO_DEVICE if unknown */
};

struct xpt_ending {
	struct xpt_place place;	/* the context that ends; context 0 and no device: it may be any */
	uint64_t begin_ns;	/* when it began, 0 unknown: older memory cannot end with it */
	/*
	 * When its handle was handed out again (0: it was not): younger memory is that of the next
	 * context. Where this cannot be known, the begin of the call that ended it.
	 */
	uint64_t until_ns;
};

struct xpt_contexts;

int xpt_contexts__new(struct xpt_contexts **ret_cs);	/* 0 or -ENOMEM */
void xpt_contexts__free(struct xpt_contexts *cs);	/* NULL is fine */
/* To be called for each call that worked, except those of the class RESET, in order of completion. */
void xpt_contexts__call(struct xpt_contexts *cs, const struct xpt_call *c);
struct xpt_place xpt_contexts__where(const struct xpt_contexts *cs, const struct xpt_proc *proc,
				     uint32_t tid);
/* Returns the context that a RESET call ends, and forgets it. Call it in place of
 * xpt_contexts__call(). */
struct xpt_ending xpt_contexts__end(struct xpt_contexts *cs, const struct xpt_call *c);
/* True if memory that was allocated at open_ns in that context is gone with the ending. */
bool xpt_ending__takes(const struct xpt_ending *e, struct xpt_place place, uint64_t open_ns);
/* The process has ended or executed another program: its contexts are dropped. */
void xpt_contexts__gone(struct xpt_contexts *cs, const struct xpt_proc *proc);
/* Drops all that is known of processes that are marked as forgotten (XPT_EV_FORGET). */
void xpt_contexts__forget(struct xpt_contexts *cs);

#endif
