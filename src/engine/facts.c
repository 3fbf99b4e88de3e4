// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Facts: records about the machine, processes, libraries and functions. They
 * go to the same callback as the records of calls, in one stream, so that
 * outputs and recordings need no other source of them.
 */
#include "engine/priv.h"
#include "engine/processes/containers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "base/time.h"
#include "engine/cost/budget_apply.h"
#include "engine/function_ids.h"
#include "proc/cgroup.h"
#include "proc/maps.h"

void xpt_facts__emit(struct xpt_engine *e, size_t size)
{
	struct xpt_rec *rec = (void *)e->scratch;
	size_t padded = (size + 7) & ~(size_t)7;

	memset((char *)e->scratch + size, 0, padded - size);
	rec->size = (__u16)padded;
	xpt_functions__know(e, rec->fn);
	e->fn(e->ctx, rec, padded);
}

size_t xpt_facts__add_str(struct xpt_engine *e, size_t at, const char *s)
{
	size_t n = strlen(s), room = sizeof(e->scratch) - 8 - at;

	if (n + 1 > room)
		n = room ? room - 1 : 0;
	memcpy((char *)e->scratch + at, s, n);
	((char *)e->scratch)[at + n] = '\0';
	return at + n + 1;
}

/* Clears the record in scratch and sets its kind. */
static void *begin_record(struct xpt_engine *e, enum xpt_rec_kind kind, size_t size)
{
	struct xpt_rec *rec = (void *)e->scratch;

	memset(rec, 0, size);
	rec->kind = (__u16)kind;
	return rec;
}

/*
 * Writes a META record with the TSC and CLOCK_MONOTONIC of one moment, from the closest of several
 * readings. Values of probes may be ticks of the TSC, as SPDK's are: two such pairs make times of them.
 */
static void put_ticks(struct xpt_engine *e, const char *key)
{
#if defined(__x86_64__)
	uint64_t before, tsc, after, span = UINT64_MAX, best_tsc = 0, best_ns = 0;
	char text[64];

	for (int i = 0; i < 16; i++) {
		before = xpt_now_ns();
		tsc = __rdtsc();
		after = xpt_now_ns();
		if (after - before >= span)
			continue;
		span = after - before;
		best_tsc = tsc;
		best_ns = before + span / 2;
	}
	snprintf(text, sizeof(text), "0x%" PRIx64 " 0x%" PRIx64, best_tsc, best_ns);
	xpt_facts__meta(e, key, text);
#else
	(void)e;
	(void)key;
#endif
}

void xpt_facts__clock(struct xpt_engine *e)
{
	struct xpt_rec_clock *c = begin_record(e, XPT_REC_CLOCK, sizeof(*c));

	c->monotonic = xpt_now_ns();
	c->boottime = xpt_clock_ns(CLOCK_BOOTTIME);
	c->realtime = xpt_clock_ns(CLOCK_REALTIME);
	xpt_facts__emit(e, sizeof(*c));
	if (e->cfg.nr_probes)
		put_ticks(e, "ticks");
}

/* Writes the time from which on all processes that existed had their probes. */
void xpt_facts__probing(struct xpt_engine *e)
{
	if (e->cfg.nr_probes)
		put_ticks(e, "probing");
}

void xpt_facts__meta(struct xpt_engine *e, const char *key, const char *value)
{
	struct xpt_rec_meta *m = begin_record(e, XPT_REC_META, sizeof(*m));

	xpt_facts__emit(e, xpt_facts__add_str(e, xpt_facts__add_str(e, sizeof(*m), key), value));
}

/*
 * Writes a limit below which calls are not recorded. Some are sent all the same, because later calls
 * need their facts, such as the name of a CUDA kernel; xpt_out__event() keeps those from the sinks.
 */
static void put_limit(struct xpt_engine *e, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	if (value)
		xpt_facts__meta(e, key, text);
}

/*
 * Writes the limits of the user's options, which are the reasons why the stream will not have all calls of the traced
 * functions, or not all functions. They are written at the start, so that an incomplete recording has them, too.
 */
static void put_limits(struct xpt_engine *e)
{
	if (e->cfg.functions && e->cfg.functions[0])
		xpt_facts__meta(e, "filtered", "only some functions were traced (-f)");
	if (e->cfg.sample)
		xpt_facts__meta(e, "partial", "only a sample of the calls was recorded (--sample)");
	else if (e->cfg.rate)
		xpt_facts__meta(e, "partial", "calls above a rate were left out (--rate)");
	else if (e->cfg.errors_only || e->cfg.min_ns || e->cfg.min_bytes)
		xpt_facts__meta(e, "partial", "some calls were left out as asked");
	if (xpt_engine__is_open(e))	/* reports then name the process even if only one made calls */
		xpt_facts__meta(e, "targets", "any");
	put_limit(e, "only_errors", e->cfg.errors_only);
	put_limit(e, "min_duration_ns", e->cfg.min_ns);
	put_limit(e, "min_size", e->cfg.min_bytes);
}

void xpt_facts__system(struct xpt_engine *e)
{
	struct utsname u;
	char cpus[24];

	if (uname(&u))
		return;
	snprintf(cpus, sizeof(cpus), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	xpt_facts__meta(e, "version", XPT_VERSION);
	xpt_facts__meta(e, "host", u.nodename);
	xpt_facts__meta(e, "kernel", u.release);
	xpt_facts__meta(e, "machine", u.machine);
	xpt_facts__meta(e, "cpus", cpus);
	xpt_facts__meta(e, "attach", xpt_attach_name(e->attach));
	if (e->cfg.sched)
		xpt_facts__meta(e, "sched", "yes");
	xpt_facts__meta(e, "events", e->cfg.events ? "yes" : "no");
	xpt_facts__meta(e, "args", xpt_args_name(e->cfg.args));
	put_limits(e);
}

/* Writes the reasons why calls are missing that are known only at the end. */
void xpt_facts__partial(struct xpt_engine *e)
{
	if (xpt_spend__switched(e))
		xpt_facts__meta(e, "partial", "some calls were only counted (--budget)");
	else if (e->traces_alloc && !e->traces_free)
		xpt_facts__meta(e, "partial", "no function that frees was traced (-f)");
}

void xpt_facts__proc(struct xpt_engine *e, int pid, uint64_t ts_ns)
{
	static struct xpt_procinfo info;	/* 8 KiB; the engine has one thread */
	struct xpt_workload w;
	struct xpt_rec_proc *p;
	size_t end;

	if (xpt_proc__read(pid, &info))
		return;
	xpt_containers__read(e, pid, &w);
	p = begin_record(e, XPT_REC_PROC, sizeof(*p));
	p->ts_ns = ts_ns;
	p->tgid = (uint32_t)pid;
	p->ppid = info.ppid;
	p->uid = info.uid;
	p->ns_pid = info.ns_pid;
	p->start_ns = info.start_ns;
	end = xpt_facts__add_str(e, sizeof(*p), info.comm);
	end = xpt_facts__add_str(e, end, info.exe);
	end = xpt_facts__add_str(e, end, info.cmdline);
	end = xpt_facts__add_str(e, end, w.container);
	end = xpt_facts__add_str(e, end, w.pod);
	xpt_facts__emit(e, xpt_facts__add_str(e, end, w.slurm_job));
}

void xpt_facts__lib(struct xpt_engine *e, uint32_t id, const struct xpt_elib *lib, const char *path,
		    const char *build_id)
{
	struct xpt_rec_lib *l = begin_record(e, XPT_REC_LIB, sizeof(*l));

	l->id = id;
	l->nr_fns = lib->nr_fns;
	l->dev = lib->inode.dev;
	l->ino = lib->inode.ino;
	xpt_facts__emit(e, xpt_facts__add_str(e, xpt_facts__add_str(e, sizeof(*l), path), build_id));
}
