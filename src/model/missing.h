/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The gaps in a stream of events, for analyzers that conclude something from
 * the absence of events: calls left out as asked (--sample, --rate, --budget,
 * --errors-only ...), lost ones, functions that were not traced (-f). An
 * analyzer keeps one of these, zeroed, shows it every event but calls (calls
 * too where losses matter), and asks at the end.
 */
#ifndef XPT_MODEL_MISSING_H
#define XPT_MODEL_MISSING_H

#include <stdbool.h>
#include <stdint.h>
#include "model/event.h"

struct xpt_missing {
	char why[80];		/* calls were left out: the reason, "" if none were */
	bool functions;		/* only some functions were traced */
	uint64_t lost;		/* events of calls that found no room in the buffer */
	uint64_t counted;	/* calls by the kernel's counters, 0 without them */
};

void xpt_missing__see(struct xpt_missing *m, const struct xpt_event *ev);
/* Is a call that is not there perhaps only not seen? Not for less than one lost in 1,000. */
bool xpt_missing__calls(const struct xpt_missing *m);
/* That, or: is it perhaps a call of a function that was not traced? */
bool xpt_missing__any(const struct xpt_missing *m);

#endif
