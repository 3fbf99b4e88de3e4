// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * --budget: feeds the controller (budget.h) four times a second and carries out
 * its decisions, by a flag in the map that the probes read anyway. Each switch
 * becomes a MODE record. Processes count from their first traced call on; time
 * that went into attaching is not tracing's running cost and left out.
 */
#include "engine/priv.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/time.h"
#include "engine/cost/budget.h"
#include "engine/cost/budget_apply.h"
#include "engine/cost/calibrate.h"
#include "engine/function_ids.h"
#include "wire/config.h"
#include "wire/rate.h"
#include "call.skel.h"

#define STEP_NS 250000000ull
#define COST_NS 2000000000ull	/* between two looks at the cost of a call */

struct xpt_spend {
	struct xpt_budget *budget;
	struct xpt_hashmap *procs;	/* tgid: it has made traced calls */
	const uint64_t *hits;		/* the kernel's, XPT_HIT_ROWS times XPT_MAX_FNS */
	uint64_t last[XPT_MAX_FNS];	/* sum of hits at the last step */
	uint64_t sent[XPT_MAX_FNS], failed[XPT_MAX_FNS];	/* events since then */
	uint64_t last_ns, last_cpu_ns, last_attach_ns;
	uint64_t cost_ns;		/* when the cost of a call was looked up last */
	uint32_t nr_added;		/* functions that the controller knows */
	bool switched;
};

int xpt_spend__new(struct xpt_engine *e)
{
	size_t bytes = XPT_HIT_ROWS * XPT_MAX_FNS * sizeof(uint64_t);
	struct xpt_spend *s;
	void *p;
	int err;

	if (!e->cfg.budget_ppm)
		return 0;
	s = e->spend = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	err = xpt_budget__new(e->cfg.budget_ppm, XPT_MAX_FNS, &s->budget);
	if (!err)
		err = xpt_hashmap__new(sizeof(uint32_t), 1, XPT_MAX_PROCS, &s->procs);
	if (err)
		return err;
	p = mmap(NULL, bytes, PROT_READ, MAP_SHARED, bpf_map__fd(e->skel->maps.xpt_hits), 0);
	if (p == MAP_FAILED)
		return -errno;
	s->hits = p;
	return 0;
}

void xpt_spend__free(struct xpt_engine *e)
{
	struct xpt_spend *s = e->spend;

	if (!s)
		return;
	if (s->hits)
		munmap((void *)(uintptr_t)s->hits, XPT_HIT_ROWS * XPT_MAX_FNS * sizeof(uint64_t));
	xpt_hashmap__free(s->procs);
	xpt_budget__free(s->budget);
	free(s);
	e->spend = NULL;
}

void xpt_spend__set(struct xpt_engine *e, uint64_t budget_ppm)
{
	if (!e->spend || !budget_ppm)
		return;
	e->cfg.budget_ppm = budget_ppm;
	xpt_budget__set(e->spend->budget, budget_ppm);
}

bool xpt_spend__switched(const struct xpt_engine *e)
{
	return e->spend && e->spend->switched;
}

void xpt_spend__on_task(struct xpt_engine *e, const struct xpt_rec_task *t)
{
	uint32_t tgid = t->tgid;

	if (e->spend && t->event == XPT_TASK_THREAD)
		xpt_hashmap__get(e->spend->procs, &tgid, NULL);
	else if (e->spend && t->event == XPT_TASK_EXIT)
		xpt_hashmap__del(e->spend->procs, &tgid);
}

void xpt_spend__on_call(struct xpt_engine *e, const struct xpt_rec_call *c)
{
	if (!e->spend || c->rec.fn >= XPT_MAX_FNS)
		return;
	e->spend->sent[c->rec.fn]++;
	e->spend->failed[c->rec.fn] += !!(c->flags & XPT_CALL_FAILED);
}

static void emit_switch(struct xpt_engine *e, const struct xpt_budget_switch *sw)
{
	struct xpt_rec_mode *m = memset(e->scratch, 0, sizeof(*m));

	m->rec.kind = XPT_REC_MODE;
	m->rec.fn = sw->fn;
	m->ts_ns = xpt_now_ns();
	m->from = sw->from;
	m->to = sw->to;
	m->cost_ppm = sw->cost_ppm;
	m->budget_ppm = e->cfg.budget_ppm;
	xpt_facts__emit(e, sizeof(*m));
}

static void carry_out(struct xpt_engine *e, const struct xpt_budget_switch *sw)
{
	static const uint8_t flag[XPT_MODE__MAX] = {
		[XPT_MODE_ERRORS] = XPT_FN_ERRORS_ONLY, [XPT_MODE_COUNTERS] = XPT_FN_COUNT_ONLY,
	};
	int fd = bpf_map__fd(e->skel->maps.xpt_fns);
	struct xpt_wire_fn spec;

	if (sw->fn) {
		if (bpf_map_lookup_elem(fd, &sw->fn, &spec))
			return;
		spec.flags &= (uint8_t)~(XPT_FN_ERRORS_ONLY | XPT_FN_COUNT_ONLY);
		spec.flags |= flag[sw->to];
		if (bpf_map_update_elem(fd, &sw->fn, &spec, BPF_EXIST))
			return;
		e->spend->switched = true;
	}
	emit_switch(e, sw);
}

/* Functions that were attached since the last step. */
static void add_functions(struct xpt_engine *e)
{
	struct xpt_spend *s = e->spend;

	if (!s->nr_added)
		s->nr_added = 1;
	for (; s->nr_added < e->nr_fns; s->nr_added++) {
		const struct xpt_efn *f = &e->fns[s->nr_added];

		xpt_budget__fn(s->budget, s->nr_added, e->cost.v[f->cost_kind][XPT_COST_SENT].ns,
			       e->cost.v[f->cost_kind][XPT_COST_COUNTED].ns, f->keep);
	}
}

/* Takes the cost of a call, which changes with other load of the machine. */
static void take_cost(struct xpt_engine *e, uint64_t now)
{
	struct xpt_spend *s = e->spend;

	if (now - s->cost_ns < COST_NS)
		return;
	s->cost_ns = now;
	xpt_calibration__now(e);
	s->nr_added = 0;
}

static void take_hits(struct xpt_engine *e)
{
	struct xpt_spend *s = e->spend;
	uint32_t fn, row;

	for (fn = 1; fn < e->nr_fns; fn++) {
		uint64_t sum = 0;

		for (row = 0; row < XPT_HIT_ROWS; row++)
			sum += __atomic_load_n(&s->hits[row * XPT_MAX_FNS + fn], __ATOMIC_RELAXED);
		xpt_budget__note(s->budget, fn, sum - s->last[fn], s->sent[fn], s->failed[fn]);
		s->last[fn] = sum;
		s->sent[fn] = s->failed[fn] = 0;
	}
}

void xpt_spend__step(struct xpt_engine *e)
{
	struct xpt_budget_switch sw[XPT_BUDGET_SWITCHES];
	struct xpt_spend *s = e->spend;
	uint64_t now = xpt_now_ns(), cpu, own, attach, dt;
	int n, i;

	if (!s || now - s->last_ns < STEP_NS)
		return;
	cpu = xpt_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	dt = now - s->last_ns;
	own = cpu - s->last_cpu_ns;
	attach = e->stats.attach_ns - s->last_attach_ns;
	own = own > attach ? own - attach : 0;
	if (s->last_ns) {
		take_cost(e, now);
		add_functions(e);
		take_hits(e);
		n = xpt_budget__step(s->budget, now, dt, dt * xpt_hashmap__len(s->procs), own, sw);
		for (i = 0; i < n; i++)
			carry_out(e, &sw[i]);
	}
	s->last_ns = now;
	s->last_cpu_ns = cpu;
	s->last_attach_ns = e->stats.attach_ns;
}
