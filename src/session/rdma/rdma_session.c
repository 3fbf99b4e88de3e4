// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See rdma_session.h. A record of the kernel's programs becomes a complete call here: with its
 * names, its cgroup and driver, and the lines of the kernel's log around it.
 */
#include "session/rdma/rdma_session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/time.h"
#include "rdma/graph/machine.h"

#define SAMPLE_NS 1000000000ull	/* between two good calls of a method that are sent */
#define TIDY_NS 5000000000ull

/* The kernel is asked once for all records that are read together. */
static bool may_lack_returns(struct xpt_rdma_session *s, const struct xpt_wire_rdma_rec *r)
{
	if (!s->asked_missed)
		xpt_rdma_misses__set(&s->misses, xpt_rdma_watch__missed(s->w), xpt_now_ns());
	s->asked_missed = true;
	return xpt_rdma_misses__during(&s->misses, r->start_ns, r->start_ns + r->dur_ns);
}

static void keep_event(struct xpt_rdma_session *s, const struct xpt_wire_rdma_rec *r)
{
	bool is_cm = r->ret >= XPT_RDMA_CM_EVENTS;
	char device[XPT_RDMA_NAME + 1], name[24];
	bool was_crowded;

	snprintf(device, sizeof(device), "%.*s", XPT_RDMA_NAME, r->device);
	was_crowded = s->events.crowded;
	xpt_rdma_near_events__add(&s->events, is_cm ? XPT_RDMA_EVENTS_OF_CM : XPT_RDMA_EVENTS_OF_DEVICE,
				  xpt_rdma_event_text((uint32_t)r->ret, name, sizeof(name)), device, r->value, r->start_ns);
	if (s->events.crowded && !was_crowded)
		xpt_warn("more than %d devices reported events within a second: verdicts may lack some of them",
			 XPT_RDMA_EVENT_DEVICES);
}

static void find_events(struct xpt_rdma_session *s, const struct xpt_wire_rdma_rec *r, struct xpt_rdma_trace *t)
{
	if (!xpt_rdma_is_errno(t->ret) && !(t->flags & XPT_RDMA_TRACE_SLOW))
		return;
	t->nr_events = xpt_rdma_near_events__find(&s->events, t->device, r->start_ns, r->start_ns + r->dur_ns, s->beside,
						  &t->more_events);
	t->events = s->beside;
}

/* A call that fails as it should, as those of tools do all the time, is no reason to read counters. */
static void find_counters(struct xpt_rdma_session *s, const struct xpt_wire_rdma_rec *r, struct xpt_rdma_trace *t)
{
	if (s->counters && *t->device && xpt_rdma_is_errno(t->ret) && !xpt_rdma_trace__is_expected(t))
		t->moved = xpt_rdma_counters__around(s->counters, t->device, r->start_ns, r->start_ns + r->dur_ns);
}

/* Callback of xpt_rdma_watch__read(). */
static void on_record(void *ctx, const struct xpt_wire_rdma_rec *r, size_t size)
{
	struct xpt_rdma_session *s = ctx;
	struct xpt_rdma_trace *t = &s->box.t;

	(void)size;
	if (r->kind == XPT_RDMA_REC_EVENT)
		keep_event(s, r);
	if (r->kind != XPT_RDMA_REC_CALL) {
		s->cfg.on_other(s->cfg.ctx, r);
		return;
	}
	s->list->loses = may_lack_returns(s, r);
	xpt_rdma_record__trace(s->list, r, (uint64_t)s->clock.offset_ns, &s->box);
	xpt_rdma_context__fill(&s->context, r, t);
	if (!s->cfg.is_wanted || s->cfg.is_wanted(s->cfg.ctx, r, t)) {	/* for others nobody waits */
		find_events(s, r, t);
		find_counters(s, r, t);
		s->cfg.on_call(s->cfg.ctx, r, t);
	}
	xpt_rdma_store__offer(s->files.store, t);
}

struct xpt_rdma_moment xpt_rdma_session__moment(const struct xpt_rdma_session *s, uint64_t monotonic_ns)
{
	const struct xpt_rdma_machine *m = xpt_rdma_machine();

	return (struct xpt_rdma_moment){
		.host = m->host, .boot_id = m->boot_id, .monotonic_ns = monotonic_ns,
		.wall_ns = xpt_wall_clock__at(&s->clock, monotonic_ns),
	};
}

void xpt_rdma_session__read(struct xpt_rdma_session *s)
{
	uint64_t lost;

	xpt_wall_clock__update(&s->clock);
	xpt_rdma_counters__step(s->counters, xpt_now_ns());
	s->asked_missed = false;
	xpt_rdma_watch__read(s->w);
	lost = xpt_rdma_watch__lost(s->w);
	if (lost > s->lost)
		s->cfg.on_lost(s->cfg.ctx, lost - s->lost);
	s->lost = lost;
}

void xpt_rdma_session__judge(const struct xpt_rdma_session *s, const struct xpt_rdma_trace *t,
			     struct xpt_rdma_verdict *ret_v)
{
	xpt_rdma_judge(t, s->files.rules, xpt_rdma_store__nearest(s->files.store, t), ret_v);
}

void xpt_rdma_session__read_log(struct xpt_rdma_session *s)
{
	if (s->context.log)
		xpt_klog__step(s->context.log);
}

bool xpt_rdma_session__tidy(struct xpt_rdma_session *s)
{
	uint64_t now = xpt_now_ns();

	if (now < s->next_tidy_ns)
		return false;
	xpt_rdma_watch__reap(s->w);
	xpt_rdma_files__save(&s->files);
	s->next_tidy_ns = now + TIDY_NS;
	return true;
}

/* --- begin and end ----------------------------------------------------------------- */

int xpt_rdma_session__plan(struct xpt_rdma_session *s)
{
	return xpt_rdma_plans__make(s->cfg.command, s->cfg.which, &s->plans);
}

static int make_list(struct xpt_rdma_session *s)
{
	int err = xpt_rdma_watchlist__make(s->plans.g, s->plans.plans, s->plans.nr, true, &s->list);

	if (!err)
		err = xpt_rdma_plans__fill(&s->plans, s->cfg.which, s->list);
	if (err)
		return err;
	s->list->is_deep = s->cfg.is_deep;
	s->list->deep_ctx = s->cfg.ctx;
	s->hold = calloc(XPT_RDMA_FNS, sizeof(*s->hold));
	return s->hold ? 0 : -ENOMEM;
}

static int open_watch(struct xpt_rdma_session *s)
{
	struct xpt_rdma_watch_cfg cfg = {
		.wish = s->list->wish, .nr = s->list->nr, .kind = s->cfg.kind, .slow_ns = s->cfg.slow_ns,
		.sample_ns = SAMPLE_NS, .sample_nth = s->cfg.sample_nth, .passed = s->plans.passed,
		.fn = on_record, .ctx = s,
	};
	uint32_t i;
	int err;

	memcpy(cfg.targets, s->cfg.targets, sizeof(cfg.targets));
	err = xpt_rdma_watch__open(&cfg, &s->w);
	if (err)
		return err;
	for (i = 0; i <= cfg.nr; i++)
		s->hold[i] = xpt_rdma_watch__hold(s->w, i);
	s->list->hold = s->hold;
	xpt_rdma_watchlist__note_probes(s->list);
	s->list->layouts = xpt_rdma_watch__layouts(s->w);
	return 0;
}

int xpt_rdma_session__attach(struct xpt_rdma_session *s)
{
	int err;

	if (!s->has_context) {
		xpt_wall_clock__update(&s->clock);
		xpt_rdma_context__open(&s->context);
		if (xpt_rdma_counters__new(NULL, &s->counters))
			xpt_debug("counters of RDMA ports are not read");
		xpt_rdma_counters__step(s->counters, xpt_now_ns());	/* its process starts meanwhile */
		s->has_context = true;
	}
	err = make_list(s);
	if (!err)
		err = open_watch(s);
	if (!err)
		xpt_rdma_counters__await(s->counters);
	return err ? xpt_rdma_explain(err) : -1;
}

static void detach_probes(struct xpt_rdma_session *s)
{
	xpt_rdma_watch__close(s->w);
	xpt_rdma_watchlist__free(s->list);
	free(s->hold);
	s->w = NULL;
	s->list = NULL;
	s->hold = NULL;
	s->lost = 0;
	s->misses = (struct xpt_rdma_misses){ 0 };
}

int xpt_rdma_session__replan(struct xpt_rdma_session *s, const struct xpt_rdma_plans *plans)
{
	detach_probes(s);
	s->plans = *plans;
	return xpt_rdma_session__attach(s);
}

void xpt_rdma_session__free(struct xpt_rdma_session *s)
{
	xpt_rdma_files__close(&s->files);
	detach_probes(s);
	xpt_rdma_context__close(&s->context);
	xpt_rdma_counters__free(s->counters);
	xpt_rdma_plans__free(&s->plans);
}
