// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See rdma_counts.h. That a process has ended is asked of the kernel: the engine does not hear of the end of one that
 * calls no traced library.
 */
#include "session/rdma/rdma_counts.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "base/hashmap.h"
#include "engine/inject.h"
#include "wire/config.h"
#include "wire/wire.h"

#define COUNTS 1024u		/* of processes, functions and errors */
#define METHODS 1024u		/* more than any kernel has */
#define LOOK_NS 5000000000ull	/* between looks for processes that have ended */

struct counted_key {		/* no padding: it is hashed */
	uint32_t tgid, fn;
	int64_t code;		/* 0: all calls; else those that returned it */
};

struct xpt_rdma_counts {
	struct xpt_hashmap *counted;	/* struct counted_key -> struct xpt_wire_count */
	struct xpt_hashmap *methods;	/* uint32_t -> struct xpt_rdma_method_sum */
	uint64_t looked_ns;
};

int xpt_rdma_counts__new(struct xpt_rdma_counts **ret_c)
{
	struct xpt_rdma_counts *c = *ret_c = calloc(1, sizeof(*c));

	if (!c || xpt_hashmap__new(sizeof(struct counted_key), sizeof(struct xpt_wire_count), COUNTS, &c->counted) ||
	    xpt_hashmap__new(sizeof(uint32_t), sizeof(struct xpt_rdma_method_sum), METHODS, &c->methods))
		return -ENOMEM;
	return 0;
}

void xpt_rdma_counts__free(struct xpt_rdma_counts *c)
{
	if (!c)
		return;
	xpt_hashmap__free(c->counted);
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

	if (!add_to(c, call, 0))
		return false;
	if (failed)
		add_to(c, call, call->ret);
	m = xpt_hashmap__get(c->methods, &method, NULL);
	if (m) {
		m->calls++;
		m->time_ns += call->dur_ns;
		m->fn = call->rec.fn;
	}
	return true;
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
		xpt_engine__tell_errors(e, &error, n->calls, so_far);
	else
		xpt_engine__tell_count(e, &key, n, so_far);
}

void xpt_rdma_counts__tell(const struct xpt_rdma_counts *c, struct xpt_engine *e, bool nested, bool so_far)
{
	const void *key;
	size_t pos = 0;
	void *n;

	while (xpt_hashmap__next(c->counted, &pos, &key, &n))
		tell_one(e, key, n, nested, so_far);
}

void xpt_rdma_counts__tell_ended(struct xpt_rdma_counts *c, struct xpt_engine *e, bool nested, uint64_t now_ns)
{
	struct counted_key ended[COUNTS];
	const void *key;
	size_t pos = 0, nr = 0;
	void *n;

	if (now_ns - c->looked_ns < LOOK_NS)
		return;
	c->looked_ns = now_ns;
	while (xpt_hashmap__next(c->counted, &pos, &key, &n)) {
		const struct counted_key *k = key;

		if (nr < COUNTS && kill((pid_t)k->tgid, 0) && errno == ESRCH)
			ended[nr++] = *k;
	}
	for (size_t i = 0; i < nr; i++) {
		tell_one(e, &ended[i], xpt_hashmap__find(c->counted, &ended[i]), nested, false);
		xpt_hashmap__del(c->counted, &ended[i]);
	}
}
