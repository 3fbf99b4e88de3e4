// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One recording read for a comparison: it goes through the pipeline with all
 * analyzers; a sink at its end keeps sums by function and the records. Memory
 * does not depend on the length of the recording.
 */
#include "recordings/compare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/numbers/dist.h"
#include "session/read.h"

#define STORE_MAX (16u << 20)

struct state {
	struct xpt_run *run;
};

static int run_open(void *st, const struct xpt_sink_cfg *cfg)
{
	((struct state *)st)->run = cfg->ctx;
	return 0;
}

static unsigned slot_of(uint64_t ns)
{
	unsigned slot = ns > 1 ? 64 - (unsigned)__builtin_clzll(ns - 1) : 0;

	return slot < XPT_HIST_SLOTS ? slot : XPT_HIST_SLOTS - 1;
}

static void on_call(struct xpt_run *r, const struct xpt_call *c)
{
	struct xpt_run_fn *f = &r->ev[c->fn->id % XPT_MAX_FNS];
	uint64_t bytes;

	f->fn = c->fn;
	f->n.calls++;
	f->n.errors += c->failed;
	f->n.time_ns += c->dur_ns;
	f->n.hist[slot_of(c->dur_ns)]++;
	if (!f->dist)
		f->dist = calloc(1, sizeof(*f->dist));
	if (f->dist)
		xpt_dist__add(f->dist, c->dur_ns);
	f->n.max_ns = c->dur_ns > f->n.max_ns ? c->dur_ns : f->n.max_ns;
	if (!(c->flags & XPT_CALL_FAILED) && xpt_call__bytes(c, &bytes))
		f->n.bytes += bytes;
	if (!(c->flags & XPT_CALL_NESTED)) {
		f->top_calls++;
		f->top_ns += c->dur_ns;
	}
	r->ev_calls++;
}

uint64_t xpt_run__quantile(const struct xpt_run_fn *f, double q)
{
	const struct xpt_wire_count *n = &f->n;
	uint64_t all = 0, seen = 0;

	if (f->dist)
		return xpt_dist__quantile(f->dist, q);
	for (unsigned i = 0; i < XPT_HIST_SLOTS; i++)
		all += n->hist[i];
	for (unsigned i = 0; i < XPT_HIST_SLOTS; i++) {
		seen += n->hist[i];
		if (seen && (double)seen >= (double)all * q)
			return i + 1 < XPT_HIST_SLOTS && 1ull << i < n->max_ns ? 1ull << i
									       : n->max_ns;
	}
	return n->max_ns;
}

static void see_program(struct xpt_run *r, const struct xpt_proc *p, uint64_t calls)
{
	const char *slash = strrchr(p->exe, '/');
	const char *name = slash && slash[1] ? slash + 1 : p->exe[0] ? p->exe : p->comm;

	if (calls <= r->program_calls)
		return;
	r->program_calls = calls;
	snprintf(r->program, sizeof(r->program), "%s", name);
}

static void on_counter(struct xpt_run *r, const struct xpt_event *ev)
{
	const struct xpt_wire_count *n = ev->u.counter.count;
	struct xpt_run_fn *f = &r->ctr[ev->u.counter.fn->id % XPT_MAX_FNS];

	f->fn = ev->u.counter.fn;
	f->n.calls += n->calls;
	f->n.errors += n->errors;
	f->n.bytes += n->bytes;
	f->n.time_ns += n->time_ns;
	f->n.max_ns = n->max_ns > f->n.max_ns ? n->max_ns : f->n.max_ns;
	for (unsigned i = 0; i < XPT_HIST_SLOTS; i++)
		f->n.hist[i] += n->hist[i];
	if (!ev->u.counter.nested) {
		f->top_calls += n->calls;
		f->top_ns += n->time_ns;
	}
	r->ctr_calls += n->calls;
	if (ev->u.counter.proc)
		see_program(r, ev->u.counter.proc, n->calls);
}

static int run_event(void *st, const struct xpt_event *ev)
{
	struct xpt_run *r = ((struct state *)st)->run;

	switch (ev->kind) {
	case XPT_EV_CALL:
		on_call(r, &ev->u.call);
		if (!r->program_calls)
			see_program(r, ev->u.call.proc, 1);
		break;
	case XPT_EV_COUNTER:
		on_counter(r, ev);
		break;
	case XPT_EV_COST:
		r->cost_ns = ev->u.cost->hit_ns;
		break;
	case XPT_EV_META:
		if (!strcmp(ev->u.meta.key, "partial"))
			snprintf(r->partial, sizeof(r->partial), "%s", ev->u.meta.value);
		break;
	case XPT_EV_LOSS:
		if (ev->u.loss.loss == XPT_LOSS_RING_FULL)
			r->lost = ev->u.loss.count;
		break;
	case XPT_EV_END:
		r->complete = ev->u.end.complete;
		if (ev->u.end.end_ns > ev->u.end.start_ns)
			r->wall_ns = ev->u.end.end_ns - ev->u.end.start_ns;
		break;
	default:
		break;
	}
	return 0;
}

static int run_record(void *st, const struct xpt_schema *schema, const void *rec)
{
	return xpt_records__add(((struct state *)st)->run->recs, schema, rec);
}

static int run_close(void *st)
{
	(void)st;
	return 0;
}

static const struct xpt_sink run_sink = {
	.name = "run", .state_size = sizeof(struct state), .open = run_open,
	.event = run_event, .record = run_record, .close = run_close,
};

static int open_run(struct xpt_run *r)
{
	struct xpt_sink_cfg cfg = { .ctx = r };
	int err;

	r->ev = calloc(XPT_MAX_FNS, sizeof(*r->ev));
	r->ctr = calloc(XPT_MAX_FNS, sizeof(*r->ctr));
	if (!r->ev || !r->ctr)
		return -ENOMEM;
	err = xpt_records__new(STORE_MAX, &r->recs);
	if (!err)
		err = xpt_pipeline__new(&r->pipeline);
	for (size_t i = 0; !err && i < xpt_nr_analyzers; i++)
		err = xpt_pipeline__add_analyzer(r->pipeline, xpt_analyzers[i]);
	return err ? err : xpt_pipeline__add_sink(r->pipeline, &run_sink, "comparison", &cfg);
}

int xpt_run__read(const char *path, struct xpt_run *run)
{
	int err;

	*run = (struct xpt_run){ .path = path };
	err = open_run(run);
	if (err)
		return xpt_err(err, "cannot start the analyses: %s", strerror(-err));
	err = xpt_read__pipeline(path, run->pipeline, &run->err);
	if (err)
		return err;
	xpt_pipeline__finish(run->pipeline);
	for (size_t i = 0; i < XPT_MAX_FNS; i++)	/* of which every call was an event */
		if (run->ctr[i].n.calls == run->ev[i].n.calls)
			run->ctr[i].dist = run->ev[i].dist;
	run->fns = run->ctr_calls >= run->ev_calls ? run->ctr : run->ev;
	for (size_t i = 0; i < XPT_MAX_FNS; i++) {
		run->top_calls += run->fns[i].top_calls;
		run->top_ns += run->fns[i].top_ns;
	}
	return 0;
}

void xpt_run__free(struct xpt_run *run)
{
	xpt_pipeline__free(run->pipeline);
	xpt_records__free(run->recs);
	for (size_t i = 0; run->ev && i < XPT_MAX_FNS; i++)
		free(run->ev[i].dist);
	free(run->ev);
	free(run->ctr);
}

const struct xpt_section *xpt_run__section(const struct xpt_run *run, const char *name)
{
	size_t nr;
	const struct xpt_section *sec = xpt_records__sections(run->recs, &nr);

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(sec[i].schema->name, name))
			return &sec[i];
	return NULL;
}

static const struct xpt_field *field_of(const struct xpt_section *sec, const char *name,
					enum xpt_type type)
{
	for (size_t i = 0; i < sec->schema->nr_fields; i++)
		if (!strcmp(sec->schema->fields[i].name, name))
			return sec->schema->fields[i].type == type ? &sec->schema->fields[i] : NULL;
	return NULL;
}

const char *xpt_run__str(const struct xpt_section *sec, size_t i, const char *field)
{
	const struct xpt_field *f = field_of(sec, field, XPT_T_STR);

	return f ? xpt_field__str(f, sec->rec[i]) : NULL;
}

uint64_t xpt_run__u64(const struct xpt_section *sec, size_t i, const char *field)
{
	const struct xpt_field *f = field_of(sec, field, XPT_T_U64);
	uint64_t v = 0;

	if (f)
		memcpy(&v, (const char *)sec->rec[i] + f->offset, sizeof(v));
	return v;
}
