/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Asynchronous events beside a call: those that its device told while the call ran or in the second before.
 * A port that went down explains a queue pair that found nobody.
 */
#ifndef XPT_RDMA_TRACE_EVIDENCE_NEAR_EVENTS_H
#define XPT_RDMA_TRACE_EVIDENCE_NEAR_EVENTS_H

#include "base/formats/json_reader.h"
#include "base/strbuf.h"
#include "rdma/trace/trace.h"

enum {
	XPT_RDMA_EVENTS_KEPT = 32,	/* of one source of a device */
	XPT_RDMA_EVENTS_DROPPED = 16,	/* counts of further ones, each of 100 ms; the oldest of them of a longer time */
	XPT_RDMA_EVENT_DEVICES = 64,	/* whose events are kept; a new one evicts the one quiet for longest */
};

/* Who tells an event. Programs cause those of the connection manager, many in a second. */
enum xpt_rdma_event_source { XPT_RDMA_EVENTS_OF_DEVICE, XPT_RDMA_EVENTS_OF_CM, XPT_RDMA_NR_EVENT_SOURCES };

struct xpt_rdma_seen_event {
	char name[24];
	uint64_t number, ns;		/* of the port or the queue pair; monotonic */
};

struct xpt_rdma_dropped_events {	/* events that others have evicted */
	uint64_t first_ns, last_ns;
	uint32_t n;
};

struct xpt_rdma_seen_events {		/* in order of time */
	struct xpt_rdma_seen_event seen[XPT_RDMA_EVENTS_KEPT];
	struct xpt_rdma_dropped_events dropped[XPT_RDMA_EVENTS_DROPPED];
	unsigned nr, nr_dropped;
};

struct xpt_rdma_near_events {		/* zeroed before */
	struct {
		char device[64];
		uint64_t ns;		/* of its last event */
		struct xpt_rdma_seen_events of[XPT_RDMA_NR_EVENT_SOURCES];
	} by[XPT_RDMA_EVENT_DEVICES];
	unsigned nr;
	uint64_t crowded;		/* devices that were evicted within a second after an event of theirs */
};

/* Events of devices whose name is not known ("") are not kept. Where there is no room, the commonest name gives way. */
void xpt_rdma_near_events__add(struct xpt_rdma_near_events *e, enum xpt_rdma_event_source source, const char *name,
			       const char *device, uint64_t number, uint64_t ns);
/*
 * Finds the events of a device that a call from start_ns to end_ns has beside it, in order of time: of each source the
 * newest one of each name, then the newest of the others. Returns how many, at most XPT_RDMA_TRACE_EVENTS; how many
 * more there were at least is *ret_more: of those that are kept no longer the time is known to 100 ms.
 */
uint32_t xpt_rdma_near_events__find(const struct xpt_rdma_near_events *e, const char *device, uint64_t start_ns,
				    uint64_t end_ns, struct xpt_rdma_event *ret_v, uint32_t *ret_more);
/* "PORT_ERR" for IB_EVENT_PORT_ERR; without a name: "event 77". Returns buf or a constant. */
const char *xpt_rdma_event_text(uint32_t type, char *buf, size_t n);
/* "PORT_ERR 1, 312 ms before it ended"; number 0 is not shown. Returns buf. */
const char *xpt_rdma_event__text(const struct xpt_rdma_event *e, char *buf, size_t n);
/* Appends a list of objects (docs/format.md). */
void xpt_rdma_events__print(const struct xpt_rdma_event *v, uint32_t n, struct xpt_strbuf *sb);
/* Reads such a list, its first max objects. Returns how many. */
uint32_t xpt_rdma_events__take(struct xpt_json *j, struct xpt_rdma_event *ret_v, uint32_t max);

#endif
