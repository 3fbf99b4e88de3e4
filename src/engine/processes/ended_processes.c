// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counters of processes that have ended: handed on while the trace goes on and
 * taken out of the kernel's tables, so that a trace of many short processes
 * neither fills those nor mixes the counts of two processes with one id.
 *
 * Threads that end together may add to a counter a moment after the end of
 * their process was reported, so it is left alone for a second; but once another
 * process has the number, no thread of the last one is left. To which of them a
 * counter belongs is decided by when its process began.
 */
#include "engine/final_counts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "engine/processes/process_lives.h"
#include "engine/sched_source.h"
#include "wire/config.h"
#include "wire/count_key.h"
#include "call.skel.h"

#define WAIT_NS 1000000000ull	/* for the last threads of a process */
#define LATEST_NS 5000000000ull	/* and for more that end, so that one look serves many */
#define MANY 64

void xpt_recycle__ended(struct xpt_engine *e, uint32_t tgid, uint64_t end_ns, bool has_called)
{
	struct xpt_ended *ended = xpt_hashmap__get(e->ended, &tgid, NULL);

	if (!ended)	/* its counters stay until the end */
		return;
	ended->at_ns = end_ns;
	ended->has_called |= has_called;
	if (!e->ended_ns || end_ns < e->ended_ns)
		e->ended_ns = end_ns;
}

/* Which processes' counters are taken. */
struct taken {
	uint64_t now;		/* those of all that nothing is added to any more, */
	uint32_t tgid;		/* or of this one: another process has its number */
};

static bool is_over(const struct xpt_engine *e, const void *taken, uint32_t tgid, uint64_t began_ns)
{
	const struct taken *t = taken;
	const struct xpt_ended *ended = xpt_hashmap__find(e->ended, &tgid);

	if (!ended || began_ns > ended->at_ns)
		return false;
	if (t->tgid)
		return t->tgid == tgid;
	/* The end of a process that no program saw is noticed late: by then the id may be in use again. */
	return t->now >= ended->at_ns + WAIT_NS && !xpt_hashmap__find(e->procs, &tgid);
}

bool xpt_recycle__has_ended(const struct xpt_engine *e, uint32_t tgid)
{
	return xpt_hashmap__find(e->ended, &tgid) && !xpt_hashmap__find(e->procs, &tgid);
}

/*
 * The number of a life is when its process began and how often it executed a program, which is far less
 * (wire/life.h).
 */
bool xpt_recycle__is_next(const struct xpt_engine *e, uint32_t tgid, uint64_t began_ns)
{
	const struct xpt_ended *ended = xpt_hashmap__find(e->ended, &tgid);
	const struct xpt_life *life = xpt_lives__find(e, tgid);

	if (life && began_ns > life->nr)	/* the end of the process that is known waits in a ring */
		return true;
	return ended && began_ns > ended->at_ns && !xpt_hashmap__find(e->procs, &tgid);
}

/* Adds the spare table's count for a key, and removes the key from that table. */
static void take_spare(struct xpt_engine *e, const struct xpt_count_key *key, struct xpt_wire_count *sum)
{
	int fd = bpf_map__fd(e->skel->maps.xpt_counts_spare);
	struct xpt_wire_count c;

	if (bpf_map_lookup_elem(fd, key, &c))
		return;
	bpf_map_delete_elem(fd, key);
	xpt_totals__add(sum, &c);
}

/* Keys that only the spare table has. */
static void take_spare_counts(struct xpt_engine *e, const struct taken *t)
{
	int fd = bpf_map__fd(e->skel->maps.xpt_counts_spare);
	struct xpt_count_key key, next;
	bool more = !bpf_map_get_next_key(fd, NULL, &next);

	while (more) {
		struct xpt_wire_count sum = { 0 };

		key = next;
		more = !bpf_map_get_next_key(fd, &key, &next);
		if (!is_over(e, t, key.of.tgid, key.began_ns))
			continue;
		take_spare(e, &key, &sum);
		xpt_totals__emit_count(e, &key.of, &sum);
	}
}

static void take_counts(struct xpt_engine *e, const struct taken *t)
{
	int fd = bpf_map__fd(e->skel->maps.xpt_counts), cpus = libbpf_num_possible_cpus(), i;
	struct xpt_wire_count *vals = cpus > 0 ? calloc((size_t)cpus, sizeof(*vals)) : NULL;
	struct xpt_count_key key, next;
	bool more;

	more = vals && !bpf_map_get_next_key(fd, NULL, &next);
	while (more) {
		struct xpt_wire_count sum = { 0 };

		key = next;	/* after a deleted one the walk would begin again */
		more = !bpf_map_get_next_key(fd, &key, &next);
		if (!is_over(e, t, key.of.tgid, key.began_ns) || bpf_map_lookup_elem(fd, &key, vals))
			continue;
		for (i = 0; i < cpus; i++)
			xpt_totals__add(&sum, &vals[i]);
		bpf_map_delete_elem(fd, &key);
		take_spare(e, &key, &sum);
		xpt_totals__emit_count(e, &key.of, &sum);
	}
	free(vals);
	take_spare_counts(e, t);
}

static void take_errors(struct xpt_engine *e, const struct taken *t)
{
	int fd = bpf_map__fd(e->skel->maps.xpt_errors);
	struct xpt_error_key key, next;
	bool more = !bpf_map_get_next_key(fd, NULL, &next);
	uint64_t calls;

	while (more) {
		key = next;
		more = !bpf_map_get_next_key(fd, &key, &next);
		if (!is_over(e, t, key.of.tgid, key.began_ns) || bpf_map_lookup_elem(fd, &key, &calls))
			continue;
		bpf_map_delete_elem(fd, &key);
		if (key.of.fn)
			xpt_totals__emit_error(e, &key.of, calls);
	}
}

static void forget_ended(struct xpt_engine *e, uint64_t now)
{
	const void *key;
	size_t pos = 0;
	void *val;

	e->ended_ns = 0;
	while (xpt_hashmap__next(e->ended, &pos, &key, &val)) {
		uint32_t tgid = *(const uint32_t *)key;
		uint64_t at = ((const struct xpt_ended *)val)->at_ns;

		if (now >= at + WAIT_NS)
			xpt_hashmap__del(e->ended, &tgid);
		else if (!e->ended_ns || at < e->ended_ns)
			e->ended_ns = at;
	}
}

static void take_all(struct xpt_engine *e, const struct taken *t)
{
	take_counts(e, t);
	take_errors(e, t);
	xpt_esched__totals(e, is_over, t);
}

void xpt_recycle__reused(struct xpt_engine *e, uint32_t tgid)
{
	const struct xpt_ended *ended = xpt_hashmap__find(e->ended, &tgid);

	if (ended && ended->has_called)	/* else the walk finds nothing, and a process may fork often */
		take_all(e, &(struct taken){ .tgid = tgid });
}

void xpt_recycle__poll(struct xpt_engine *e, uint64_t now)
{
	uint64_t wait = xpt_hashmap__len(e->ended) >= MANY ? 2 * WAIT_NS : LATEST_NS;

	if (!e->ended_ns || now < e->ended_ns + wait)
		return;
	take_all(e, &(struct taken){ .now = now });
	forget_ended(e, now);
}
