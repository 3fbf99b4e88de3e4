/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Computes the cost of one traced call from measured rounds: a pure function. A round is a chunk of calls of each
 * kind, one after the other, so that other load of the machine affects all of them alike; each traced chunk is
 * compared with the untraced one of its own round.
 */
#ifndef XPT_ENGINE_COST_CALL_COST_H
#define XPT_ENGINE_COST_CALL_COST_H

#include <stdbool.h>
#include <stdint.h>
#include "wire/wire.h"

enum { XPT_COST_SENT, XPT_COST_COUNTED, XPT_COST__MAX };	/* of a call: does it become an event? */

struct xpt_cost_chunk {		/* CPU time in ns */
	uint32_t untraced, traced[XPT_COST__MAX];
};

struct xpt_cost_round {
	struct xpt_cost_chunk kind[XPT_COST__KINDS];	/* by enum xpt_cost_kind */
};

struct xpt_cost_value {		/* ns; 0 in all: not known */
	uint64_t ns, low, high;	/* low, high: a quarter of the rounds was below, above */
};

struct xpt_call_cost {
	struct xpt_cost_value v[XPT_COST__KINDS][XPT_COST__MAX];
};

/*
 * calls: in one chunk of each kind. True, and all values, if they are plausible; else
 * false, the reason, and no value at all: because a wrong figure is worse than none.
 */
bool xpt_call_cost__find(const struct xpt_cost_round *rounds, uint32_t nr,
			 const uint32_t calls[XPT_COST__KINDS], struct xpt_call_cost *ret_cost,
			 const char **ret_why);
#endif
