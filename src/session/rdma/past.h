/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The counts of `rdma watch` from before drivers were loaded or removed and it was begun anew. Names belong to the
 * graphs of then, so those stay.
 */
#ifndef XPT_SESSION_RDMA_PAST_H
#define XPT_SESSION_RDMA_PAST_H

#include "session/rdma/plans.h"
#include "rdma/graph/loaded_modules.h"
#include "rdma/verdict/sums.h"

#define XPT_RDMA_PASTS 64	/* times that a watch is begun anew */

struct xpt_rdma_past {		/* zeroed at first */
	struct xpt_rdma_modules planned, seen;	/* for which the plans are; at the last look */
	uint64_t next_ns;
	bool has_sums;
	struct xpt_rdma_sums sums;	/* of all watches that have ended */
	struct xpt_rdma_plans plans[XPT_RDMA_PASTS];
	unsigned nr;
	uint64_t unwatched_ns;		/* between the end of each and the next one's beginning */
};

/* Looks twice a second: whether other modules are loaded than those planned for, at two looks in a row. */
bool xpt_rdma_past__has_changed(struct xpt_rdma_past *p, uint64_t now_ns);
/* "rdma_rxe was loaded, xptv was removed", since the plans were made. */
const char *xpt_rdma_past__changes(const struct xpt_rdma_past *p, char *buf, size_t n);
/* Takes over all sums so far, those of before added, and the plans of the watch that ends; at most XPT_RDMA_PASTS times. */
void xpt_rdma_past__keep(struct xpt_rdma_past *p, const struct xpt_rdma_sums *s, const struct xpt_rdma_plans *plans);
/* Adds the counts from before to s. Returns -ENOMEM with s unchanged. */
int xpt_rdma_past__add(const struct xpt_rdma_past *p, struct xpt_rdma_sums *s);
void xpt_rdma_past__free(struct xpt_rdma_past *p);

#endif
