/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The budget's controller: from the calls of each function and their cost it
 * computes which events each function may send. A pure function of its input;
 * it reads no clock and touches no map.
 *
 * Cost = calls times the calibrated cost of a call that is counted, plus sent
 * events times the extra cost of an event, plus the CPU time of xputrace, as a
 * share of the wall time of the traced processes.
 */
#ifndef XPT_ENGINE_COST_BUDGET_H
#define XPT_ENGINE_COST_BUDGET_H

#include <stdbool.h>
#include <stdint.h>
#include "wire/vocab.h"

struct xpt_budget;

struct xpt_budget_switch {
	uint32_t fn;		/* 0: all are counters, and the budget is still exceeded */
	enum xpt_mode from, to;
	uint64_t cost_ppm;	/* the cost that led to it, parts per million */
};

#define XPT_BUDGET_SWITCHES 64	/* in one step at most; the next one goes on */

/* ppm: the budget, parts per million of wall time; nr_fns: ids are below. 0 or -ENOMEM. */
int xpt_budget__new(uint64_t ppm, uint32_t nr_fns, struct xpt_budget **ret_b);
void xpt_budget__set(struct xpt_budget *b, uint64_t ppm);	/* another budget from the next step on */
void xpt_budget__free(struct xpt_budget *b);	/* NULL is fine */
/* Sets the cost of a call of the function for its caller, ns: sent as an event, and only counted. */
void xpt_budget__fn(struct xpt_budget *b, uint32_t fn, uint64_t event_ns, uint64_t count_ns,
		    bool fixed);	/* fixed: its events are always needed */
/* Calls since the last step, and events that came of them, failed ones among these. */
void xpt_budget__note(struct xpt_budget *b, uint32_t fn, uint64_t calls, uint64_t sent,
		      uint64_t failed);
/*
 * Ends a step of dt_ns at now_ns, in which the traced processes lived wall_ns in
 * total and xputrace used cpu_ns. ret: room for XPT_BUDGET_SWITCHES. Returns how
 * many switches are to be made.
 */
int xpt_budget__step(struct xpt_budget *b, uint64_t now_ns, uint64_t dt_ns, uint64_t wall_ns,
		     uint64_t cpu_ns, struct xpt_budget_switch *ret);

#endif
