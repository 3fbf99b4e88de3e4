/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records to events, see enrich.h. One function per record kind; the call is
 * the hot one and allocates nothing.
 *
 * Time comes from the stream alone: BEGIN goes before the first event, and a TICK when
 * a record is the first past a whole second since the first one; a gap of many seconds
 * has one TICK.
 */
#include "pipeline/enrich.h"

#include "base/parse.h"
#include "model/domain/domain.h"
#include "model/domain/expected.h"
#include "model/kernel/xid_table.h"
#include "model/output/hook_row.h"

#define SECOND 1000000000ull

/* Tells from where times count; once, for times must not jump within one output. */
static void emit_origin(struct xpt_pipeline *p)
{
	struct xpt_event ev = { .kind = XPT_EV_ORIGIN, .ts_ns = p->origin_ns };

	xpt_out__event(&p->out, &ev);
}

static void begin_stream(struct xpt_pipeline *p, uint64_t ts_ns)
{
	struct xpt_event ev = { .kind = XPT_EV_BEGIN, .ts_ns = ts_ns };

	p->begun = true;
	ev.u.begin.realtime_minus_monotonic_ns = p->realtime_offset_ns;
	ev.u.begin.boottime_minus_monotonic_ns = p->boottime_offset_ns;
	xpt_out__event(&p->out, &ev);
	if (p->origin_ns)
		emit_origin(p);
}

static void emit_tick(struct xpt_pipeline *p, uint64_t ts_ns)
{
	struct xpt_event ev = { .kind = XPT_EV_TICK };

	ev.ts_ns = ts_ns - (ts_ns - p->tick_ns) % SECOND;	/* the last whole second */
	if (__builtin_add_overflow(ev.ts_ns, SECOND, &p->tick_ns))
		p->tick_ns = UINT64_MAX;
	xpt_out__event(&p->out, &ev);
}

/* Advances the time, before any event of a record that carries a time. */
static void pass_time(struct xpt_pipeline *p, uint64_t ts_ns)
{
	if (!p->begun)
		begin_stream(p, ts_ns);
	if (!p->timed) {
		p->timed = true;
		p->first_ns = p->last_ns = ts_ns;
		p->tick_ns = ts_ns > UINT64_MAX - SECOND ? UINT64_MAX : ts_ns + SECOND;
		return;
	}
	if (ts_ns > p->last_ns) {
		p->last_ns = ts_ns;
		if (ts_ns >= p->tick_ns)
			emit_tick(p, ts_ns);
	}
}

void xpt_enrich__time(struct xpt_pipeline *p, uint64_t ts_ns)
{
	if (p->timed && ts_ns > p->last_ns && ts_ns >= p->tick_ns)
		emit_tick(p, ts_ns);
}

/* For an event of a record without a time: it takes that of the stream. */
static struct xpt_event timeless_event(struct xpt_pipeline *p, enum xpt_event_kind kind)
{
	struct xpt_event ev = { .kind = kind, .ts_ns = p->last_ns };

	if (!p->begun)
		begin_stream(p, p->last_ns);
	return ev;
}

static void proc_event(struct xpt_pipeline *p, enum xpt_event_kind kind, uint64_t ts_ns,
		       const struct xpt_proc *proc, bool exec, uint32_t cut)
{
	struct xpt_event ev = { .kind = kind, .ts_ns = ts_ns };

	ev.u.proc.proc = proc;
	ev.u.proc.exec = exec;
	ev.u.proc.cut = cut;
	xpt_out__event(&p->out, &ev);
}

/*
 * Whether the failure of c is that of a call inside it. If a failed call had a call of its class
 * inside, it passes on the failure of the inner one; if the inner one did not fail, or its failure
 * was an expected one, the failure is its own. The inner call arrives first.
 */
static bool passes_on(struct xpt_pipeline *p, const struct xpt_call *c)
{
	struct { const struct xpt_proc *proc; uint64_t tid_cls; } key = {
		c->proc, (uint64_t)c->tid << 32 | c->fn->cls,
	};
	bool outer = c->flags & XPT_CALL_OUTER;
	uint64_t *start = outer ? xpt_hashmap__find(p->last_failures, &key) : NULL;

	if (start && *start >= c->start_ns)
		return true;
	if (!start)
		start = xpt_hashmap__get(p->last_failures, &key, NULL);
	if (!start) {	/* the map is full, mostly with threads that ended long ago */
		xpt_hashmap__clear(p->last_failures);
		start = xpt_hashmap__get(p->last_failures, &key, NULL);
	}
	if (start)
		*start = c->start_ns;
	return false;
}

static const struct xpt_expected *find_expected(const struct xpt_pipeline *p, const struct xpt_fn *fn,
						int64_t code)
{
	return p->all_errors ? NULL : xpt_domain__expected(fn->domain, fn->name, code);
}

/* Whether a success shows that CUDA is initialized: the call does it, or works only if something has done it. */
static bool needs_cuda(const struct xpt_fn_entry *f)
{
	unsigned cls = f->fn.cls;

	return f->gpu == XPT_GPU_CALL && f->fn.layer == XPT_LAYER_API &&
	       (cls == XPT_CLASS_INIT || cls == XPT_CLASS_ALLOC || cls == XPT_CLASS_COPY ||
		cls == XPT_CLASS_LAUNCH || cls == XPT_CLASS_SYNC);
}

/* CUDA does not survive fork(2): a failure that may come from that, in a forked child, gets a result that says so. */
static const struct xpt_result *result_of(struct xpt_pipeline *p, struct xpt_fn_entry *f,
					  const struct xpt_rec_call *r, struct xpt_proc *proc)
{
	const struct xpt_result *result = xpt_fns__result(f, r->ret);
	const struct xpt_result *forked = f->fn.domain ? f->fn.domain->forked : NULL;

	if (!(r->flags & XPT_CALL_FAILED) && needs_cuda(f))
		xpt_procs__initialized(proc, r->start_ns + r->dur_ns);
	return result && forked && forked->code == r->ret && xpt_procs__is_heir(p->procs, proc) ? forked : result;
}

/* Adds facts that earlier calls gave about this one, and records its own for later ones. */
static void ask_tables(struct xpt_pipeline *p, struct xpt_fn_entry *f, struct xpt_call *c, bool returned)
{
	c->kernel = c->kernel_short = NULL;
	c->freed = 0;
	if (f->names.act)
		xpt_names__call(p->names, &f->names, c, returned);
	c->captured = returned && f->capturing &&
		      xpt_capturing__call(p->capturing, f->capturing, c);
	if (returned)
		xpt_freed__call(p->freed, c);
}

static bool on_call(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	const struct xpt_rec_call *r = (const void *)d->rec;
	struct xpt_fn_entry *f = xpt_fns__get(p->fns, r->rec.fn);
	bool returned = r->rec.kind == XPT_REC_CALL, is_new;
	struct xpt_event ev;
	struct xpt_call *c = &ev.u.call;
	struct xpt_proc *proc;

	if (!f || r->nr_vals > f->fn.nr_caps)
		return false;
	ev.kind = returned ? XPT_EV_CALL : XPT_EV_INFLIGHT;
	ev.ts_ns = r->start_ns + r->dur_ns;
	pass_time(p, ev.ts_ns);
	proc = xpt_procs__of_call(p->procs, r->tgid, r->start_ns, &is_new);
	xpt_procs__weigh(proc, r->dur_ns);
	c->proc = proc;
	if (is_new)
		proc_event(p, XPT_EV_PROC, ev.ts_ns, c->proc, false, 0);
	c->id = ++p->nr_calls;
	c->start_ns = r->start_ns;
	c->dur_ns = r->dur_ns;
	c->fn = &f->fn;
	c->tid = r->tid;
	c->comm = xpt_procs__comm(p->procs, r->tid, c->proc);
	c->ret = returned ? r->ret : 0;
	c->signal = !returned && r->ret > 0 && r->ret < 128 ? (uint8_t)r->ret : 0;
	c->result = returned && !(r->flags & XPT_CALL_NO_RESULT) ? result_of(p, f, r, proc) : NULL;
	c->failed = returned && (r->flags & XPT_CALL_FAILED) && !(c->result && c->result->benign);
	c->expected = c->failed ? find_expected(p, c->fn, r->ret) : NULL;
	c->failed = c->failed && !c->expected;
	c->flags = r->flags;
	c->passed_on = c->failed && passes_on(p, c);
	c->depth = r->depth;
	c->nr_vals = r->nr_vals;
	c->valid = (uint16_t)(r->valid & ((1u << r->nr_vals) - 1));
	if (!returned)	/* out-parameters still hold the caller's pointers */
		c->valid &= (uint16_t)~f->out_mask;
	c->val = (const uint64_t *)r->val;
	c->str = d->str[0];
	c->str_len = r->str_len;
	c->stack = r->flags & XPT_CALL_STACK
		 ? xpt_stacks__get(p->stacks, r->tgid, r->val[r->nr_vals]) : NULL;
	c->cpu = !returned && r->cpu < XPT_CPU__MAX ? r->cpu : 0;
	c->sched = (struct xpt_wire_sched){ 0 };
	if (r->flags & XPT_CALL_SCHED) {
		c->sched = xpt_sched_unpack(r->val[xpt_call_words(r) - 1]);
		xpt_sched_clamp(&c->sched, r->dur_ns);
	}
	if (f->gpu)
		xpt_gpu_users__note(&p->gpu_users, f->gpu, r);
	ask_tables(p, f, c, returned);
	xpt_out__event(&p->out, &ev);
	return true;
}

static bool on_stack(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	const struct xpt_rec_stack *r = (const void *)d->rec;
	bool full;

	if (!xpt_stacks__add(p->stacks, r, (const char *)(r + 1), (const char *)r + r->rec.size,
			     &full))
		return false;
	if (full)
		xpt_out__lost(&p->out, XPT_LOSS_TABLE_EVICTED, 1);
	return true;
}

/* Updates the kernel names and captures of a process that forks, runs exec or ends. */
static void task_tables(struct xpt_pipeline *p, const struct xpt_rec_task *r,
		       const struct xpt_proc *proc, bool ended)
{
	const struct xpt_proc *parent;

	if (ended || r->event == XPT_TASK_EXEC) {
		xpt_names__forget(p->names, proc);
		xpt_capturing__forget(p->capturing, proc);
		xpt_freed__gone(p->freed, proc, r->ts_ns);
	} else if (r->event == XPT_TASK_FORK) {
		parent = xpt_procs__find(p->procs, r->ppid);
		if (parent)
			xpt_names__fork(p->names, parent, proc);
	}
}

static void forget_proc(void *ctx, const struct xpt_proc *proc)
{
	struct xpt_pipeline *p = ctx;

	xpt_names__forget(p->names, proc);
	xpt_capturing__forget(p->capturing, proc);
}

/* Too many processes have ended: forgets those that spent least time in calls. */
static void forget_ended(struct xpt_pipeline *p, uint64_t ts_ns)
{
	struct xpt_event ev = { .kind = XPT_EV_FORGET, .ts_ns = ts_ns };

	xpt_out__event(&p->out, &ev);
	xpt_freed__forget(p->freed, ts_ns);
	xpt_procs__drop(p->procs, forget_proc, p);
}

static bool on_task(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	const struct xpt_rec_task *r = (const void *)d->rec;
	struct xpt_proc *proc;
	bool is_new, ended;

	pass_time(p, r->ts_ns);
	proc = xpt_procs__add_task(p->procs, r, &is_new, &ended);
	task_tables(p, r, proc, ended);
	if (is_new || r->event == XPT_TASK_EXEC)
		proc_event(p, XPT_EV_PROC, r->ts_ns, proc, r->event == XPT_TASK_EXEC, r->cut);
	if (ended)
		proc_event(p, XPT_EV_EXIT, r->ts_ns, proc, false, r->cut);
	if ((ended || is_new) && xpt_procs__nominate(p->procs))
		forget_ended(p, r->ts_ns);
	return true;
}

static bool on_proc(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	const struct xpt_rec_proc *r = (const void *)d->rec;
	struct xpt_proc *proc;
	bool is_new;

	pass_time(p, r->ts_ns);
	proc = xpt_procs__add_proc(p->procs, d, &is_new);
	if (is_new)
		proc_event(p, XPT_EV_PROC, r->ts_ns, proc, false, 0);
	return true;
}

static bool on_fn(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	return xpt_fns__add(p->fns, d);
}

static bool on_lib(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	const struct xpt_lib *lib = xpt_fns__add_lib(p->fns, d);
	struct xpt_event ev;

	if (!lib) {
		xpt_out__lost(&p->out, XPT_LOSS_TABLE_EVICTED, 1);
		return true;
	}
	ev = timeless_event(p, XPT_EV_LIB);
	ev.u.lib = lib;
	xpt_out__event(&p->out, &ev);
	return true;
}

/* Takes the limits of --errors-only, --min-duration and --min-size. */
static void note_limit(struct xpt_out_limits *l, const char *key, const char *value)
{
	uint64_t *at = !strcmp(key, "only_errors") ? &l->only_errors
		     : !strcmp(key, "min_duration_ns") ? &l->min_ns
		     : !strcmp(key, "min_size") ? &l->min_bytes : NULL;

	if (at && xpt_parse_u64(value, 0, UINT64_MAX, at))
		*at = 0;
}

static bool on_meta(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	struct xpt_event ev = timeless_event(p, XPT_EV_META);
	uint64_t gpus;

	note_limit(&p->out.limits, d->str[0], d->str[1]);
	if (!strncmp(d->str[0], "states:", 7))
		xpt_fns__name_states(p->fns, d->str[0] + 7, d->str[1]);
	if (!strcmp(d->str[0], "gpus") && !xpt_parse_u64(d->str[1], 1, UINT32_MAX, &gpus))
		xpt_gpu_users__machine(&p->gpu_users, (uint32_t)gpus);
	if (!p->origin_ns && !p->nr_calls && !strcmp(d->str[0], "origin") &&
	    !xpt_parse_u64(d->str[1], 1, UINT64_MAX, &p->origin_ns))
		emit_origin(p);
	ev.u.meta.key = d->str[0];
	ev.u.meta.value = d->str[1];
	xpt_out__event(&p->out, &ev);
	return true;
}

static bool on_clock(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	const struct xpt_rec_clock *r = (const void *)d->rec;

	/* The first one counts: wall times must not jump within one output. */
	if (!p->clocked) {
		p->realtime_offset_ns = (int64_t)(r->realtime - r->monotonic);
		p->boottime_offset_ns = (int64_t)(r->boottime - r->monotonic);
	}
	p->clocked = true;
	pass_time(p, r->monotonic);
	return true;
}

/* NULL for id 0: the counts of all processes that the kernel had no room to count apart. */
static const struct xpt_proc *counted_proc(struct xpt_pipeline *p, uint32_t tgid,
					   uint64_t time_ns)
{
	struct xpt_proc *proc;
	bool is_new;

	if (!tgid)
		return NULL;
	proc = xpt_procs__latest(p->procs, tgid, p->last_ns, &is_new);
	if (is_new)
		proc_event(p, XPT_EV_PROC, p->last_ns, proc, false, 0);
	xpt_procs__weigh(proc, time_ns);
	return proc;
}

static void loss_event(struct xpt_pipeline *p, enum xpt_loss loss)
{
	struct xpt_event ev = timeless_event(p, XPT_EV_LOSS);

	ev.u.loss.loss = loss;
	ev.u.loss.count = xpt_out__total_lost(&p->out, loss);
	xpt_out__event(&p->out, &ev);
}

/* Who shows counts while the trace runs hears of what the pipeline itself has lost, too. */
static void report_evicted(struct xpt_pipeline *p)
{
	uint64_t evicted = p->out.own_lost[XPT_LOSS_TABLE_EVICTED];

	if (evicted != p->told_evicted)
		loss_event(p, XPT_LOSS_TABLE_EVICTED);
	p->told_evicted = evicted;
}

/*
 * Final counts of a process, or (COUNTER_NOW) its counts so far, which do not weigh it: while it runs, its calls do.
 */
static bool on_counter(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	const struct xpt_rec_counter *r = (const void *)d->rec;
	bool is_final = r->rec.kind == XPT_REC_COUNTER;
	struct xpt_fn_entry *f = xpt_fns__get(p->fns, r->key.fn);
	struct xpt_event ev;

	if (!f)
		return false;
	ev = timeless_event(p, is_final ? XPT_EV_COUNTER : XPT_EV_COUNTER_NOW);
	ev.u.counter.fn = &f->fn;
	ev.u.counter.proc = counted_proc(p, r->key.tgid, is_final ? r->count.time_ns : 0);
	ev.u.counter.dir = r->key.sub & XPT_SUB_DIR;
	ev.u.counter.outer = r->key.sub & XPT_SUB_OUTER;
	ev.u.counter.nested = r->key.sub & XPT_SUB_NESTED;
	ev.u.counter.in_named = r->key.sub & XPT_SUB_IN_NAMED;
	ev.u.counter.passed_on = r->key.sub & XPT_SUB_PASSED_ON;
	ev.u.counter.count = &r->count;
	xpt_out__event(&p->out, &ev);
	if (!is_final)
		report_evicted(p);
	return true;
}

static bool on_errcount(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	const struct xpt_rec_errcount *r = (const void *)d->rec;
	struct xpt_fn_entry *f = xpt_fns__get(p->fns, r->key.fn);
	struct xpt_event ev;

	if (!f)
		return false;
	ev = timeless_event(p, r->rec.kind == XPT_REC_ERRCOUNT ? XPT_EV_ERRCOUNT : XPT_EV_ERRCOUNT_NOW);
	ev.u.errcount.fn = &f->fn;
	ev.u.errcount.proc = counted_proc(p, r->key.tgid, 0);
	ev.u.errcount.code = r->key.code;
	ev.u.errcount.result = xpt_fns__result(f, r->key.code);
	ev.u.errcount.expected = find_expected(p, &f->fn, r->key.code);
	ev.u.errcount.failed = !ev.u.errcount.expected &&
			       !(ev.u.errcount.result && ev.u.errcount.result->benign);
	ev.u.errcount.calls = r->calls;
	xpt_out__event(&p->out, &ev);
	return true;
}

static bool on_inflight_now(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	const struct xpt_rec_inflight_now *r = (const void *)d->rec;
	struct xpt_fn_entry *f = xpt_fns__get(p->fns, r->rec.fn);
	struct xpt_event ev;

	if (!f)
		return false;
	ev = timeless_event(p, XPT_EV_INFLIGHT_NOW);
	ev.u.inflight.fn = &f->fn;
	ev.u.inflight.proc = counted_proc(p, r->tgid, 0);
	ev.u.inflight.calls = r->calls;
	ev.u.inflight.oldest_ns = r->oldest_ns;
	ev.u.inflight.sum_ns = r->sum_ns;
	xpt_out__event(&p->out, &ev);
	return true;
}

static bool on_sched(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	const struct xpt_rec_sched *r = (const void *)d->rec;
	struct xpt_fn_entry *f = xpt_fns__get(p->fns, r->key.fn);
	struct xpt_event ev;

	if (!f)
		return false;
	ev = timeless_event(p, XPT_EV_SCHED);
	ev.u.sched.fn = &f->fn;
	ev.u.sched.proc = counted_proc(p, r->key.tgid, 0);
	ev.u.sched.rec = r;
	xpt_out__event(&p->out, &ev);
	return true;
}

static bool on_loss(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	const struct xpt_rec_loss *r = (const void *)d->rec;

	pass_time(p, r->ts_ns);
	if (r->count <= p->out.stream_lost[r->loss])	/* no news */
		return true;
	p->out.stream_lost[r->loss] = r->count;
	loss_event(p, r->loss);
	return true;
}

static bool on_cost(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	struct xpt_event ev = timeless_event(p, XPT_EV_COST);
	struct xpt_rec_cost cost = { 0 };

	memcpy(&cost, d->rec, d->rec->size < sizeof(cost) ? d->rec->size : sizeof(cost));
	ev.u.cost = &cost;
	xpt_out__event(&p->out, &ev);
	return true;
}

static bool on_fncost(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	struct xpt_fn_entry *f = xpt_fns__get(p->fns, d->rec->fn);
	struct xpt_event ev;

	if (!f)
		return false;
	ev = timeless_event(p, XPT_EV_FNCOST);
	ev.u.fncost.fn = &f->fn;
	ev.u.fncost.rec = (const void *)d->rec;
	xpt_out__event(&p->out, &ev);
	return true;
}

static bool on_mode(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	const struct xpt_rec_mode *r = (const void *)d->rec;
	struct xpt_fn_entry *f = r->rec.fn ? xpt_fns__get(p->fns, r->rec.fn) : NULL;
	struct xpt_event ev;

	if (r->rec.fn && !f)
		return false;
	pass_time(p, r->ts_ns);
	ev = timeless_event(p, XPT_EV_MODE);
	ev.ts_ns = r->ts_ns;
	ev.u.mode.fn = f ? &f->fn : NULL;
	ev.u.mode.rec = r;
	xpt_out__event(&p->out, &ev);
	return true;
}

/* The driver reported an error of a GPU: of the process that it names, else of the one that used that GPU last. */
static bool on_xid(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	const struct xpt_rec_xid *r = (const void *)d->rec;
	char device[XPT_XID_DEVICE_MAX], text[XPT_XID_TEXT_MAX];
	struct xpt_event ev;
	struct xpt_xid x;
	uint32_t tgid;

	pass_time(p, r->ts_ns);
	ev = timeless_event(p, XPT_EV_XID);
	ev.ts_ns = r->ts_ns;
	xpt_xid__clean(device, sizeof(device), d->str[0], strlen(d->str[0]));
	xpt_xid__normalize(device);	/* older recordings have the address as the driver wrote it */
	xpt_xid__clean(text, sizeof(text), d->str[1], strlen(d->str[1]));
	tgid = r->tgid ? r->tgid : xpt_gpu_users__last(&p->gpu_users, r->minor);
	x = (struct xpt_xid){ r, xpt_xid__info_of(r->xid, text), device, text,
			      tgid ? xpt_procs__find(p->procs, tgid) : NULL };
	ev.u.xid = &x;
	xpt_out__event(&p->out, &ev);
	return true;
}

static bool on_hook(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	struct xpt_event ev = timeless_event(p, XPT_EV_HOOK);
	struct xpt_hook_row row;

	if (!xpt_hook_row__read(d->rec, d->rec->size, &row))
		return false;
	ev.u.hook = &row;
	xpt_out__event(&p->out, &ev);
	return true;
}

static bool on_device(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	const struct xpt_device *device = xpt_devices__add(&p->devices, p->pool, d);
	struct xpt_event ev;

	if (!device)
		return false;
	xpt_gpu_users__machine(&p->gpu_users, p->devices.nr_gpus);
	ev = timeless_event(p, XPT_EV_DEVICE);
	ev.u.device = device;
	xpt_out__event(&p->out, &ev);
	return true;
}

/* Values of a metric that this build does not know are counted as rejected; the others are taken. */
static bool on_reading(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	const struct xpt_rec_reading *r = (const void *)d->rec;
	struct xpt_reading one = { .device = xpt_devices__find(&p->devices, r->device) };
	struct xpt_event ev;

	if (!one.device)
		return false;
	pass_time(p, r->ts_ns);
	ev = timeless_event(p, XPT_EV_READING);
	ev.ts_ns = r->ts_ns;
	ev.u.reading = &one;
	for (uint32_t i = 0; i < r->nr; i++) {
		const struct xpt_wire_reading *v = &r->value[i];

		one.metric = xpt_metric__find(v->metric);
		if (!one.metric) {
			xpt_out__lost(&p->out, XPT_LOSS_DECODE_REJECTED, 1);
			continue;
		}
		one.part = v->part;
		one.pid = v->pid;
		one.proc = v->pid ? xpt_procs__find(p->procs, v->pid) : NULL;
		one.value = v->value;
		xpt_out__event(&p->out, &ev);
	}
	return true;
}

/* Kept for xpt_enrich__end(): END is the last event, after the losses. */
static bool on_end(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	p->end = *(const struct xpt_rec_end *)d->rec;
	p->ended = true;
	pass_time(p, p->end.end_ns);
	return true;
}

bool xpt_enrich(struct xpt_pipeline *p, const struct xpt_decoded *d)
{
	static bool (*const handler[XPT_REC__MAX])(struct xpt_pipeline *,
						   const struct xpt_decoded *) = {
		[XPT_REC_TASK] = on_task,
		[XPT_REC_FN] = on_fn,
		[XPT_REC_PROC] = on_proc,
		[XPT_REC_LIB] = on_lib,
		[XPT_REC_META] = on_meta,
		[XPT_REC_CLOCK] = on_clock,
		[XPT_REC_COUNTER] = on_counter,
		[XPT_REC_ERRCOUNT] = on_errcount,
		[XPT_REC_LOSS] = on_loss,
		[XPT_REC_COST] = on_cost,
		[XPT_REC_END] = on_end,
		[XPT_REC_STACK] = on_stack,
		[XPT_REC_MODE] = on_mode,
		[XPT_REC_FNCOST] = on_fncost,
		[XPT_REC_XID] = on_xid,
		[XPT_REC_SCHED] = on_sched,
		[XPT_REC_HOOK] = on_hook,
		[XPT_REC_DEVICE] = on_device,
		[XPT_REC_READING] = on_reading,
		[XPT_REC_COUNTER_NOW] = on_counter,
		[XPT_REC_ERRCOUNT_NOW] = on_errcount,
		[XPT_REC_INFLIGHT_NOW] = on_inflight_now,
	};

	if (p->ended)	/* END is the last record */
		return false;
	if (d->rec->kind == XPT_REC_CALL || d->rec->kind == XPT_REC_INFLIGHT)
		return on_call(p, d);
	return handler[d->rec->kind](p, d);
}

void xpt_enrich__end(struct xpt_pipeline *p)
{
	struct xpt_event ev;
	unsigned i;

	for (i = 0; i < XPT_LOSS__MAX; i++) {
		if (xpt_out__total_lost(&p->out, i))
			loss_event(p, i);
	}
	ev = timeless_event(p, XPT_EV_END);
	if (p->ended) {
		ev.ts_ns = p->end.end_ns;
		ev.u.end.start_ns = p->end.start_ns;
		ev.u.end.end_ns = p->end.end_ns;
		ev.u.end.status = p->end.status;
		ev.u.end.reason = p->end.reason;
		ev.u.end.complete = true;
	} else {
		ev.u.end.start_ns = p->origin_ns ? p->origin_ns : p->first_ns;
		ev.u.end.end_ns = p->last_ns;
		ev.u.end.status = -1;
		ev.u.end.reason = XPT_END_INTERRUPTED;
		ev.u.end.complete = false;
	}
	xpt_out__event(&p->out, &ev);
}
