/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What tests of the pipeline share: a domain of three results, an analyzer
 * that writes one line per event into a log, and a stream to feed. Include it
 * behind cmocka.h, once per program.
 */
#ifndef XPT_TESTS_EVENT_LOG_H
#define XPT_TESTS_EVENT_LOG_H

#include <stdio.h>
#include <string.h>
#include "base/strbuf.h"
#include "model/device.h"
#include "model/domain/domain.h"
#include "pipeline/pipeline.h"
#include "wire_records.h"

static const struct xpt_result results[] = {
	{ 0, "TEST_OK", "it worked", true, false, false, false },
	{ 2, "TEST_NO_MEMORY", "there is no memory left", false, false, false, false },
	{ 600, "TEST_NOT_READY", "ask again", true, false, false, false },
};

static const struct xpt_domain domain = {
	.name = "test", .results = results, .nr_results = 3,
};

const struct xpt_domain *const xpt_domains[] = { &domain };
const size_t xpt_nr_domains = 1;

static struct xpt_strbuf event_log;
static const struct xpt_proc *last_proc;

static void log_call(const char *what, const struct xpt_call *c)
{
	unsigned i;

	xpt_strbuf__addf(&event_log, "%s #%llu %s %u/%u %s %llu+%llu ret=%lld %s%s", what,
			 (unsigned long long)c->id, c->fn->name, c->proc->pid, c->tid, c->comm,
			 (unsigned long long)c->start_ns, (unsigned long long)c->dur_ns,
			 (long long)c->ret, c->result ? c->result->name : "-",
			 c->failed ? " failed" : "");
	for (i = 0; i < c->nr_vals; i++) {
		if (c->valid >> i & 1)
			xpt_strbuf__addf(&event_log, " %s=%llu", c->fn->cap_name[i],
					 (unsigned long long)c->val[i]);
	}
	last_proc = c->proc;
}

static void log_proc(const struct xpt_event *ev)
{
	const struct xpt_proc *p = ev->u.proc.proc;

	if (ev->kind == XPT_EV_EXIT)
		xpt_strbuf__addf(&event_log, "EXIT %u status=%d cut=%u", p->pid, p->exit_status,
				 ev->u.proc.cut);
	else
		xpt_strbuf__addf(&event_log, "%s %u<%u '%s' '%s' '%s'",
				 ev->u.proc.exec ? "EXEC" : "PROC", p->pid, p->ppid, p->comm,
				 p->exe, p->cmdline);
	last_proc = p;
}

static void log_totals(const struct xpt_event *ev)
{
	if (ev->kind == XPT_EV_COUNTER)
		xpt_strbuf__addf(&event_log, "COUNTER %s %d %llu", ev->u.counter.fn->name,
				 ev->u.counter.proc ? (int)ev->u.counter.proc->pid : -1,
				 (unsigned long long)ev->u.counter.count->calls);
	else
		xpt_strbuf__addf(&event_log, "ERRCOUNT %s %d %lld %s%s x%llu",
				 ev->u.errcount.fn->name,
				 ev->u.errcount.proc ? (int)ev->u.errcount.proc->pid : -1,
				 (long long)ev->u.errcount.code,
				 ev->u.errcount.result ? ev->u.errcount.result->name : "-",
				 ev->u.errcount.failed ? " failed" : "",
				 (unsigned long long)ev->u.errcount.calls);
}

static void log_other(const struct xpt_event *ev)
{
	switch (ev->kind) {
	case XPT_EV_BEGIN:
		xpt_strbuf__addf(&event_log, "BEGIN +%lld",
				 (long long)ev->u.begin.realtime_minus_monotonic_ns);
		break;
	case XPT_EV_ORIGIN:
		xpt_strbuf__add(&event_log, "ORIGIN");
		break;
	case XPT_EV_LIB:
		xpt_strbuf__addf(&event_log, "LIB %s %s %u", ev->u.lib->path, ev->u.lib->build_id,
				 ev->u.lib->nr_fns);
		break;
	case XPT_EV_META:
		xpt_strbuf__addf(&event_log, "META %s=%s", ev->u.meta.key, ev->u.meta.value);
		break;
	case XPT_EV_LOSS:
		xpt_strbuf__addf(&event_log, "LOSS %u %llu", ev->u.loss.loss,
				 (unsigned long long)ev->u.loss.count);
		break;
	case XPT_EV_COST:
		xpt_strbuf__addf(&event_log, "COST %llu", (unsigned long long)ev->u.cost->hits);
		break;
	case XPT_EV_FNCOST:
		xpt_strbuf__addf(&event_log, "FNCOST %s %llu", ev->u.fncost.fn->name,
				 (unsigned long long)ev->u.fncost.rec->count_ns);
		break;
	case XPT_EV_MODE:
		xpt_strbuf__addf(&event_log, "MODE %s %u>%u %llu",
				 ev->u.mode.fn ? ev->u.mode.fn->name : "-", ev->u.mode.rec->from,
				 ev->u.mode.rec->to, (unsigned long long)ev->u.mode.rec->cost_ppm);
		break;
	case XPT_EV_DEVICE:
		xpt_strbuf__addf(&event_log, "DEVICE %u<%u %s '%s' '%s'", ev->u.device->id,
				 ev->u.device->parent ? ev->u.device->parent->id : 0,
				 xpt_device_kind_name(ev->u.device->kind), ev->u.device->name, ev->u.device->uuid);
		break;
	case XPT_EV_READING:
		xpt_strbuf__addf(&event_log, "READING %u %s.%u %u%s = %llu", ev->u.reading->device->id,
				 ev->u.reading->metric->name, ev->u.reading->part, ev->u.reading->pid,
				 ev->u.reading->proc ? ev->u.reading->proc->comm : "",
				 (unsigned long long)ev->u.reading->value);
		break;
	case XPT_EV_END:
		xpt_strbuf__addf(&event_log, "END %llu..%llu %d %u%s",
				 (unsigned long long)ev->u.end.start_ns,
				 (unsigned long long)ev->u.end.end_ns, ev->u.end.status,
				 ev->u.end.reason, ev->u.end.complete ? "" : " cut");
		break;
	default:
		xpt_strbuf__add(&event_log, "TICK");
		break;
	}
}

static void log_event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	(void)st;
	(void)out;
	switch (ev->kind) {
	case XPT_EV_CALL:
		assert_int_equal(ev->ts_ns, ev->u.call.start_ns + ev->u.call.dur_ns);
		log_call("CALL", &ev->u.call);
		break;
	case XPT_EV_INFLIGHT:
		log_call("INFLIGHT", &ev->u.call);
		break;
	case XPT_EV_PROC:
	case XPT_EV_EXIT:
		log_proc(ev);
		break;
	case XPT_EV_COUNTER:
	case XPT_EV_ERRCOUNT:
		log_totals(ev);
		break;
	default:
		log_other(ev);
		break;
	}
	xpt_strbuf__addf(&event_log, " @%llu\n", (unsigned long long)ev->ts_ns);
}

static const struct xpt_schema *const no_schemas[] = { NULL };
static const struct xpt_analyzer logger = {
	.name = "log", .help = "one line an event", .emits = no_schemas, .event = log_event,
};

static struct xpt_pipeline *p;	/* of the running test */
static struct wstream s;		/* what feed() will feed */

static inline int setup(void **state)
{
	(void)state;
	xpt_strbuf__init(&event_log, 1 << 20);
	assert_int_equal(xpt_pipeline__new(&p), 0);
	assert_int_equal(xpt_pipeline__add_analyzer(p, &logger), 0);
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	xpt_pipeline__free(p);
	xpt_strbuf__free(&event_log);
	w_free(&s);
	return 0;
}

static inline void feed(void)
{
	const struct xpt_rec *rec;
	size_t at;

	for (at = 0; at < s.len; at += rec->size) {
		rec = (const void *)(s.buf + at);
		xpt_pipeline__feed(p, rec, rec->size);
	}
	w_clear(&s);
}

static inline void expect(const char *want)
{
	feed();
	assert_string_equal(xpt_strbuf__str(&event_log), want);
	xpt_strbuf__reset(&event_log);
}

/* A call of function 1, which has no captures. */
static inline void call(uint32_t tgid, uint32_t tid, uint64_t ts)
{
	w_call(&s, 1, tgid, tid, ts, 0)->nr_vals = 0;
}

#endif
