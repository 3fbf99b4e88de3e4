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
/* Whether a call that is not in the stream may have happened: true if more than one call in 1,000 was lost. */
bool xpt_missing__calls(const struct xpt_missing *m);
/* The same, or if the function of a missing call may not have been traced. */
bool xpt_missing__any(const struct xpt_missing *m);

#endif
