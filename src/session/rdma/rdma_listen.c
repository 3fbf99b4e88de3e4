// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See rdma_listen.h. Plans, judging and good calls are those of `rdma watch`, with
 * its default options.
 */
#include "session/rdma/rdma_listen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/log.h"
#include "base/time.h"
#include "session/rdma/context.h"
#include "session/rdma/state_files.h"
#include "session/rdma/plans.h"
#include "session/rdma/show.h"
#include "rdma/verdict/judge.h"
#include "rdma/trace/event_line.h"
#include "rdma/trace/misses.h"
#include "rdma/trace/trace_json.h"
#include "session/usage.h"

#define SLOW_NS 50000000ull
#define SAMPLE_NS 1000000000ull
#define STORE_NS 5000000000ull
#define KINDS 4096
#define LINE_MAX_BYTES 65000	/* of a record, see XPT_REC_MAX */

struct xpt_rdma_listen {
	const char *command;
	xpt_rdma_heard_fn fn;
	void *ctx;
	struct xpt_rdma_which which;
	struct xpt_rdma_plans p;
	struct xpt_rdma_watchlist *list;
	struct xpt_rdma_watch *w;
	const struct xpt_rdma_hold *hold[XPT_RDMA_FNS];
	struct xpt_rdma_context context;
	struct xpt_rdma_files files;
	struct xpt_rdma_box box;
	struct xpt_strbuf sb;
	uint64_t wall_offset, store_ns;
	uint64_t lost;		/* calls, as far as that was told */
	struct xpt_rdma_misses misses;	/* returns */
	bool asked_missed;	/* since records were read last */
	struct xpt_hashmap *told_ns;	/* by kind: when a good call was told whole */
};

/*
 * Whether the whole call goes into the trace: all that are bad, of good ones one a second of
 * each kind.
 */
static bool is_whole(struct xpt_rdma_listen *l, const struct xpt_wire_rdma_rec *r,
		     const struct xpt_rdma_trace *t)
{
	uint64_t kind[3] = { xpt_hash(t->method, strlen(t->method)), xpt_hash(t->shape, strlen(t->shape)),
			     xpt_hash(t->device, strlen(t->device)) };
	uint64_t *told;

	if (r->why & (XPT_RDMA_SENT_FAILED | XPT_RDMA_SENT_SLOW | XPT_RDMA_SENT_NEW))
		return true;
	told = xpt_hashmap__get(l->told_ns, kind, NULL);
	if (!told || (*told && r->start_ns - *told < SAMPLE_NS))
		return false;
	*told = r->start_ns;
	return true;
}

/* The line in sb without its end; NULL: it does not fit. */
static const char *line(struct xpt_rdma_listen *l)
{
	if (xpt_strbuf__err(&l->sb) || !l->sb.len)
		return NULL;
	l->sb.s[l->sb.len - 1] = '\0';
	return l->sb.s;
}

static void on_call(struct xpt_rdma_listen *l, const struct xpt_wire_rdma_rec *r)
{
	uint32_t method = xpt_rdma_watchlist__method_of(l->list, r);
	struct xpt_rdma_trace *t = &l->box.t;
	struct xpt_rdma_verdict v;
	struct xpt_rdma_heard h = { .nr = method, .start_ns = r->start_ns, .dur_ns = r->dur_ns,
				    .tgid = r->tgid, .tid = r->tid, .origin = "", .advice = "" };
	char cause[256] = "";

	if (!l->asked_missed)	/* once for all records that are read together */
		xpt_rdma_misses__set(&l->misses, xpt_rdma_watch__missed(l->w), xpt_now_ns());
	l->asked_missed = true;
	l->list->loses = xpt_rdma_misses__during(&l->misses, r->start_ns, r->start_ns + r->dur_ns);
	xpt_rdma_record__trace(l->list, r, l->wall_offset, &l->box);
	xpt_rdma_context__fill(&l->context, r, t);
	xpt_rdma_judge(t, l->files.rules, xpt_rdma_store__nearest(l->files.store, t), &v);
	h.ret = t->ret < 0 ? t->ret : 0;	/* write(2) returns bytes */
	/* A trial may go well in a moment; what it was the recording's lines tell, in their order. */
	v.expected = v.expected ? v.expected : v.trial;
	h.failed = v.failed && !v.expected;
	h.method = t->method;
	h.shape = t->shape;
	h.device = t->device;
	h.comm = t->comm;
	h.uid = r->uid;
	h.cause = cause;
	if (h.failed) {
		h.origin = xpt_rdma_verdict__origin(t, &v);
		h.advice = v.cause.advice;
		snprintf(cause, sizeof(cause), "%s: %s", xpt_rdma_class_title(v.cause.cls), v.cause.what);
	} else if (v.expected) {
		snprintf(cause, sizeof(cause), "%s", v.expected);
	}
	xpt_strbuf__reset(&l->sb);
	if (is_whole(l, r, t))
		xpt_rdma_trace__print(t, &l->sb);
	h.json = line(l);
	l->fn(l->ctx, &h);
	xpt_rdma_store__offer(l->files.store, t);
}

static void on_record(void *ctx, const struct xpt_wire_rdma_rec *r, size_t size)
{
	struct xpt_rdma_listen *l = ctx;
	struct xpt_rdma_heard h = { .start_ns = r->start_ns };

	(void)size;
	if (r->kind == XPT_RDMA_REC_CALL) {
		on_call(l, r);
		return;
	}
	xpt_strbuf__reset(&l->sb);
	if (r->kind == XPT_RDMA_REC_EVENT)
		xpt_rdma_show__event(r, r->start_ns + l->wall_offset, true, &l->sb);
	else
		xpt_rdma_show__command(r, r->start_ns + l->wall_offset, true, &l->sb);
	h.json = line(l);
	l->fn(l->ctx, &h);
}

int xpt_rdma_listen__new(const char *command, xpt_rdma_heard_fn fn, void *ctx,
			 struct xpt_rdma_listen **ret_l)
{
	struct xpt_rdma_listen *l = calloc(1, sizeof(*l));
	int status;

	*ret_l = l;
	if (!l)
		return XPT_EXIT_FAILED;
	l->command = command;
	l->fn = fn;
	l->ctx = ctx;
	xpt_strbuf__init(&l->sb, LINE_MAX_BYTES);
	l->which.to_watch = true;
	status = xpt_rdma_plans__make(command, &l->which, &l->p);
	if (status >= 0)
		return status;
	if (xpt_hashmap__new(3 * sizeof(uint64_t), sizeof(uint64_t), KINDS, &l->told_ns) ||
	    xpt_rdma_files__open(&l->files, NULL, NULL, false, false))
		return XPT_EXIT_FAILED;
	return -1;
}

int xpt_rdma_listen__start(struct xpt_rdma_listen *l, const int *pids, unsigned nr)
{
	struct xpt_rdma_watch_cfg cfg = { .slow_ns = SLOW_NS, .sample_ns = SAMPLE_NS, .sample_nth = 1,
					  .fn = on_record, .ctx = l };
	struct xpt_rdma_watch_stats st;
	uint32_t i;
	int err = xpt_rdma_watchlist__make(l->p.g, l->p.plans, l->p.nr, true, &l->list);

	for (i = 0; i < nr && nr <= XPT_RDMA_TARGETS; i++)
		cfg.targets[i] = (uint32_t)pids[i];
	if (!err)
		err = xpt_rdma_plans__fill(&l->p, &l->which, l->list);
	if (err)
		return xpt_rdma_explain(err);
	cfg.wish = l->list->wish;
	cfg.nr = l->list->nr;
	cfg.passed = l->p.passed;
	err = xpt_rdma_watch__open(&cfg, &l->w);
	if (err)
		return xpt_rdma_explain(err);
	for (i = 0; i <= cfg.nr; i++)
		l->hold[i] = xpt_rdma_watch__hold(l->w, i);
	l->list->hold = l->hold;
	l->wall_offset = xpt_clock_ns(CLOCK_REALTIME) - xpt_now_ns();
	xpt_rdma_context__open(&l->context);
	xpt_rdma_watch__stats(l->w, &st);
	xpt_debug("RDMA: watching %u methods by the returns of %u functions, %u cannot be watched",
		  l->p.nr, st.nr, st.nr_failed);
	return -1;
}

void xpt_rdma_listen__read(struct xpt_rdma_listen *l)
{
	struct xpt_rdma_heard h = { .start_ns = xpt_now_ns() };
	uint64_t lost;

	l->asked_missed = false;
	xpt_rdma_watch__read(l->w);
	lost = xpt_rdma_watch__lost(l->w);
	if (lost == l->lost)
		return;
	xpt_strbuf__reset(&l->sb);
	xpt_rdma_lost__print(lost - l->lost, xpt_now_ns() + l->wall_offset, &l->sb);
	h.json = line(l);
	l->fn(l->ctx, &h);
	l->lost = lost;
}

void xpt_rdma_listen__step(struct xpt_rdma_listen *l)
{
	uint64_t now = xpt_now_ns();

	if (l->context.log)
		xpt_klog__step(l->context.log);
	if (now - l->store_ns < STORE_NS)
		return;
	l->store_ns = now;
	xpt_rdma_watch__reap(l->w);
	xpt_rdma_files__save(&l->files);
}

struct sums {
	struct xpt_rdma_listen *l;
	xpt_rdma_heard_sum_fn fn;
	void *ctx;
};

static void add_method(void *ctx, const struct xpt_wire_rdma_key *key,
		       const struct xpt_wire_rdma_method *m)
{
	struct sums *s = ctx;

	s->fn(s->ctx, xpt_rdma_watchlist__method(s->l->list, key), m->calls, m->ns);
}

void xpt_rdma_listen__sums(struct xpt_rdma_listen *l, xpt_rdma_heard_sum_fn fn, void *ctx)
{
	struct xpt_rdma_watch_stats st;
	struct sums s = { l, fn, ctx };

	xpt_rdma_watch__stats(l->w, &st);
	xpt_rdma_tell_losses(&st);
	xpt_rdma_watch__each_method(l->w, add_method, &s);
}

void xpt_rdma_listen__free(struct xpt_rdma_listen *l)
{
	if (!l)
		return;
	xpt_rdma_files__close(&l->files);
	xpt_rdma_watch__close(l->w);
	xpt_rdma_context__close(&l->context);
	xpt_rdma_watchlist__free(l->list);
	xpt_rdma_plans__free(&l->p);
	xpt_strbuf__free(&l->sb);
	xpt_hashmap__free(l->told_ns);
	free(l);
}
