/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Findings: an analyzer's conclusion for the user in one sentence, with the
 * numbers that show it and advice. Any analyzer reports them, at the end of the
 * trace, with one call. They are collected, put in order, and the first
 * XPT_MAX_FINDINGS come out as records of one schema, "verdict".
 *
 * A finding is a promise: if the user does what it says, something gets better.
 * Silence is better than a false alarm. Every kind stands in docs/findings.md
 * with its threshold and the reason for it.
 */
#ifndef XPT_MODEL_OUTPUT_FINDING_H
#define XPT_MODEL_OUTPUT_FINDING_H

#include <stdint.h>
#include "model/event.h"
#include "model/output/schema.h"

struct xpt_out;
struct xpt_findings;

#define XPT_MAX_FINDINGS 5	/* that are shown; more are counted */

/* The first key of the order; the second is the time within STOPPED, else the lost time. */
enum xpt_weight {
	XPT_WEIGHT_STOPPED,	/* the program ended or stands still: sticky error, hang */
	XPT_WEIGHT_DOUBT,	/* the trace cannot be relied on: losses */
	XPT_WEIGHT_BROKEN,	/* something failed or is going to: memory that grows */
	XPT_WEIGHT_SLOW,	/* costs lost_ns of wall time */
	XPT_WEIGHT_WASTE,	/* costs something else: memory kept until the end */
};

struct xpt_finding {
	const char *kind;	/* "churn": short, stable, snake_case; a string constant */
	enum xpt_weight weight;
	uint64_t lost_ns;	/* wall time that could be gained at most; 0: no matter of time */
	uint64_t at_ns;		/* CLOCK_MONOTONIC, first or worst case; 0: no one place */
	uint64_t since_ns;	/* STOPPED: when it became one, which decides about the order; 0: at_ns */
	const struct xpt_proc *proc;	/* NULL: the trace as a whole */
	const char *text;	/* one sentence, the evidence: numbers, names, with a full stop */
	const char *alike;	/* findings of a kind about processes of one name that are equal in this
				 * ("": all are) are one finding, the first that is reported; NULL: none are */
	const char *advice;	/* one sentence of advice; "" if there is none */
};

/* Reports one, before or during XPT_EV_END; texts are copied. */
void xpt_out__finding(struct xpt_out *out, const struct xpt_finding *f);

/* How long a process (NULL: the trace) was there between these two times. */
uint64_t xpt_finding__wall_ns(const struct xpt_proc *proc, uint64_t start_ns, uint64_t end_ns);

/*
 * The collection, for the receiver of xpt_out. It keeps the weightiest few
 * dozen and counts the rest. emit hands the findings to xpt_out__emit() as
 * records of the schema, in order, at_ns from start_ns on; the last record says
 * how many more there were. new: 0 or -ENOMEM.
 */
int xpt_findings__new(struct xpt_findings **ret_f);
void xpt_findings__free(struct xpt_findings *f);	/* NULL is fine */
void xpt_findings__add(struct xpt_findings *f, const struct xpt_finding *add);
void xpt_findings__emit(const struct xpt_findings *f, uint64_t start_ns, uint64_t end_ns,
			struct xpt_out *out);

extern const struct xpt_schema xpt_verdict_schema;

#endif
