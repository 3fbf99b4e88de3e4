/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes and their operations on devices, sorted by time in calls. Printed if
 * several processes were traced, or if the user did not name one. Processes beyond
 * the first TOP are summed into one row, and so are those for which the table had
 * no room.
 *
 * The sums are the exact counters of the BPF programs, which come at the end
 * of a trace; if a recording ends before them, its events are summed up. Bytes
 * and launches count each operation once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hashmap.h"
#include "model/forget.h"
#include "model/output/analyzer.h"
#include "model/call.h"

#define TOP 20
#define MAX_PROCS 16384

struct rec_process {
	uint64_t pid, ns_pid;
	const char *process, *container, *pod, *slurm_job, *label;
	uint64_t calls, failed, launches, alloc_bytes, copy_bytes, time_ns;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_process, pid, U64, NONE, "pid"),
	XPT_FIELD(struct rec_process, ns_pid, U64, NONE, ""),
	XPT_FIELD(struct rec_process, process, STR, NONE, ""),
	XPT_FIELD(struct rec_process, container, STR, NONE, ""),
	XPT_FIELD(struct rec_process, pod, STR, NONE, ""),
	XPT_FIELD(struct rec_process, slurm_job, STR, NONE, ""),
	XPT_FIELD(struct rec_process, label, STR, NONE, "process"),
	XPT_FIELD(struct rec_process, calls, U64, COUNT, "calls"),
	XPT_FIELD(struct rec_process, failed, U64, COUNT, "fail"),
	XPT_FIELD(struct rec_process, launches, U64, COUNT, "launches"),
	XPT_FIELD(struct rec_process, alloc_bytes, U64, BYTES, "allocated"),
	XPT_FIELD(struct rec_process, copy_bytes, U64, BYTES, "copied"),
	XPT_FIELD(struct rec_process, time_ns, U64, NS, "time"),
};

static const struct xpt_schema schema = {
	.name = "processes", .title = "Processes",
	.help = "Where several processes were traced, or any could be: calls that were not nested in another and "
		"their time, launches, bytes allocated in all and copied in any direction",
	.layout = XPT_LAYOUT_TABLE, .brief = 6, .order = 15, XPT_RECORD(struct rec_process, fields),
};

static const struct xpt_schema *const emits[] = { &schema, NULL };

struct sums {
	uint64_t calls, failed, launches, alloc_bytes, copy_bytes, time_ns;
};

struct stat {
	const struct xpt_proc *proc;
	struct sums ev, ctr, captured;	/* captured: operations that went into graphs; ctr has them too */
};

struct processes {
	struct xpt_hashmap *procs;	/* struct xpt_proc * -> struct stat */
	struct stat rest;		/* of processes without room in the table, and of evicted ones */
	bool any;	/* the user did not name a process: print also a single one */
	size_t nr_gone;
	uint64_t ev_calls, ctr_calls, lost;
};

static struct stat *stat_of(struct processes *p, const struct xpt_proc *proc)
{
	struct stat *s;

	if (proc && !proc->pid)	/* the counts of several processes */
		return &p->rest;
	s = proc ? xpt_hashmap__get(p->procs, &proc, NULL) : NULL;
	if (!s) {
		p->lost += proc != NULL;
		return &p->rest;
	}
	s->proc = proc;
	return s;
}

/* Adds calls of this class to the operations of their process. */
static void add_operation(struct sums *s, unsigned cls, uint64_t calls, uint64_t bytes)
{
	if (cls == XPT_CLASS_LAUNCH)
		s->launches += calls;	/* successful ones */
	else if (cls == XPT_CLASS_ALLOC)
		s->alloc_bytes += bytes;
	else if (cls == XPT_CLASS_COPY)
		s->copy_bytes += bytes;
}

static void on_call(struct processes *p, const struct xpt_call *c)
{
	struct stat *stat = stat_of(p, c->proc);
	struct sums *s = &stat->ev;
	uint64_t bytes = 0;

	p->ev_calls++;
	if (xpt_fn__is_point(c->fn))
		return;
	if (!(c->flags & XPT_CALL_NESTED)) {
		s->calls++;
		s->time_ns += c->dur_ns;
	}
	s->failed += c->failed;
	if (c->flags & XPT_CALL_OUTER)
		return;
	if (c->flags & XPT_CALL_FAILED || !xpt_call__bytes(c, &bytes))
		bytes = 0;
	if (c->captured)
		s = &stat->captured;
	add_operation(s, c->fn->cls, !c->failed, bytes);
}

static void on_counter(struct processes *p, const struct xpt_event *ev)
{
	const struct xpt_wire_count *n = ev->u.counter.count;
	struct sums *s = &stat_of(p, ev->u.counter.proc)->ctr;

	p->ctr_calls += n->calls;
	if (xpt_fn__is_point(ev->u.counter.fn))
		return;
	if (!ev->u.counter.nested) {
		s->calls += n->calls;
		s->time_ns += n->time_ns;
	}
	if (!ev->u.counter.outer)
		add_operation(s, ev->u.counter.fn->cls, n->calls - n->errors, n->bytes);
}

static void on_errcount(struct processes *p, const struct xpt_event *ev)
{
	if (ev->u.errcount.failed)
		stat_of(p, ev->u.errcount.proc)->ctr.failed += ev->u.errcount.calls;
}

static uint64_t less_captured(uint64_t all, uint64_t captured)
{
	return all > captured ? all - captured : 0;
}

static struct sums sums_of(const struct processes *p, const struct stat *s)
{
	struct sums sums = s->ev;

	if (p->ctr_calls < p->ev_calls)
		return sums;
	sums = s->ctr;
	sums.launches = less_captured(sums.launches, s->captured.launches);
	sums.copy_bytes = less_captured(sums.copy_bytes, s->captured.copy_bytes);
	return sums;
}

static void emit_row(const struct sums *s, const struct xpt_proc *p, const char *name,
		     struct xpt_out *out)
{
	const char *container = p && p->container && p->container[0] ? p->container : NULL;
	const char *pod = p && p->pod && p->pod[0] ? p->pod : NULL;
	const char *job = p && p->slurm_job && p->slurm_job[0] ? p->slurm_job : NULL;
	char label[96], in_pod[24] = "", in_job[40] = "";
	struct rec_process rec = {
		.pid = p ? p->pid : XPT_ABSENT, .process = name, .container = container,
		.pod = pod, .slurm_job = job,
		.ns_pid = p && p->ns_pid ? p->ns_pid : XPT_ABSENT, .label = label,
		.calls = s->calls, .failed = s->failed,
		.launches = s->launches, .alloc_bytes = s->alloc_bytes,
		.copy_bytes = s->copy_bytes, .time_ns = s->time_ns,
	};

	/* The process id inside the container, and ids cut to the length at which container tools print
	 * them. */
	if (pod)
		snprintf(in_pod, sizeof(in_pod), " pod %.8s", pod);
	if (job)
		snprintf(in_job, sizeof(in_job), " job %s", job);
	if (p && p->ns_pid)
		snprintf(label, sizeof(label), "%s [%u%s%.12s%s%s]", name, p->ns_pid,
			 container ? "@" : "", container ? container : "", in_pod, in_job);
	else if (container)
		snprintf(label, sizeof(label), "%s [@%.12s%s%s]", name, container, in_pod, in_job);
	else if (job)
		snprintf(label, sizeof(label), "%s [job %s]", name, job);
	else
		snprintf(label, sizeof(label), "%s", name);
	xpt_out__emit(out, &schema, &rec);
}

static void add_sums(struct sums *sum, const struct sums *s)
{
	sum->calls += s->calls;
	sum->failed += s->failed;
	sum->launches += s->launches;
	sum->alloc_bytes += s->alloc_bytes;
	sum->copy_bytes += s->copy_bytes;
	sum->time_ns += s->time_ns;
}

/* Adds the counts of an evicted process to the rest. */
static void add_gone(void *ctx, void *val)
{
	struct processes *p = ctx;
	const struct stat *s = val;

	add_sums(&p->rest.ev, &s->ev);
	add_sums(&p->rest.ctr, &s->ctr);
	add_sums(&p->rest.captured, &s->captured);
	p->nr_gone++;
}

/* Compares by the sums in ev, which are final by now. */
static int by_time(const void *a, const void *b)
{
	const struct stat *x = a, *y = b;

	if (x->ev.time_ns != y->ev.time_ns)
		return x->ev.time_ns < y->ev.time_ns ? 1 : -1;
	return (x->proc->pid > y->proc->pid) - (x->proc->pid < y->proc->pid);
}

static void on_end(struct processes *p, struct xpt_out *out)
{
	size_t n = xpt_hashmap__len(p->procs), nr = 0, pos = 0;
	struct sums rest = sums_of(p, &p->rest);
	struct stat *all = n > (p->any ? 0 : 1) ? calloc(n, sizeof(*all)) : NULL;
	char name[48];
	void *val;

	while (all && xpt_hashmap__next(p->procs, &pos, NULL, &val)) {
		all[nr] = *(struct stat *)val;
		all[nr].ev = sums_of(p, val);
		nr++;
	}
	if (all)
		qsort(all, nr, sizeof(*all), by_time);
	for (size_t i = 0; i < nr; i++) {
		if (i < TOP)
			emit_row(&all[i].ev, all[i].proc, all[i].proc->comm, out);
		else
			add_sums(&rest, &all[i].ev);
	}
	if (nr > TOP || p->nr_gone)
		snprintf(name, sizeof(name), "other (%zu processes)",
			 (nr > TOP ? nr - TOP : 0) + p->nr_gone);
	else
		snprintf(name, sizeof(name), "other");
	if (nr && rest.calls)
		emit_row(&rest, NULL, name, out);
	free(all);
}

static void processes__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct processes *p = st;

	switch (ev->kind) {
	case XPT_EV_CALL:
		on_call(p, &ev->u.call);
		break;
	case XPT_EV_COUNTER:
		on_counter(p, ev);
		break;
	case XPT_EV_ERRCOUNT:
		on_errcount(p, ev);
		break;
	case XPT_EV_META:
		p->any |= !strcmp(ev->u.meta.key, "targets") && !strcmp(ev->u.meta.value, "any");
		break;
	case XPT_EV_FORGET:
		xpt_forget__map(p->procs, add_gone, p);
		break;
	case XPT_EV_END:
		on_end(p, out);
		break;
	default:
		break;
	}
	if (p->lost)
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, p->lost);
	p->lost = 0;
}

const struct xpt_analyzer xpt_analyzer_processes = {
	.name = "processes",
	.help = "who used the device: calls, launches, bytes and time of each process",
	.emits = emits,
	.state_size = sizeof(struct processes),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct processes, procs, void *, struct stat, MAX_PROCS, 0),
		{ 0 }
	},
	.event = processes__event,
};
