/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The exact counters of a watch, with names: calls by method; calls, errors and
 * which errors by function. Read at the end for people, now and then for metrics.
 */
#ifndef XPT_RDMA_VERDICT_SUMS_H
#define XPT_RDMA_VERDICT_SUMS_H

#include "engine/rdma/rdma_probes.h"
#include "rdma/plan/watchlist.h"

struct xpt_rdma_sum {		/* of a method */
	const char *method, *object;
	uint64_t calls, failed, slow, held, ns;
	uint64_t expected;	/* of those failed that were sent */
};

struct xpt_rdma_code {
	int32_t code;		/* negative; 0: a predicate's no */
	uint64_t n;
};

struct xpt_rdma_fn_sum {
	const char *function, *module;
	uint64_t calls, errors;
	const struct xpt_rdma_code *code;	/* of the errors */
	unsigned nr_codes;
};

#define XPT_RDMA_HELD 24	/* kinds of calls that came too fast, those that did most often */

struct xpt_rdma_held {		/* failed or slow calls that nobody looked at, by kind */
	const char *method, *function;	/* function: the first one that returned the errno; "": not known */
	char shape[48];		/* "INIT>RTR"; "" */
	int error;		/* positive errno; 0: they were slow */
	uint64_t n;
};

#define XPT_RDMA_PASSED 8	/* methods of the data path: five */

struct xpt_rdma_passed {	/* of a method that is counted only */
	const char *method;
	uint64_t calls;
};

struct xpt_rdma_sums {
	struct xpt_rdma_sum *method;	/* that were called */
	struct xpt_rdma_passed passed[XPT_RDMA_PASSED];	/* the same, and not looked into */
	struct xpt_rdma_held held[XPT_RDMA_HELD];	/* most first */
	uint64_t held_others;	/* calls of kinds that found no room there */
	unsigned nr_passed, nr_held;
	struct xpt_rdma_fn_sum *fn;
	unsigned nr_methods, nr_fns;
	struct xpt_rdma_code *code;	/* the errors that fn[] refers to */
	struct xpt_rdma_watch_stats stats;
	unsigned nr_anew;		/* times that the watch was begun anew, and */
	uint64_t unwatched_ns;		/* how long nothing was watched meanwhile */
};

/*
 * expected: by method, index of the graph's roots. nr_fns: so many of the list's functions, the
 * first ones (ids of those that come and go stood for several). Names are the graph's.
 * -ENOMEM.
 */
int xpt_rdma_sums__read(const struct xpt_rdma_watch *w, const struct xpt_rdma_watchlist *list,
			uint32_t nr_fns, const uint64_t *expected, struct xpt_rdma_sums *ret_s);
/*
 * Merges the sums of a watch that was begun anew: both, by name; the watched functions, and how, are those of
 * since. Names stay theirs. Returns -ENOMEM.
 */
int xpt_rdma_sums__merge(const struct xpt_rdma_sums *before, const struct xpt_rdma_sums *since,
			 struct xpt_rdma_sums *ret_s);
void xpt_rdma_sums__free(struct xpt_rdma_sums *s);	/* zeroed is fine */
const char *xpt_rdma_lost_name(enum xpt_rdma_lost what);	/* as in outputs: "ring" */

#endif
