/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Feeds one analyzer with events made by hand and keeps what it emits, so that
 * a test reads like the story of a trace. Stands in for the pipeline: defines
 * xpt_out. Times are in ns and begin at FEED_T0.
 */
#ifndef TESTS_UNIT_FEED_H
#define TESTS_UNIT_FEED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "model/output/analyzer.h"
#include "model/output/records.h"
#include "feed_model.h"

struct xpt_out {
	struct xpt_records *recs;
	struct xpt_stream stream;
	uint64_t lost[XPT_LOSS__MAX];
	uint64_t end_ns;	/* of the trace, once known */
};

struct feed {
	const struct xpt_analyzer *a;
	void *st;
	struct xpt_out out;
	uint64_t nr_calls;
};

/* One call; at and took relative to FEED_T0. */
struct feed_call {
	const struct xpt_fn *fn;
	const struct xpt_proc *proc;
	uint64_t at, took;
	uint64_t val[XPT_MAX_VALS];
	int64_t ret;
	uint32_t tid;	/* 0: the process's first thread */
	uint8_t flags, depth;
	bool own_failure;	/* of an outer call: no call inside failed for it */
	const char *kernel;	/* of launches, full and short */
	const struct xpt_stack *stack;
	const char *str;	/* texts of STR captures, one behind the other */
	uint16_t str_len;
};

void xpt_out__emit(struct xpt_out *out, const struct xpt_schema *schema, const void *rec)
{
	assert_int_equal(xpt_records__add(out->recs, schema, rec), 0);
}

void xpt_out__lost(struct xpt_out *out, enum xpt_loss loss, uint64_t n)
{
	out->lost[loss] += n;
}

/* As records of "verdict", all of them, in the order in which they were reported. */
void xpt_out__finding(struct xpt_out *out, const struct xpt_finding *f)
{
	struct xpt_findings *one;

	assert_int_equal(xpt_findings__new(&one), 0);
	xpt_findings__add(one, f);
	xpt_findings__emit(one, FEED_T0, out->end_ns, out);
	xpt_findings__free(one);
}

const struct xpt_stream *xpt_out__stream(const struct xpt_out *out)
{
	return &out->stream;
}

static inline void feed_event(struct feed *f, const struct xpt_event *ev)
{
	xpt_stream__see(&f->out.stream, ev, &f->out);
	xpt_analyzer__event(f->a, f->st, ev, &f->out);
}

static inline void feed_begin(struct feed *f, const struct xpt_analyzer *a)
{
	struct xpt_event ev = { .kind = XPT_EV_BEGIN, .ts_ns = FEED_T0 };

	memset(f, 0, sizeof(*f));
	f->a = a;
	assert_int_equal(xpt_records__new(64u << 20, &f->out.recs), 0);
	assert_int_equal(xpt_analyzer__open(a, &f->out.stream, &f->st), 0);
	feed_event(f, &ev);
}

/* Ends the trace at this time; complete false: the recording was cut. */
static inline void feed_end(struct feed *f, uint64_t at, bool complete)
{
	struct xpt_event ev = { .kind = XPT_EV_END, .ts_ns = FEED_T0 + at };

	ev.u.end.start_ns = FEED_T0;
	ev.u.end.end_ns = FEED_T0 + at;
	ev.u.end.status = -1;
	ev.u.end.complete = complete;
	f->out.end_ns = ev.ts_ns;
	feed_event(f, &ev);
}

static inline void feed_free(struct feed *f)
{
	xpt_analyzer__close(f->a, f->st);
	xpt_stream__free(&f->out.stream);
	xpt_records__free(f->out.recs);
}

static inline void feed_call_as(struct feed *f, enum xpt_event_kind kind,
				const struct feed_call *c)
{
	struct xpt_event ev = { .kind = kind, .ts_ns = FEED_T0 + c->at + c->took };
	struct xpt_call *k = &ev.u.call;

	*k = (struct xpt_call){
		.id = ++f->nr_calls, .start_ns = FEED_T0 + c->at, .dur_ns = c->took,
		.fn = c->fn, .proc = c->proc, .tid = c->tid ? c->tid : c->proc->pid,
		.comm = c->proc->comm, .ret = c->ret,
		.result = xpt_domain__result(&feed_domain, c->ret),
		.depth = c->depth, .flags = c->flags, .valid = 0xffff,
		.nr_vals = c->fn->nr_caps, .val = c->val, .kernel = c->kernel,
		.kernel_short = c->kernel, .stack = c->stack,
		.str = c->str, .str_len = c->str_len,
	};
	if (c->ret)
		k->flags |= XPT_CALL_FAILED;
	k->expected = xpt_domain__expected(&feed_domain, c->fn->name, c->ret);
	k->failed = c->ret && !k->expected && !(k->result && k->result->benign);
	k->passed_on = k->failed && (c->flags & XPT_CALL_OUTER) && !c->own_failure;
	feed_event(f, &ev);
}

/* feed_call(f, .fn = &alloc, .proc = &p, .at = 5 * MS, .took = US, .val = { addr, size }) */
#define feed_call(f, ...)                                                      \
	feed_call_as(f, XPT_EV_CALL, &(struct feed_call){ __VA_ARGS__ })

#include "feed_events.h"
#include "feed_check.h"

#endif
