/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events other than calls: processes, and the counters and losses that come at
 * the end of a trace. Part of feed.h.
 */
#ifndef TESTS_UNIT_FEED_EVENTS_H
#define TESTS_UNIT_FEED_EVENTS_H

#include "feed.h"

static inline void feed_proc_event(struct feed *f, enum xpt_event_kind kind,
				   struct xpt_proc *p, uint64_t at, bool exec)
{
	struct xpt_event ev = { .kind = kind, .ts_ns = FEED_T0 + at };

	if (kind == XPT_EV_EXIT)
		p->exit_ns = ev.ts_ns;
	ev.u.proc.proc = p;
	ev.u.proc.exec = exec;
	feed_event(f, &ev);
}

/* calls of took ns each; sub: XPT_DIR_* | XPT_SUB_*. */
static inline void feed_counter(struct feed *f, const struct xpt_fn *fn,
				const struct xpt_proc *p, unsigned sub, uint64_t calls,
				uint64_t errors, uint64_t bytes, uint64_t took)
{
	struct xpt_wire_count n = { .calls = calls, .errors = errors, .bytes = bytes,
				    .time_ns = calls * took, .max_ns = took };
	struct xpt_event ev = { .kind = XPT_EV_COUNTER, .ts_ns = FEED_T0 };
	unsigned slot = 0;

	while (1ull << slot < took)
		slot++;
	n.hist[slot] = calls;
	ev.u.counter.fn = fn;
	ev.u.counter.proc = p;
	ev.u.counter.dir = sub & XPT_SUB_DIR;
	ev.u.counter.outer = sub & XPT_SUB_OUTER;
	ev.u.counter.nested = sub & XPT_SUB_NESTED;
	ev.u.counter.in_named = sub & XPT_SUB_IN_NAMED;
	ev.u.counter.passed_on = sub & XPT_SUB_PASSED_ON;
	ev.u.counter.count = &n;
	feed_event(f, &ev);
}

static inline void feed_errcount(struct feed *f, const struct xpt_fn *fn,
				 const struct xpt_proc *p, int64_t code, uint64_t calls)
{
	struct xpt_event ev = { .kind = XPT_EV_ERRCOUNT, .ts_ns = FEED_T0 };

	ev.u.errcount.fn = fn;
	ev.u.errcount.proc = p;
	ev.u.errcount.code = code;
	ev.u.errcount.result = xpt_domain__result(&feed_domain, code);
	ev.u.errcount.expected = xpt_domain__expected(&feed_domain, fn->name, code);
	ev.u.errcount.failed = !ev.u.errcount.expected && !(ev.u.errcount.result && ev.u.errcount.result->benign);
	ev.u.errcount.calls = calls;
	feed_event(f, &ev);
}

/* What tracing adds to a call of the function that is sent, and to one that is only counted. */
static inline void feed_fncost(struct feed *f, const struct xpt_fn *fn, uint64_t event_ns, uint64_t count_ns,
			       uint64_t events)
{
	struct xpt_rec_fncost rec = { .event_ns = event_ns, .count_ns = count_ns, .events = events };
	struct xpt_event ev = { .kind = XPT_EV_FNCOST, .ts_ns = FEED_T0 };

	ev.u.fncost.fn = fn;
	ev.u.fncost.rec = &rec;
	feed_event(f, &ev);
}

static inline void feed_loss(struct feed *f, enum xpt_loss loss, uint64_t count)
{
	struct xpt_event ev = { .kind = XPT_EV_LOSS, .ts_ns = FEED_T0 };

	ev.u.loss.loss = loss;
	ev.u.loss.count = count;
	feed_event(f, &ev);
}

static inline void feed_meta(struct feed *f, const char *key, const char *value)
{
	struct xpt_event ev = { .kind = XPT_EV_META };

	ev.u.meta.key = key;
	ev.u.meta.value = value;
	feed_event(f, &ev);
}

#endif
