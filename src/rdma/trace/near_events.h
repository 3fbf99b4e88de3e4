/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Asynchronous events beside a call: those that its device told while the call ran or in the second before.
 * A port that went down explains a queue pair that found nobody.
 */
#ifndef XPT_RDMA_TRACE_NEAR_EVENTS_H
#define XPT_RDMA_TRACE_NEAR_EVENTS_H

#include "base/strbuf.h"
#include "base/json.h"
#include "rdma/trace/trace.h"

enum { XPT_RDMA_EVENTS_KEPT = 32 };

struct xpt_rdma_seen_event {
	char name[24], device[64];
	uint64_t number, ns;		/* of the port or the queue pair; monotonic */
};

struct xpt_rdma_near_events {		/* zeroed before */
	struct xpt_rdma_seen_event seen[XPT_RDMA_EVENTS_KEPT];	/* a ring: the newest ones */
	unsigned nr;			/* all that were added */
};

void xpt_rdma_near_events__add(struct xpt_rdma_near_events *e, const char *name, const char *device, uint64_t number,
			       uint64_t ns);
/*
 * Finds the events of a device that a call from start_ns to end_ns has beside it, in order of time, the newest ones.
 * Those of devices whose name is not known are none. Returns how many, at most XPT_RDMA_TRACE_EVENTS.
 */
uint32_t xpt_rdma_near_events__find(const struct xpt_rdma_near_events *e, const char *device, uint64_t start_ns,
				    uint64_t end_ns, struct xpt_rdma_event *ret_v);
/* "PORT_ERR 1, 312 ms before it ended"; number 0 is not shown. Returns buf. */
const char *xpt_rdma_event__text(const struct xpt_rdma_event *e, char *buf, size_t n);
/* Appends a list of objects (docs/format.md). */
void xpt_rdma_events__print(const struct xpt_rdma_event *v, uint32_t n, struct xpt_strbuf *sb);
/* Reads such a list, its first max objects. Returns how many. */
uint32_t xpt_rdma_events__take(struct xpt_json *j, struct xpt_rdma_event *ret_v, uint32_t max);

#endif
