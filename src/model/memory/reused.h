/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Blocks whose address was handed out again before the call that freed them
 * had returned. Part of the ledger: it keeps them here until that free arrives,
 * and finds by the time at which a free began which block it was for.
 *
 * The waiting blocks are bounded by number and by time. A block that waits too
 * long is given up; a free that may have been for such a block is recognizable.
 */
#ifndef XPT_MODEL_MEMORY_REUSED_H
#define XPT_MODEL_MEMORY_REUSED_H

#include <stdbool.h>
#include <stdint.h>
#include "model/memory/block.h"

#define XPT_REUSED_MAX 4096u
#define XPT_REUSED_WAIT_NS 2000000000u	/* a free has given its address back: it returns soon */

struct xpt_reused;

/* given_up: this block's free did not arrive; it was replaced at gone_ns. */
int xpt_reused__new(void (*given_up)(void *ctx, const struct xpt_block *b, uint64_t gone_ns),
		    void *ctx, struct xpt_reused **ret_r);	/* 0 or -ENOMEM */
void xpt_reused__free(struct xpt_reused *r);	/* NULL is fine; gives nothing up */
/* The address of b was handed out again at gone_ns. */
void xpt_reused__add(struct xpt_reused *r, const struct xpt_block *b, uint64_t gone_ns);
/* The youngest block of that address which was open at start_ns; false if none waits. */
bool xpt_reused__take(struct xpt_reused *r, const struct xpt_block *addr, uint64_t start_ns,
		      struct xpt_block *ret_b);
/* The same without taking it; NULL if none waits. */
struct xpt_block *xpt_reused__find(const struct xpt_reused *r, const struct xpt_block *addr,
				   uint64_t start_ns);
/* True if a free that began at start_ns may be for a block that was given up. */
bool xpt_reused__missed(const struct xpt_reused *r, uint64_t start_ns);
/* Gives up all blocks of a process, with NULL those of all processes. */
void xpt_reused__give_up(struct xpt_reused *r, const struct xpt_proc *proc);

#endif
