/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ledger of open blocks: what ALLOC and REGISTER calls opened and FREE and
 * DEREGISTER calls have not closed yet, by process and address or handle.
 *
 * Knows classes, roles and kinds, no function names. The owner learns of each
 * block that opens and closes and why; it feeds calls in order of completion.
 */
#ifndef XPT_MODEL_LEDGER_H
#define XPT_MODEL_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/contexts.h"
#include "model/event.h"

enum xpt_close {
	XPT_CLOSE_FREE,		/* by a call */
	XPT_CLOSE_REUSED,	/* its address was handed out again: the free was not seen yet */
	XPT_CLOSE_RESET,	/* with its context */
	XPT_CLOSE_EXEC,		/* its process ran another program */
	XPT_CLOSE_EXIT,		/* its process ended: nobody freed it */
	XPT_CLOSE_END,		/* the trace ended, the block is still open */
	XPT_CLOSE_EVICTED,	/* the table was full */
};

struct xpt_block {
	const struct xpt_proc *proc;
	const struct xpt_fn *fn;	/* what opened it, the innermost call */
	const struct xpt_fn *outer;	/* a call of the same class around that, or NULL */
	const struct xpt_stack *stack;	/* of the outermost of them that has one, or NULL */
	uint64_t addr;		/* address or handle */
	uint64_t bytes;		/* 0 if the function captures no size */
	uint64_t open_ns;	/* when the opening call returned */
	uint64_t call_ns;	/* how long that took, outer call included */
	uint64_t context;	/* that it belongs to, 0 unknown: see contexts.h */
	uint32_t device;	/* XPT_NO_DEVICE if unknown */
	uint8_t kind;		/* enum xpt_kind */
	uint8_t space;		/* of addr: see ledger.c */
	uint16_t pending;	/* frees that belong to earlier blocks of this address */
	uint32_t tag;		/* for the owner, 0 at first */
	uint32_t prev, next;	/* the ledger's own */
};

struct xpt_ledger_ops {
	void (*opened)(void *ctx, struct xpt_block *b);
	/* c: the closing call, NULL if none. The block is gone afterwards. */
	void (*closed)(void *ctx, const struct xpt_block *b, enum xpt_close why,
		       const struct xpt_call *c, uint64_t ts_ns);
	/* A successful free of what is not in the ledger. May be NULL. */
	void (*unknown)(void *ctx, const struct xpt_call *c);
};

struct xpt_ledger;

/*
 * max: blocks that may be open at once. When full, evict closes an old block
 * for each new one; without it, new blocks are not entered. 0 or -ENOMEM.
 */
int xpt_ledger__new(size_t max, bool evict, const struct xpt_ledger_ops *ops, void *ctx,
		    struct xpt_ledger **ret_l);
void xpt_ledger__free(struct xpt_ledger *l);	/* NULL is fine; calls no ops */
void xpt_ledger__call(struct xpt_ledger *l, const struct xpt_call *c);
/* Closes all blocks of a process: XPT_CLOSE_EXEC or XPT_CLOSE_EXIT. */
void xpt_ledger__gone(struct xpt_ledger *l, const struct xpt_proc *proc, enum xpt_close why,
		      uint64_t ts_ns);
/* At XPT_EV_FORGET: what came later still. */
void xpt_ledger__forget(struct xpt_ledger *l, uint64_t ts_ns);
void xpt_ledger__end(struct xpt_ledger *l, uint64_t ts_ns);	/* closes the rest */
/* The open block that an ALLOC or FREE call is about, NULL if none; valid until the next call. */
const struct xpt_block *xpt_ledger__find(const struct xpt_ledger *l, const struct xpt_call *c);
/* The context that the call's thread works in. */
struct xpt_place xpt_ledger__where(const struct xpt_ledger *l, const struct xpt_call *c);
uint64_t xpt_ledger__dropped(const struct xpt_ledger *l);	/* evicted or not entered */

/* Who opened it: the innermost caller outside of the call's libraries, NULL without a stack. */
const char *xpt_block__place(const struct xpt_block *b);

/* True for kinds that hold bytes of memory of their own. */
bool xpt_kind_is_memory(unsigned kind);

#endif
