// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The controller. Rates are smoothed over a second. Above the budget the
 * functions whose events cost most are reduced until four fifths of it are
 * predicted; back they go when the prediction with their events stays below
 * that. The distance between the two, and a time for which a function stays
 * reduced, which doubles each time it comes back too early, prevent flapping.
 */
#include "engine/cost/budget.h"

#include <errno.h>
#include <stdlib.h>

#define SMOOTH_NS 1e9
#define TARGET 0.8		/* of the budget: where reducing ends and going back ends too */
#define WORTH 0.02		/* of the budget: an event stream that costs less is left alone */
#define HOLD_NS 2000000000ull	/* the first time; doubled up to */
#define HOLD_MAX_NS 64000000000ull
#define EARLY_NS 10000000000ull	/* reduced again within this: it had come back too early */
#define SETTLE_NS 500000000ull	/* events of before are still being read */
#define CPU_EVENT_NS 700.0	/* our own CPU time for an event, until it is known */
#define CPU_KNOWN_RATE 2000.0	/* events a second from which it is */

struct fn {
	uint64_t now_calls, now_sent, now_failed;	/* in this step */
	double calls, sent, failed;			/* per second, smoothed */
	double event_ns, count_ns;
	uint64_t back_ns, hold_until_ns, hold_ns;	/* back_ns: when it came back last */
	uint8_t mode;					/* enum xpt_mode */
	bool fixed, known;
};

struct xpt_budget {
	double budget;		/* share of wall time */
	uint32_t nr_fns;
	double cpu;		/* own ns per second */
	double procs;		/* traced processes that lived */
	double cpu_event_ns;
	uint64_t settle_ns;
	bool begun, exceeded;	/* exceeded: it was reported that counters alone exceed the budget */
	struct fn fn[];
};

int xpt_budget__new(uint64_t ppm, uint32_t nr_fns, struct xpt_budget **ret_b)
{
	struct xpt_budget *b = calloc(1, sizeof(*b) + nr_fns * sizeof(b->fn[0]));

	if (!b)
		return -ENOMEM;
	b->budget = (double)ppm / 1e6;
	b->nr_fns = nr_fns;
	b->cpu_event_ns = CPU_EVENT_NS;
	*ret_b = b;
	return 0;
}

void xpt_budget__set(struct xpt_budget *b, uint64_t ppm)
{
	b->budget = (double)ppm / 1e6;
	b->exceeded = false;
}

void xpt_budget__free(struct xpt_budget *b)
{
	free(b);
}

void xpt_budget__fn(struct xpt_budget *b, uint32_t fn, uint64_t event_ns, uint64_t count_ns,
		    bool fixed)
{
	struct fn *f = fn < b->nr_fns ? &b->fn[fn] : NULL;

	if (!f)
		return;
	f->event_ns = (double)event_ns;
	f->count_ns = (double)(count_ns < event_ns ? count_ns : event_ns);
	f->fixed = fixed;
	f->known = true;
}

void xpt_budget__note(struct xpt_budget *b, uint32_t fn, uint64_t calls, uint64_t sent,
		      uint64_t failed)
{
	if (fn >= b->nr_fns || !b->fn[fn].known)
		return;
	b->fn[fn].now_calls += calls;
	b->fn[fn].now_sent += sent;
	b->fn[fn].now_failed += failed;
}

static double smooth_value(double old, double now, double alpha)
{
	return old + (now - old) * alpha;
}

/* Returns the extra cost of one event over a call that is counted: for its caller and for us. */
static double event_extra(const struct xpt_budget *b, const struct fn *f)
{
	return f->event_ns - f->count_ns + b->cpu_event_ns;
}

/* Share of wall time; rates and own time are per second. */
static double cost_share(const struct xpt_budget *b)
{
	double ns = b->cpu;
	uint32_t i;

	for (i = 0; i < b->nr_fns; i++) {
		const struct fn *f = &b->fn[i];

		if (f->known)
			ns += f->calls * f->count_ns + f->sent * (f->event_ns - f->count_ns);
	}
	return b->procs > 0 ? ns / 1e9 / b->procs : 0;
}

static void take_step(struct xpt_budget *b, double dt_ns, double wall_ns, double cpu_ns)
{
	double alpha = b->begun ? dt_ns / (dt_ns + SMOOTH_NS) : 1, per_s = 1e9 / dt_ns, sent = 0;
	uint32_t i;

	for (i = 0; i < b->nr_fns; i++) {
		struct fn *f = &b->fn[i];

		/* The ring still held events of before the switch: they are paid for. */
		if (f->mode != XPT_MODE_EVENTS)
			f->now_sent = f->mode == XPT_MODE_ERRORS ? f->now_failed : 0;
		f->calls = smooth_value(f->calls, (double)f->now_calls * per_s, alpha);
		f->sent = smooth_value(f->sent, (double)f->now_sent * per_s, alpha);
		f->failed = smooth_value(f->failed, (double)f->now_failed * per_s, alpha);
		sent += (double)f->now_sent * per_s;
		f->now_calls = f->now_sent = f->now_failed = 0;
	}
	b->cpu = smooth_value(b->cpu, cpu_ns * per_s, alpha);
	b->procs = smooth_value(b->procs, wall_ns / dt_ns, alpha);
	if (sent >= CPU_KNOWN_RATE)
		b->cpu_event_ns = smooth_value(b->cpu_event_ns, cpu_ns * per_s / sent, alpha);
	b->begun = true;
}

/* Finds the function whose events cost most, and their cost: ns per second. */
static struct fn *find_dearest(struct xpt_budget *b, double *ret_ns)
{
	struct fn *best = NULL;
	uint32_t i;

	*ret_ns = b->budget * WORTH * 1e9 * b->procs;
	for (i = 0; i < b->nr_fns; i++) {
		struct fn *f = &b->fn[i];
		double ns = f->sent * event_extra(b, f);

		if (!f->known || f->fixed || f->mode == XPT_MODE_COUNTERS || ns <= *ret_ns)
			continue;
		*ret_ns = ns;
		best = f;
	}
	return best;
}

static void set_mode(struct xpt_budget *b, struct fn *f, enum xpt_mode to, uint64_t cost_ppm,
		     struct xpt_budget_switch *ret)
{
	*ret = (struct xpt_budget_switch){ (uint32_t)(f - b->fn), f->mode, to, cost_ppm };
	f->mode = (uint8_t)to;
}

/* Returns the ns per second that this saves. */
static double reduce_events(struct xpt_budget *b, struct fn *f, uint64_t now_ns, uint64_t cost_ppm,
			    struct xpt_budget_switch *ret)
{
	double errors = f->failed * event_extra(b, f), before = f->sent, extra;
	bool few = errors <= b->budget * WORTH * 1e9 * b->procs;
	enum xpt_mode to = f->mode == XPT_MODE_EVENTS && few ? XPT_MODE_ERRORS : XPT_MODE_COUNTERS;

	if (f->back_ns && now_ns - f->back_ns < EARLY_NS)
		f->hold_ns = f->hold_ns * 2 < HOLD_MAX_NS ? f->hold_ns * 2 : HOLD_MAX_NS;
	else if (f->mode == XPT_MODE_EVENTS)
		f->hold_ns = HOLD_NS;
	f->hold_until_ns = now_ns + f->hold_ns;
	set_mode(b, f, to, cost_ppm, ret);
	f->sent = to == XPT_MODE_ERRORS ? f->failed : 0;
	extra = (before - f->sent) * b->cpu_event_ns;
	b->cpu = b->cpu > extra ? b->cpu - extra : 0;
	return (before - f->sent) * (f->event_ns - f->count_ns + b->cpu_event_ns);
}

/* Back to events, the cheapest first, as long as the target holds. */
static int restore_events(struct xpt_budget *b, uint64_t now_ns, double now, struct xpt_budget_switch *ret)
{
	double whole = 1e9 * b->procs, best_ns = 0;
	int n = 0;

	while (n < XPT_BUDGET_SWITCHES && whole > 0) {
		struct fn *best = NULL;
		uint32_t i;

		for (i = 0; i < b->nr_fns; i++) {
			struct fn *f = &b->fn[i];
			double ns = (f->calls - f->sent) * event_extra(b, f);

			if (f->mode == XPT_MODE_EVENTS || now_ns < f->hold_until_ns ||
			    (best && ns >= best_ns))
				continue;
			best = f;
			best_ns = ns;
		}
		if (!best || now + best_ns / whole > b->budget * TARGET)
			break;
		now += best_ns / whole;
		best->back_ns = now_ns;
		set_mode(b, best, XPT_MODE_EVENTS, (uint64_t)(now * 1e6), &ret[n++]);
		b->cpu += (best->calls - best->sent) * b->cpu_event_ns;
		best->sent = best->calls;
	}
	return n;
}

int xpt_budget__step(struct xpt_budget *b, uint64_t now_ns, uint64_t dt_ns, uint64_t wall_ns,
		     uint64_t cpu_ns, struct xpt_budget_switch *ret)
{
	double now, left, saves;
	struct fn *f;
	int n = 0;

	if (!dt_ns || !wall_ns)
		return 0;
	take_step(b, (double)dt_ns, (double)wall_ns, (double)cpu_ns);
	now = cost_share(b);
	if (now_ns < b->settle_ns)
		return 0;
	if (now <= b->budget) {
		b->exceeded = b->exceeded && now > b->budget * TARGET;
		n = restore_events(b, now_ns, now, ret);
	}
	for (left = now; now > b->budget && left > b->budget * TARGET && n < XPT_BUDGET_SWITCHES;) {
		f = find_dearest(b, &saves);
		if (!f)
			break;
		left -= reduce_events(b, f, now_ns, (uint64_t)(now * 1e6), &ret[n++]) / 1e9 / b->procs;
	}
	if (now > b->budget && !n && !b->exceeded) {
		b->exceeded = true;
		ret[n++] = (struct xpt_budget_switch){ 0, XPT_MODE_COUNTERS, XPT_MODE_COUNTERS,
						       (uint64_t)(now * 1e6) };
	}
	if (n)
		b->settle_ns = now_ns + SETTLE_NS;
	return n;
}
