/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The log of a job as NCCL and its like write it: the lines about calls of libibverbs that
 * failed, and which traced call each of them is about; completions with errors and
 * asynchronous events are counted.
 */
#ifndef XPT_RDMA_TRACE_JOB_LOG_NCCL_LOG_H
#define XPT_RDMA_TRACE_JOB_LOG_NCCL_LOG_H

#include <stdio.h>
#include "rdma/trace/job_log/log_forms.h"
#include "rdma/trace/trace.h"

enum {
	XPT_RDMA_NCCL_LINES = 65536,	/* about failed calls, of one log */
	XPT_RDMA_NCCL_CALLS = 65536,	/* traced ones that a line may be about */
	XPT_RDMA_NCCL_VERBS = 256,	/* different calls that lines name */
	XPT_RDMA_NCCL_COUNTS = 64,	/* kinds of completions and events */
	XPT_RDMA_NCCL_STEPS = 10000000,	/* comparisons of lines with calls */
};

struct xpt_rdma_nccl_line {
	struct xpt_rdma_log_form form;
	uint64_t number;	/* of the line, from 1 */
	uint32_t retries;	/* lines before it, each about an attempt that failed */
	uint32_t call;		/* the traced call that it is about, from 1; 0: none, or it cannot be told */
	uint32_t choices;	/* without a call: between how many different calls it cannot be told */
	uint8_t verb;		/* index of form.verb */
	bool is_open;		/* the call may be tried again */
	bool like_normal;	/* a call with that error is counted as normal */
};

struct xpt_rdma_nccl_call {	/* a traced call that failed */
	uint64_t verbs[XPT_RDMA_NCCL_VERBS / 64];	/* the names that lines may have for it */
	uint64_t wall_ns, end_ns;	/* of the wall clock, as lines have it */
	uint64_t monotonic_ns;		/* when it began; 0: not known */
	uint64_t order_ns;		/* set by the matching: of the calls of one boot the order is that of its monotonic clock */
	uint32_t pid, tid;		/* as the program sees them, and host, too, */
	bool in_container;		/* unless they are not known: it is in a container, in an older file */
	int32_t code;			/* positive errno */
	uint32_t syndrome;		/* of the firmware; 0: none is known */
	uint32_t line;			/* the line that is about it, from 1; 0: none */
	bool is_claimed;	/* a line may be about it for which there are others, too */
	bool is_normal;		/* without a line that is about it, this is no failure */
	bool is_question;	/* of which no line is */
	bool is_gone;		/* it is too late for a line */
	char host[65], state[8];
	char machine[65], boot_id[37];	/* that it was made on; "": not known */
	const char *cause;	/* the cause known to the caller before the matching; a constant */
	char way[224];		/* and this: calls with the same cause and way are alike */
};

struct xpt_rdma_nccl_count {	/* a status of completions, or a type of events */
	char name[64];
	uint64_t n, first;	/* lines; the number of the first one */
	uint32_t status;	/* 0: an event */
	char host[65];		/* of its lines; "": of several, or not known */
};

struct xpt_rdma_nccl {
	struct xpt_rdma_nccl_line *line;
	struct xpt_rdma_nccl_call *call;
	struct xpt_rdma_nccl_count count[XPT_RDMA_NCCL_COUNTS];
	char verb[XPT_RDMA_NCCL_VERBS][48];
	unsigned nr, cap, nr_calls, cap_calls, nr_counts, nr_verbs;
	uint32_t *open;			/* lines whose call may be tried again */
	unsigned nr_open;
	uint64_t left_out, calls_left_out, cut;	/* lines and calls without room; lines that were too long */
	uint64_t not_compared;		/* lines without a call, when there were too many comparisons */
};

struct xpt_rdma_nccl *xpt_rdma_nccl__new(void);		/* NULL: no memory */
void xpt_rdma_nccl__free(struct xpt_rdma_nccl *nccl);	/* NULL is fine */
int xpt_rdma_nccl__read(struct xpt_rdma_nccl *nccl, FILE *f);	/* 0, -ENOMEM, -EIO */
/*
 * Remembers a call that failed, for the matching. Returns its number, from 1; 0: no line can be about it, or there
 * is no room. The caller may fill in the members that only he knows.
 */
uint32_t xpt_rdma_nccl__offer(struct xpt_rdma_nccl *nccl, const struct xpt_rdma_trace *t);
/*
 * Finds the call of each line, once all are known. A line and its call have the same name, and error, new
 * state, syndrome and time as far as both have them; each line and each call is used once. Lines are
 * matched by thread, then by process, then without; in each step those that say most first. Equally good
 * calls that are not alike are taken in the order of time if there are as many as lines of that process;
 * else their lines have choices, and no call. 0 or -ENOMEM.
 */
int xpt_rdma_nccl__match(struct xpt_rdma_nccl *nccl);
/* Tells whether two names may mean one host. Those with domains are compared as a whole, others up to the first dot. */
bool xpt_rdma_nccl__is_same_host(const char *a, const char *b);

#endif
