/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Deeper probes for a method that has failed: with all that lies below it, for a
 * while or the next few failures, one method at a time.
 */
#ifndef XPT_SESSION_RDMA_DEEPEN_H
#define XPT_SESSION_RDMA_DEEPEN_H

#include "engine/rdma/rdma_probes.h"
#include "rdma/plan/watchlist.h"

struct xpt_rdma_deep {		/* zeroed, then the first four */
	struct xpt_rdma_watch *w;
	struct xpt_rdma_watchlist *list;
	const struct xpt_rdma_hold **hold;	/* XPT_RDMA_FNS, by id; filled for what is added */
	unsigned kernel_minor;
	uint32_t nr;		/* functions without those that were added */
	uint32_t root, wanted;	/* methods, index + 1; 0: none */
	unsigned left;		/* failures of it until the end */
	uint64_t end_ns, next_ns;
	unsigned times;		/* that there was more to watch */
};

/* A method has failed in a way that is not normal. */
void xpt_rdma_deep__failed(struct xpt_rdma_deep *d, uint32_t root);
/* Adds or takes away, which may take a while; between two looks for records. */
void xpt_rdma_deep__step(struct xpt_rdma_deep *d, uint64_t now_ns);
/* Whether a method is the one that is looked into. */
bool xpt_rdma_deep__is(const struct xpt_rdma_deep *d, uint32_t root);

#endif
