/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Deeper probes for a method that has failed, for a while or the next few failures, one method at a time: with all
 * that lies below it, if the user wants that; else on the functions in which the error may have begun unseen.
 */
#ifndef XPT_SESSION_RDMA_DEEPEN_H
#define XPT_SESSION_RDMA_DEEPEN_H

#include "engine/rdma/rdma_probes.h"
#include "rdma/plan/watchlist.h"
#include "rdma/trace/trace.h"

struct xpt_rdma_deep {		/* zeroed, then the first four */
	struct xpt_rdma_watch *w;
	struct xpt_rdma_watchlist *list;
	const struct xpt_rdma_hold **hold;	/* XPT_RDMA_FNS, by id; filled for functions that are added */
	unsigned kernel_minor;
	uint32_t nr;		/* functions without those that were added */
	uint32_t root, wanted;	/* methods, index + 1; 0: none */
	bool is_few;		/* root: functions of fns alone */
	uint32_t fns[XPT_RDMA_TRACE_UNPROBED], nr_fns;	/* of the graph; wanted: these; 0: all below the method */
	char shape[48];		/* of the calls that they are for */
	uint64_t wanted_ns;	/* with wanted: when such a call failed last */
	unsigned left;		/* failures of it until the end */
	uint64_t since_ns;	/* with root: when the probes were there (CLOCK_MONOTONIC) */
	uint64_t end_ns, next_ns;
	uint64_t few_ns;	/* when a few were added or taken away, */
	uint32_t last_few;	/* and the first of them */
	unsigned times;		/* that there was more to watch */
};

/* A method has failed in a way that is not normal. all: the user wants all that lies below it. */
void xpt_rdma_deep__failed(struct xpt_rdma_deep *d, uint32_t root, const struct xpt_rdma_trace *t, bool all);
/* Adds or takes away, which may take a while; between two looks for records. */
void xpt_rdma_deep__step(struct xpt_rdma_deep *d, uint64_t now_ns);
/*
 * Whether all functions below a method are watched, or a few of them in calls of that shape, in a call that began at
 * start_ns: of one that began before the probes were there it is not known which functions returned.
 */
bool xpt_rdma_deep__is(const struct xpt_rdma_deep *d, uint32_t root, uint64_t start_ns);
bool xpt_rdma_deep__is_few(const struct xpt_rdma_deep *d, uint32_t root, const char *shape, uint64_t start_ns);

#endif
