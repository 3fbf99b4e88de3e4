// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See rdma_counts.h. Whether a process has ended is asked of the kernel before its sums are written: the engine is not
 * told of the end of one that calls no traced library.
 */
#include "session/rdma/rdma_counts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "engine/calls/inject.h"
#include "wire/config.h"
#include "wire/wire.h"

#define COUNTS 1024u		/* of processes, functions and errors */
#define METHODS 1024u		/* more than any kernel has */

struct counted_key {		/* no padding: it is hashed */
	uint32_t tgid, fn;
	int64_t code;		/* 0: all calls; else those that returned it */
};

struct xpt_rdma_counts {
	struct xpt_hashmap *counted;	/* struct counted_key -> struct xpt_wire_count */
	struct xpt_hashmap *started;	/* tgid -> uint64_t, when that process began; 0: it had ended when it was first heard of */
	struct xpt_hashmap *methods;	/* uint32_t -> struct xpt_rdma_method_sum */
};

/* When a process began, in the kernel's ticks; 0: it has ended, its parent has perhaps not asked for its status yet. */
static uint64_t start_of(uint32_t tgid)
{
	char path[32], line[512] = "", state;
	uint64_t start = 0;
	const char *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", tgid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	end = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;	/* the name before it may have any character */
	fclose(f);
	/* From the state, field 3 of proc(5), to the start, field 22. */
	if (!end || sscanf(end, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %" SCNu64,
			   &state, &start) != 2)
		return 0;
	return state == 'Z' || state == 'X' ? 0 : start;
}

int xpt_rdma_counts__new(struct xpt_rdma_counts **ret_c)
{
	struct xpt_rdma_counts *c = *ret_c = calloc(1, sizeof(*c));

	if (!c || xpt_hashmap__new(sizeof(struct counted_key), sizeof(struct xpt_wire_count), COUNTS, &c->counted) ||
	    xpt_hashmap__new(sizeof(uint32_t), sizeof(uint64_t), COUNTS, &c->started) ||
	    xpt_hashmap__new(sizeof(uint32_t), sizeof(struct xpt_rdma_method_sum), METHODS, &c->methods))
		return -ENOMEM;
	return 0;
}

void xpt_rdma_counts__free(struct xpt_rdma_counts *c)
{
	if (!c)
		return;
	xpt_hashmap__free(c->counted);
	xpt_hashmap__free(c->started);
	xpt_hashmap__free(c->methods);
	free(c);
}

/* In the slot that the kernel's own histograms have it: 2^(s-1) < ns <= 2^s. */
static unsigned slot_of(uint64_t ns)
{
	unsigned slot = ns > 1 ? 64 - (unsigned)__builtin_clzll(ns - 1) : 0;

	return slot < XPT_HIST_SLOTS ? slot : XPT_HIST_SLOTS - 1;
}

static bool add_to(struct xpt_rdma_counts *c, const struct xpt_rec_call *call, int64_t code)
{
	struct counted_key key = { call->tgid, call->rec.fn, code };
	struct xpt_wire_count *n = xpt_hashmap__get(c->counted, &key, NULL);

	if (!n)
		return false;
	n->calls++;
	n->errors += !!(call->flags & XPT_CALL_FAILED);
	n->time_ns += call->dur_ns;
	n->hist[slot_of(call->dur_ns)]++;
	if (call->dur_ns > n->max_ns)
		n->max_ns = call->dur_ns;
	return true;
}

bool xpt_rdma_counts__add(struct xpt_rdma_counts *c, const struct xpt_rec_call *call, uint32_t method, bool failed)
{
	struct xpt_rdma_method_sum *m;
	uint64_t *started;
	bool is_new = false;

	if (!add_to(c, call, 0))
		return false;
	started = xpt_hashmap__get(c->started, &call->tgid, &is_new);	/* there is room: a row of counted has each */
	if (started && is_new)
		*started = start_of(call->tgid);
	m = xpt_hashmap__get(c->methods, &method, NULL);
	if (m) {
		m->calls++;
		m->time_ns += call->dur_ns;
		m->fn = call->rec.fn;
	}
	return !failed || add_to(c, call, call->ret);
}

const struct xpt_rdma_method_sum *xpt_rdma_counts__of_method(const struct xpt_rdma_counts *c, uint32_t method)
{
	return xpt_hashmap__find(c->methods, &method);
}

static void tell_one(struct xpt_engine *e, const struct counted_key *k, const struct xpt_wire_count *n, bool nested,
		     bool so_far)
{
	struct xpt_wire_count_key key = { k->tgid, (uint16_t)k->fn, XPT_DIR_NONE | (nested ? XPT_SUB_NESTED : 0), 0 };
	struct xpt_wire_error_key error = { k->tgid, k->fn, k->code };

	if (k->code)
		xpt_engine__emit_errors(e, &error, n->calls, so_far);
	else
		xpt_engine__emit_count(e, &key, n, so_far);
}

void xpt_rdma_counts__tell(const struct xpt_rdma_counts *c, struct xpt_engine *e, bool nested, bool so_far)
{
	const void *key;
	size_t pos = 0;
	void *n;

	while (xpt_hashmap__next(c->counted, &pos, &key, &n))
		tell_one(e, key, n, nested, so_far);
}

/* Removes the rows of a process that has ended. Its number may be another's by now, which must not get its sums. */
static void end_process(struct xpt_rdma_counts *c, struct xpt_engine *e, bool nested, uint32_t tgid, bool is_reused)
{
	struct counted_key ended[COUNTS];
	size_t pos = 0, nr = 0;
	const void *key;
	void *n;

	while (xpt_hashmap__next(c->counted, &pos, &key, &n))
		if (((const struct counted_key *)key)->tgid == tgid)
			ended[nr++] = *(const struct counted_key *)key;
	for (size_t i = 0; i < nr; i++) {
		if (!is_reused)
			tell_one(e, &ended[i], xpt_hashmap__find(c->counted, &ended[i]), nested, false);
		xpt_hashmap__del(c->counted, &ended[i]);
	}
	xpt_hashmap__del(c->started, &tgid);
}

void xpt_rdma_counts__tell_ended(struct xpt_rdma_counts *c, struct xpt_engine *e, bool nested)
{
	struct { uint32_t tgid; bool is_reused; } ended[COUNTS];
	size_t pos = 0, nr = 0;
	const void *key;
	void *v;

	while (xpt_hashmap__next(c->started, &pos, &key, &v)) {
		uint32_t tgid = *(const uint32_t *)key;
		uint64_t had = *(const uint64_t *)v, start = start_of(tgid);

		if (!start || start != had) {
			ended[nr].tgid = tgid;
			ended[nr++].is_reused = start && had;
		}
	}
	for (size_t i = 0; i < nr; i++)
		end_process(c, e, nested, ended[i].tgid, ended[i].is_reused);
}
