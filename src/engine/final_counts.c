// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Totals: the kernel's counts, read once at the end and written as records, so
 * that a summary is right even when events were dropped.
 */
#include "engine/final_counts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/time.h"
#include "engine/calls/callers.h"
#include "engine/cost/calibrate.h"
#include "engine/function_ids.h"
#include "engine/processes/mappings.h"
#include "engine/source.h"
#include "wire/config.h"
#include "wire/count_key.h"
#include "wire/ioctl.h"
#include "call.skel.h"

/* The capacity of the tables: 16384 in xpt_counts, 16 for each of 65536 threads. */
#define MAX_SUMS (1u << 20)

static void *begin_record(struct xpt_engine *e, enum xpt_rec_kind kind, uint32_t fn, size_t size)
{
	struct xpt_rec *rec = memset(e->scratch, 0, size);

	rec->kind = (__u16)kind;
	rec->fn = fn;
	return rec;
}

void xpt_totals__add(struct xpt_wire_count *sum, const struct xpt_wire_count *c)
{
	int i;

	sum->calls += c->calls;
	sum->errors += c->errors;
	sum->bytes += c->bytes;
	sum->time_ns += c->time_ns;
	if (c->max_ns > sum->max_ns)
		sum->max_ns = c->max_ns;
	for (i = 0; i < XPT_HIST_SLOTS; i++)
		sum->hist[i] += c->hist[i];
}

static void emit_count(struct xpt_engine *e, enum xpt_rec_kind kind, const struct xpt_wire_count_key *key,
		       const struct xpt_wire_count *sum)
{
	struct xpt_rec_counter *r;

	if (!key->fn || !sum->calls)
		return;
	r = begin_record(e, kind, key->fn, sizeof(*r));
	r->key = *key;
	r->count = *sum;
	xpt_facts__emit(e, sizeof(*r));
}

void xpt_totals__emit_count(struct xpt_engine *e, const struct xpt_wire_count_key *key,
			    const struct xpt_wire_count *sum)
{
	if (key->fn && key->fn < e->nr_fns)
		e->fns[key->fn].calls += sum->calls;
	emit_count(e, XPT_REC_COUNTER, key, sum);
}

/*
 * Adds the per-CPU counts of (process, function). known_only: skips processes whose first record has not come yet,
 * because their counts would be taken for those of an earlier process with the same id.
 */
static void add_processes(struct xpt_engine *e, struct xpt_hashmap *sums, bool known_only)
{
	int fd = bpf_map__fd(e->skel->maps.xpt_counts), cpus = libbpf_num_possible_cpus(), i;
	struct xpt_wire_count *vals, *sum;
	struct xpt_count_key key, *prev = NULL;

	vals = cpus > 0 ? calloc((size_t)cpus, sizeof(*vals)) : NULL;
	while (vals && !bpf_map_get_next_key(fd, prev, &key)) {
		prev = &key;
		if (known_only && xpt_recycle__is_next(e, key.of.tgid, key.began_ns))
			continue;
		sum = bpf_map_lookup_elem(fd, &key, vals) ? NULL : xpt_hashmap__get(sums, &key.of, NULL);
		for (i = 0; sum && i < cpus; i++)
			xpt_totals__add(sum, &vals[i]);
	}
	free(vals);
}

/* Counts of (process, function) for which there was no memory in the table above. */
static void add_spare(struct xpt_engine *e, struct xpt_hashmap *sums, bool known_only)
{
	int fd = bpf_map__fd(e->skel->maps.xpt_counts_spare);
	struct xpt_count_key key, *prev = NULL;
	struct xpt_wire_count c, *sum;

	while (!bpf_map_get_next_key(fd, prev, &key)) {
		prev = &key;
		if (known_only && xpt_recycle__is_next(e, key.of.tgid, key.began_ns))
			continue;
		sum = bpf_map_lookup_elem(fd, &key, &c) ? NULL : xpt_hashmap__get(sums, &key.of, NULL);
		if (sum)
			xpt_totals__add(sum, &c);
	}
}

static void add_acc(struct xpt_wire_count *sum, const struct xpt_acc *a)
{
	struct xpt_wire_count c = {
		.calls = a->calls, .errors = a->errors, .bytes = a->bytes,
		.time_ns = a->time_ns, .max_ns = a->max_ns,
	};
	int i;

	for (i = 0; i < XPT_HIST_SLOTS; i++)
		c.hist[i] = a->hist[i];
	xpt_totals__add(sum, &c);
}

/* Whether a thread is of a new process without a record so far, whose id another process had. */
static bool is_unheard(const struct xpt_engine *e, const struct xpt_thread *t)
{
	return xpt_recycle__has_ended(e, t->tgid) || xpt_recycle__is_next(e, t->tgid, t->began_ns);
}

/* Counts that running threads still hold. */
static void add_threads(struct xpt_engine *e, struct xpt_hashmap *sums, bool known_only)
{
	struct xpt_threads_at at = { 0 };
	const struct xpt_thread *t;
	int i;

	while ((t = xpt_threads__next(e, &at))) {
		if (known_only && is_unheard(e, t))
			continue;
		for (i = 0; i < XPT_ACCS; i++) {
			struct xpt_wire_count *sum = NULL;

			if (t->acc[i].calls)
				sum = xpt_hashmap__get(sums, &t->acc[i].key, NULL);
			if (sum)
				add_acc(sum, &t->acc[i]);
		}
	}
}

/* Sums the losses that the programs counted on all CPUs. */
static uint64_t lost_in_programs(const struct xpt_engine *e, uint32_t loss)
{
	int fd = bpf_map__fd(e->skel->maps.xpt_losses), cpus = libbpf_num_possible_cpus();
	uint64_t *vals = cpus > 0 ? calloc((size_t)cpus, sizeof(*vals)) : NULL, sum = 0;

	if (vals && !bpf_map_lookup_elem(fd, &loss, vals))
		for (int i = 0; i < cpus; i++)
			sum += vals[i];
	free(vals);
	return sum;
}

/* Calls of processes that found the table full, each of which is a loss: asking for every function takes 20 ms. */
static void add_rest(struct xpt_engine *e, struct xpt_hashmap *sums)
{
	int fd = bpf_map__fd(e->skel->maps.xpt_counts_rest);
	uint32_t fn;

	if (!lost_in_programs(e, XPT_LOSS_COUNTERS_FULL))
		return;
	for (fn = 1; fn < e->nr_fns; fn++) {
		struct xpt_wire_count_key key = { .fn = (__u16)fn, .sub = XPT_DIR_NONE };
		struct xpt_wire_count c, *sum;

		if (bpf_map_lookup_elem(fd, &fn, &c) || !c.calls)
			continue;
		sum = xpt_hashmap__get(sums, &key, NULL);
		if (sum)
			xpt_totals__add(sum, &c);
	}
}

/*
 * Sums the counts in the kernel's tables now, by struct xpt_wire_count_key; known_only: see above. NULL: no memory.
 */
static struct xpt_hashmap *sum_counts(struct xpt_engine *e, bool known_only)
{
	struct xpt_hashmap *sums = NULL;

	if (xpt_hashmap__new(sizeof(struct xpt_wire_count_key), sizeof(struct xpt_wire_count),
			     MAX_SUMS, &sums))
		return NULL;
	add_processes(e, sums, known_only);
	add_spare(e, sums, known_only);
	add_threads(e, sums, known_only);
	add_rest(e, sums);
	return sums;
}

static void emit_counts(struct xpt_engine *e)
{
	struct xpt_hashmap *sums = sum_counts(e, false);
	const void *key;
	size_t pos = 0;
	void *sum;

	while (sums && xpt_hashmap__next(sums, &pos, &key, &sum))
		xpt_totals__emit_count(e, key, sum);
	xpt_hashmap__free(sums);
}

static void add_error(struct xpt_hashmap *sums, const struct xpt_wire_error_key *key, uint64_t n)
{
	uint64_t *sum = key->fn && n ? xpt_hashmap__get(sums, key, NULL) : NULL;

	if (sum)
		*sum += n;
}

static void add_thread_errors(struct xpt_engine *e, struct xpt_hashmap *sums, bool known_only)
{
	struct xpt_threads_at at = { 0 };
	const struct xpt_thread *t;
	int i;

	while ((t = xpt_threads__next(e, &at))) {
		if (known_only && is_unheard(e, t))
			continue;
		for (i = 0; i < XPT_ACCS; i++) {
			const struct xpt_acc *a = &t->acc[i];
			struct xpt_wire_error_key key = { a->key.tgid, a->key.fn, a->code };

			add_error(sums, &key, a->code_calls);
		}
	}
}

static void emit_error(struct xpt_engine *e, enum xpt_rec_kind kind, const struct xpt_wire_error_key *key,
		       uint64_t calls)
{
	struct xpt_rec_errcount *r = begin_record(e, kind, key->fn, sizeof(*r));

	r->key = *key;
	r->calls = calls;
	xpt_facts__emit(e, sizeof(*r));
}

void xpt_totals__emit_error(struct xpt_engine *e, const struct xpt_wire_error_key *key,
			    uint64_t calls)
{
	emit_error(e, XPT_REC_ERRCOUNT, key, calls);
}

static struct xpt_hashmap *sum_errors(struct xpt_engine *e, bool known_only)
{
	int fd = bpf_map__fd(e->skel->maps.xpt_errors);
	struct xpt_error_key key, *prev = NULL;
	struct xpt_hashmap *sums = NULL;
	uint64_t calls;

	if (xpt_hashmap__new(sizeof(key.of), sizeof(calls), MAX_SUMS, &sums))
		return NULL;
	while (!bpf_map_get_next_key(fd, prev, &key)) {
		prev = &key;
		if (!(known_only && xpt_recycle__is_next(e, key.of.tgid, key.began_ns)) &&
		    !bpf_map_lookup_elem(fd, &key, &calls))
			add_error(sums, &key.of, calls);
	}
	add_thread_errors(e, sums, known_only);
	return sums;
}

static void emit_errors(struct xpt_engine *e, enum xpt_rec_kind kind)
{
	struct xpt_hashmap *sums = sum_errors(e, kind == XPT_REC_ERRCOUNT_NOW);
	const void *key;
	size_t pos = 0;
	void *sum;

	while (sums && xpt_hashmap__next(sums, &pos, &key, &sum))
		if (kind == XPT_REC_ERRCOUNT || xpt_known__may_tell(e, ((const struct xpt_wire_error_key *)key)->tgid))
			emit_error(e, kind, key, *(const uint64_t *)sum);
	xpt_hashmap__free(sums);
}

static void add_programs(struct xpt_engine *e, uint64_t *lost)
{
	for (uint32_t loss = 0; loss < XPT_LOSS__MAX; loss++)
		lost[loss] += lost_in_programs(e, loss);
}

/* Adds the losses that the engine itself knows. */
static void add_engine(struct xpt_engine *e, uint64_t *lost)
{
	lost[XPT_LOSS_STACK_FAILED] += xpt_callers__failed(e->callers);
	lost[XPT_LOSS_READ_FAILED] += e->strings.failed;
	lost[XPT_LOSS_LATE] += e->rings.late;
	lost[XPT_LOSS_WATCH_LOST] += e->mappings->lost;
	lost[XPT_LOSS_PROBE_FAILED] += e->stats.nr_failed;
	lost[XPT_LOSS_HOLD_TIMEOUT] += xpt_hold__timeouts(e);
}

/* changed: of those only that have grown since they were emitted. */
static void losses(struct xpt_engine *e, bool changed)
{
	uint64_t lost[XPT_LOSS__MAX];
	struct xpt_rec_loss *r;
	uint32_t loss;

	memcpy(lost, e->lost, sizeof(lost));
	add_programs(e, lost);
	add_engine(e, lost);
	xpt_sources__losses(e, lost);
	for (loss = 0; loss < XPT_LOSS__MAX; loss++) {
		uint64_t ours = xpt_calibration__loss(e, loss);

		if (lost[loss] <= ours || (changed && lost[loss] - ours == e->lost_emitted[loss]))
			continue;
		r = begin_record(e, XPT_REC_LOSS, 0, sizeof(*r));
		r->ts_ns = xpt_now_ns();
		r->loss = loss;
		r->count = e->lost_emitted[loss] = lost[loss] - ours;
		xpt_facts__emit(e, sizeof(*r));
	}
}

void xpt_totals__counters(struct xpt_engine *e)
{
	emit_counts(e);
	emit_errors(e, XPT_REC_ERRCOUNT);
	losses(e, false);
}

void xpt_totals__emit_now(struct xpt_engine *e)
{
	struct xpt_hashmap *sums = sum_counts(e, true);
	const void *key;
	size_t pos = 0;
	void *sum;

	while (sums && xpt_hashmap__next(sums, &pos, &key, &sum))
		if (xpt_known__may_tell(e, ((const struct xpt_wire_count_key *)key)->tgid))
			emit_count(e, XPT_REC_COUNTER_NOW, key, sum);
	xpt_hashmap__free(sums);
	emit_errors(e, XPT_REC_ERRCOUNT_NOW);
	losses(e, true);
}

/* Writes the cost of the function's calls, and adds it to the sums. */
static void cost_of(struct xpt_engine *e, uint32_t fn, struct xpt_cost_value *sum)
{
	const struct xpt_efn *f = &e->fns[fn];
	const struct xpt_cost_value *v = e->cost.v[f->cost_kind];
	const struct xpt_cost_value *sent = &v[XPT_COST_SENT], *counted = &v[XPT_COST_COUNTED];
	uint64_t events = f->events < f->calls ? f->events : f->calls, rest = f->calls - events;
	struct xpt_rec_fncost *c = begin_record(e, XPT_REC_FNCOST, fn, sizeof(*c));

	c->event_ns = sent->ns;
	c->count_ns = counted->ns;
	c->events = events;
	c->kind = f->cost_kind;
	xpt_facts__emit(e, sizeof(*c));
	sum->ns += events * sent->ns + rest * counted->ns;
	sum->low += events * sent->low + rest * counted->low;
	sum->high += events * sent->high + rest * counted->high;
}

void xpt_totals__cost(struct xpt_engine *e)
{
	struct xpt_engine_stats stats = { 0 };
	struct xpt_cost_value sum = { 0 };
	uint64_t hits = 0;
	struct rusage ru = { 0 };
	struct xpt_rec_cost *c;
	uint32_t fn;

	/* Ioctls are no probes on functions, and cost less: docs/kernel.md has numbers. */
	for (fn = e->cfg.ioctls || e->cfg.uverbs ? XPT_IOCTL_FNS + 1 : 1; fn < e->nr_fns; fn++) {
		/* No uprobe of its own: it is a kernel function, or shares the trap of another function. */
		if (e->fns[fn].kernel || e->fns[fn].shares_trap)
			continue;
		hits += e->fns[fn].calls;
		if (e->fns[fn].calls && e->cost.v[0][XPT_COST_SENT].ns)
			cost_of(e, fn, &sum);
	}
	getrusage(RUSAGE_SELF, &ru);
	c = begin_record(e, XPT_REC_COST, 0, sizeof(*c));
	c->hits = hits;
	c->hit_ns = hits ? sum.ns / hits : 0;
	c->hit_low_ns = hits ? sum.low / hits : 0;
	c->hit_high_ns = hits ? sum.high / hits : 0;
	c->cpu_ns = ((uint64_t)ru.ru_utime.tv_sec + (uint64_t)ru.ru_stime.tv_sec) * 1000000000ull +
		    ((uint64_t)ru.ru_utime.tv_usec + (uint64_t)ru.ru_stime.tv_usec) * 1000ull;
	c->rss_bytes = (uint64_t)ru.ru_maxrss * 1024;
	xpt_sources__stats(e, &stats);
	c->attach_ns = e->stats.attach_ns + stats.kernel.attach_ns;
	c->nr_probes = e->stats.nr_probes + stats.kernel.nr;
	c->nr_slow = e->stats.nr_slow;
	xpt_facts__emit(e, sizeof(*c));
}
