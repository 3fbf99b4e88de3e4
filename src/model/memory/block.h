/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A block that is open: memory that was allocated, or another resource that was created or
 * registered, and that no call has freed yet. The ledger keeps them (ledger.h).
 */
#ifndef XPT_MODEL_MEMORY_BLOCK_H
#define XPT_MODEL_MEMORY_BLOCK_H

#include <stdint.h>
#include "model/event.h"

struct xpt_block {
	const struct xpt_proc *proc;
	const struct xpt_fn *fn;	/* the function that opened it, the innermost call */
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
	uint64_t freeing_ns;	/* begin of a free that has not returned, 0: there is none */
	uint32_t tag;		/* for the first listener, 0 at first */
	uint32_t prev, next;	/* the ledger's own */
};

#endif
