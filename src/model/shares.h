/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shares of bounded tables by owner: of places of each kind an owner gets as many as are left free then, so nobody
 * takes those of all others. The name of a container is no owner: who may make cgroups has as many as he likes.
 */
#ifndef XPT_MODEL_SHARES_H
#define XPT_MODEL_SHARES_H

#include <stdbool.h>
#include <stdint.h>
#include "base/hashmap.h"
#include "model/event.h"

enum {
	XPT_SHARES_KINDS = 6,		/* of places, at most */
	XPT_SHARES_OWNERS = 1024,	/* who has shares; further ones have one together */
};

/* Returns the owner of a process as a number: a user with his subordinate users, or a container. */
typedef uint64_t (*xpt_shares_owner_fn)(void *ctx, uint32_t tgid);

struct xpt_shares {
	struct xpt_hashmap *rows;	/* uint64_t -> places that he has, of each kind */
	uint32_t max[XPT_SHARES_KINDS], used[XPT_SHARES_KINDS];
	xpt_shares_owner_fn ask;	/* NULL: each user is one */
	void *ask_ctx;
};

/* max: places of each kind. 0 or -ENOMEM. */
int xpt_shares__init(struct xpt_shares *s, const uint32_t *max, unsigned nr_kinds);
void xpt_shares__free(struct xpt_shares *s);	/* zeroed is fine */
/* Best called at the first record of the process: the owner of one that has ended cannot be found any more. */
uint64_t xpt_shares__ask(const struct xpt_shares *s, const struct xpt_proc *proc);
/*
 * Takes a place if that is within the owner's share. ret_share: whom to give it back to, and who may be asked for
 * other kinds in place of the owner; NULL: it is not needed.
 */
bool xpt_shares__take(struct xpt_shares *s, uint64_t owner, unsigned kind, uint64_t *ret_share);
/* Takes a place that has been given back for that, whatever the owner's share is. */
void xpt_shares__take_freed(struct xpt_shares *s, uint64_t owner, unsigned kind, uint64_t *ret_share);
void xpt_shares__give_back(struct xpt_shares *s, uint64_t share, unsigned kind, uint32_t n);

#endif
