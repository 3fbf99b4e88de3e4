/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ledger of open blocks: those that ALLOC and REGISTER calls opened and
 * FREE and DEREGISTER calls have not closed yet, by process and address or
 * handle.
 *
 * Knows functions by class, role and kind only (wire/vocab.h), not by name. Whoever makes a ledger feeds it calls in
 * order of completion. Listeners are called for each block that opens or closes, with the reason (struct
 * xpt_ledger_ops).
 *
 * A block begins when its allocation returns and ends when its free begins: between these, no other block has the
 * address, whatever other threads do. A free releases the address before it returns. So an allocation of another
 * thread may return that address, and its event may arrive, before the event of the free. The older block is then
 * closed as REUSED, and settled later, when its free arrives.
 */
#ifndef XPT_MODEL_MEMORY_LEDGER_H
#define XPT_MODEL_MEMORY_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/memory/block.h"
#include "model/memory/contexts.h"
#include "model/event.h"

enum xpt_close {
	XPT_CLOSE_FREE,		/* by a call */
	XPT_CLOSE_REUSED,	/* its address was handed out again; `settled` follows */
	XPT_CLOSE_RESET,	/* its context was destroyed */
	XPT_CLOSE_EXEC,		/* its process ran another program */
	XPT_CLOSE_EXIT,		/* its process ended, and no call had freed it */
	XPT_CLOSE_END,		/* the trace ended, the block is still open */
	XPT_CLOSE_EVICTED,	/* the table was full */
};

struct xpt_ledger_ops {		/* each may be NULL */
	void (*opened)(void *ctx, struct xpt_block *b);
	/* c: the closing call, or NULL; ts_ns: the end of the block. b is valid during the call only. */
	void (*closed)(void *ctx, const struct xpt_block *b, enum xpt_close why,
		       const struct xpt_call *c, uint64_t ts_ns);
	/* A successful free of a block that is not in the ledger. */
	void (*unknown)(void *ctx, const struct xpt_call *c);
	/*
	 * Once for each block closed as REUSED: it died at ts_ns, by the call c; NULL: the
	 * free did not arrive, and ts_ns is before the address was handed out again.
	 */
	void (*settled)(void *ctx, const struct xpt_block *b, const struct xpt_call *c,
			uint64_t ts_ns);
};

struct xpt_ledger;

#define XPT_LEDGER_LISTENERS 8

/*
 * max: blocks that may be open at once. When full, evict closes an old block
 * for each new one; without it, new blocks are not entered. ops and ctx: the
 * first listener; ops NULL: none yet. 0 or -ENOMEM.
 */
int xpt_ledger__new(size_t max, bool evict, const struct xpt_ledger_ops *ops, void *ctx,
		    struct xpt_ledger **ret_l);
/* Adds a listener, called after the others. ops lives as long as the ledger. 0 or -E2BIG. */
int xpt_ledger__listen(struct xpt_ledger *l, const struct xpt_ledger_ops *ops, void *ctx);
void xpt_ledger__free(struct xpt_ledger *l);	/* NULL is fine; calls no ops */
void xpt_ledger__call(struct xpt_ledger *l, const struct xpt_call *c);
/* Whether calls of the function may open or close blocks. Other calls at most change the context of a thread. */
bool xpt_ledger__is_changed_by(const struct xpt_fn *fn);
/* Whether the ledger needs calls of the function, because they change blocks or the context of a thread. */
bool xpt_ledger__takes(const struct xpt_fn *fn);
/* c has not returned yet. A block that it frees is no leak if the trace ends before c returns. */
void xpt_ledger__inflight(struct xpt_ledger *l, const struct xpt_call *c);
/* Closes all blocks of a process: XPT_CLOSE_EXEC or XPT_CLOSE_EXIT. */
void xpt_ledger__gone(struct xpt_ledger *l, const struct xpt_proc *proc, enum xpt_close why,
		      uint64_t ts_ns);
/* At XPT_EV_FORGET: closes blocks that were entered after xpt_ledger__gone(), as XPT_CLOSE_EXIT. */
void xpt_ledger__forget(struct xpt_ledger *l, uint64_t ts_ns);
void xpt_ledger__end(struct xpt_ledger *l, uint64_t ts_ns);	/* closes the rest */
/* The open block that an ALLOC or FREE call is about, NULL if there was none when it began;
 * valid until the next call. */
const struct xpt_block *xpt_ledger__find(const struct xpt_ledger *l, const struct xpt_call *c);
/* Returns the context in which the call's thread works. */
struct xpt_place xpt_ledger__where(const struct xpt_ledger *l, const struct xpt_call *c);
uint64_t xpt_ledger__dropped(const struct xpt_ledger *l);	/* evicted or not entered */
/* Returns the number of frees that returned so late that their block was not known any more. */
uint64_t xpt_ledger__missed(const struct xpt_ledger *l);

/* The function that opened it: the innermost caller outside of the call's libraries, NULL without a stack. */
const char *xpt_block__place(const struct xpt_block *b);

/* True for kinds that hold bytes of memory of their own. */
bool xpt_kind_is_memory(unsigned kind);

#endif
