/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Failures that are normal if the program goes on: it tried whether something works, and
 * used something else, or tried again until it did. Whether it does is known by its thread's
 * next calls. Until then such a failure waits; a process that ends, or makes none of them
 * within five seconds, has failed. Where calls were lost meanwhile, silence says nothing.
 */
#ifndef XPT_RDMA_VERDICT_TRIAL_H
#define XPT_RDMA_VERDICT_TRIAL_H

#include "rdma/trace/moment.h"
#include "rdma/verdict/judge.h"

/* Failures that wait at once. A new one evicts the oldest, which ends as XPT_RDMA_TRIAL_NOT_KNOWN. */
enum {
	XPT_RDMA_TRIALS = 256,
	XPT_RDMA_TRIAL_BOOTS = 8,	/* of which losses are known; a further one evicts the oldest */
};

#define XPT_RDMA_TRIAL_NS 5000000000ll

/* How a trial ended. */
enum xpt_rdma_trial_end {
	XPT_RDMA_TRIAL_FAILED,
	XPT_RDMA_TRIAL_WENT_ON,		/* its error was normal */
	XPT_RDMA_TRIAL_NOT_KNOWN,	/* the call that would tell may have been lost */
};

struct xpt_rdma_trial {
	struct xpt_rdma_trace *t;	/* from xpt_rdma_trace__parse() or xpt_rdma_trace__copy() */
	enum xpt_rdma_condition condition;
	bool has_gap;			/* calls were lost since it began */
};

struct xpt_rdma_losses {	/* calls of one boot of a machine that were lost */
	char host[65], boot_id[37];
	uint64_t monotonic_ns, wall_ns;	/* they ended before; as in struct xpt_rdma_moment */
};

struct xpt_rdma_trials {		/* zeroed, then the last two */
	struct xpt_rdma_trial v[XPT_RDMA_TRIALS];	/* the oldest first */
	unsigned nr;
	struct xpt_rdma_losses losses[XPT_RDMA_TRIAL_BOOTS];
	unsigned nr_losses;	/* also of those that others evicted */
	/* A call is decided. t is the callee's from then on. */
	void (*decide)(void *ctx, struct xpt_rdma_trace *t, enum xpt_rdma_trial_end end);
	void *ctx;
};

/* Each call, before it is judged: decides those of its thread that it says something about. */
void xpt_rdma_trials__saw(struct xpt_rdma_trials *tr, const struct xpt_rdma_trace *t);
/* Keeps a call whose verdict has a trial; t belongs to the trials from then on. */
void xpt_rdma_trials__wait(struct xpt_rdma_trials *tr, struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v);
/* Those of that boot that began five seconds before have failed. */
void xpt_rdma_trials__until(struct xpt_rdma_trials *tr, const struct xpt_rdma_moment *now);
/* A process has ended. */
void xpt_rdma_trials__ended(struct xpt_rdma_trials *tr, uint32_t pid, const struct xpt_rdma_moment *at);
/* Calls of that boot that ended before were lost, of whatever thread. */
void xpt_rdma_trials__lost(struct xpt_rdma_trials *tr, const struct xpt_rdma_moment *before);
/* Nothing follows: all of them have failed. Later calls are of another watch. */
void xpt_rdma_trials__over(struct xpt_rdma_trials *tr);
/* Applies the end of its trial to the verdict on a call. */
void xpt_rdma_trial__conclude(enum xpt_rdma_trial_end end, struct xpt_rdma_verdict *v);
/* A process that has some; 0: index i has none. */
uint32_t xpt_rdma_trials__pid(const struct xpt_rdma_trials *tr, unsigned i);

#endif
