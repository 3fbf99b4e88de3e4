/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stacks of a trace, by process and id, with interned frame names. Bounded;
 * a stack for which there is no room is not known to later calls.
 */
#ifndef XPT_PIPELINE_STACKS_H
#define XPT_PIPELINE_STACKS_H

#include "model/event.h"
#include "pipeline/intern.h"

struct xpt_stacks;

int xpt_stacks__new(struct xpt_intern *pool, struct xpt_stacks **ret_s);
void xpt_stacks__free(struct xpt_stacks *s);	/* NULL is fine */
/*
 * Takes a checked STACK record with its strings, which begin at `strings` and
 * end at `end`. False: it holds fewer strings than it says. *ret_full: no room.
 */
bool xpt_stacks__add(struct xpt_stacks *s, const struct xpt_rec_stack *r, const char *strings,
		     const char *end, bool *ret_full);
const struct xpt_stack *xpt_stacks__get(const struct xpt_stacks *s, uint32_t tgid, uint64_t id);

#endif
