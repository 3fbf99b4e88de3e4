/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inside the engine: the kernel's counts, on their way into the stream. Most
 * are written at the end of the trace, counts of ended processes before.
 */
#ifndef XPT_ENGINE_FINAL_COUNTS_H
#define XPT_ENGINE_FINAL_COUNTS_H

#include "engine/priv.h"

/* final_counts.c: the kernel's counts */
void xpt_totals__counters(struct xpt_engine *e);	/* COUNTER, ERRCOUNT, LOSS */
void xpt_totals__emit_now(struct xpt_engine *e);	/* COUNTER_NOW, ERRCOUNT_NOW, LOSS where it has grown */
void xpt_totals__cost(struct xpt_engine *e);
void xpt_totals__add(struct xpt_wire_count *sum, const struct xpt_wire_count *c);
void xpt_totals__emit_count(struct xpt_engine *e, const struct xpt_wire_count_key *key,
			    const struct xpt_wire_count *sum);
void xpt_totals__emit_error(struct xpt_engine *e, const struct xpt_wire_error_key *key,
			    uint64_t calls);

struct xpt_ended {			/* of the last process of a number */
	uint64_t at_ns;
	bool has_called;		/* it may have counters */
};

/* processes/ended_processes.c: counters of processes that have ended, before the end of the trace */
void xpt_recycle__ended(struct xpt_engine *e, uint32_t tgid, uint64_t end_ns, bool has_called);
void xpt_recycle__poll(struct xpt_engine *e, uint64_t now);
/* Another process has that number: hands on the remaining counts of the last one, before anything of the new one. */
void xpt_recycle__reused(struct xpt_engine *e, uint32_t tgid);
/* The process of that number has ended, and none is known that has it now. */
bool xpt_recycle__has_ended(const struct xpt_engine *e, uint32_t tgid);
/* Whether a process that began at began_ns has the number of one that has ended, and no record of it was read yet. */
bool xpt_recycle__is_next(const struct xpt_engine *e, uint32_t tgid, uint64_t began_ns);

#endif
