/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `rdma watch` without its options and output: calls of the kernel's RDMA
 * interface as they are judged, for others who trace (rdma_layer.c).
 */
#ifndef XPT_SESSION_RDMA_RDMA_LISTEN_H
#define XPT_SESSION_RDMA_RDMA_LISTEN_H

#include <stdbool.h>
#include <stdint.h>
#include "session/usage.h"

struct xpt_rdma_listen;

struct xpt_rdma_heard {		/* a call; tgid 0: an event, of which there is only the line */
	uint32_t nr;		/* of its method */
	uint32_t tgid, tid;
	uint64_t start_ns, dur_ns;	/* CLOCK_MONOTONIC */
	int64_t ret;		/* 0 or -errno */
	bool failed;		/* and that is not normal */
	uint32_t uid;
	const char *method, *shape, *device, *comm;	/* comm: of the thread */
	const char *origin, *cause, *advice;	/* of failures, else "" */
	const char *json;	/* a line as docs/format.md has it, without its end; NULL: left out */
};

typedef void (*xpt_rdma_heard_fn)(void *ctx, const struct xpt_rdma_heard *h);
typedef void (*xpt_rdma_heard_sum_fn)(void *ctx, uint32_t nr, uint64_t calls, uint64_t ns);

/* Both: -1 or an exit status, why was said; *ret_l is to be freed then, too. */
int xpt_rdma_listen__new(const char *command, xpt_rdma_heard_fn fn, void *ctx,
			 struct xpt_rdma_listen **ret_l);
/* Only these processes and their children; nr 0, or more than XPT_RDMA_TARGETS: all. */
int xpt_rdma_listen__start(struct xpt_rdma_listen *l, const int *pids, unsigned nr);
void xpt_rdma_listen__read(struct xpt_rdma_listen *l);	/* gives what is there to fn */
void xpt_rdma_listen__step(struct xpt_rdma_listen *l);	/* now and then */
/* All calls by method, those that were not told as well. Says what was lost. */
void xpt_rdma_listen__sums(struct xpt_rdma_listen *l, xpt_rdma_heard_sum_fn fn, void *ctx);
void xpt_rdma_listen__free(struct xpt_rdma_listen *l);	/* NULL is fine */

#endif
