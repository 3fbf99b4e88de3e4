/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `rdma watch`: calls that have not returned, each told once while they last, and again at the end. */
#ifndef XPT_SESSION_RDMA_HANGS_H
#define XPT_SESSION_RDMA_HANGS_H

#include "base/wall_clock.h"
#include "engine/rdma/rdma_probes.h"
#include "rdma/trace/evidence/hang.h"
#include "rdma/plan/watchlist.h"

#define XPT_RDMA_HANGS 64	/* that are remembered at once: others are told again with each look */

struct xpt_rdma_hangs {
	const struct xpt_rdma_watch *w;
	const struct xpt_rdma_watchlist *list;
	const struct xpt_wall_clock *clock;	/* of the session */
	uint64_t limit_ns;	/* 0: none is told */
	void (*tell)(void *ctx, const struct xpt_rdma_hang *h);	/* h lives for the call */
	void *ctx;
	uint64_t next_ns;
	bool at_end;
	unsigned next;
	struct {
		uint32_t tid;
		uint64_t start_ns;
	} told[XPT_RDMA_HANGS];
};

/* Looks once a second. at_end: the last look; all that have lasted for a second are told. */
void xpt_rdma_hangs__step(struct xpt_rdma_hangs *h, uint64_t now_ns, bool at_end);

#endif
