/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters of ports and of the hardware that moved while a call failed: the difference of two readings, the last one
 * from before the call and the first one from after it. Between them more than the call may have happened, so the
 * time between is told.
 */
#ifndef XPT_RDMA_TRACE_EVIDENCE_MOVED_H
#define XPT_RDMA_TRACE_EVIDENCE_MOVED_H

#include <stdbool.h>
#include <stdint.h>
#include "base/formats/json_reader.h"
#include "base/strbuf.h"

#define XPT_RDMA_READINGS_APART_NS 9000000000ull	/* between two at intervals; a little less than the period of readings */

enum {
	XPT_RDMA_MOVED = 16,		/* counters beside a call */
	XPT_RDMA_READINGS = 4,		/* that are kept: of those at intervals, and of others */
	XPT_RDMA_COUNTED_VALUES = 2048,	/* of a reading */
	XPT_RDMA_COUNTED_DEVICES = 128,
};

struct xpt_rdma_counter {
	const char *name;		/* lives as long as the program */
	uint64_t value;
	uint16_t device, port;		/* device: index; port 0: of the whole device */
	bool is_traffic;		/* moves while all is well, too */
};

struct xpt_rdma_reading {
	uint64_t from_ns, to_ns;	/* monotonic; each value is from between */
	uint32_t nr, left_out;		/* left_out: values without a place, */
	uint32_t left_of_first;		/* those of them that are of the first such device */
	uint16_t left_device;		/* which has some that are kept; devices after it have none */
	uint8_t state;			/* within */
	struct xpt_rdma_counter value[XPT_RDMA_COUNTED_VALUES];
};

struct xpt_rdma_readings {		/* zeroed before */
	/* In no order. Those after failures, up to one a second, do not replace those at intervals. */
	struct xpt_rdma_reading reading[2 * XPT_RDMA_READINGS + 1];
	struct xpt_rdma_reading *open;	/* that is not complete; NULL: there is none */
	char device[XPT_RDMA_COUNTED_DEVICES][64];
	uint32_t nr_devices;
};

struct xpt_rdma_moved {
	char why[96];			/* why it is not known; "": it is */
	uint64_t before_ns, after_ns;	/* from the first reading to the call's start, and from its end to the second one */
	uint32_t nr, more;		/* more: that moved, and found no place */
	uint32_t left_out;		/* counters of the device that found no place in a reading: whether they moved is not known */
	struct {
		char name[40];		/* as in sysfs */
		uint32_t port;		/* 0: of the whole device */
		uint64_t by;
		bool is_traffic;
	} counter[XPT_RDMA_MOVED];	/* those of traffic last */
};

/* The index of a device, for values; a new one if need be. -1: there is no room. */
int xpt_rdma_readings__device(struct xpt_rdma_readings *r, const char *name);
/* Begins a reading, adds its values, ends it. One that was begun and not ended is nothing. */
void xpt_rdma_readings__begin(struct xpt_rdma_readings *r);
void xpt_rdma_readings__add(struct xpt_rdma_readings *r, const struct xpt_rdma_counter *c);
void xpt_rdma_readings__end(struct xpt_rdma_readings *r, uint64_t from_ns, uint64_t to_ns);
/* Whether there is a reading that began at end_ns or later. */
bool xpt_rdma_readings__has_after(const struct xpt_rdma_readings *r, uint64_t end_ns);
/*
 * Finds the counters that moved on a device around a call. Counters that went backwards were reset, and are left
 * out.
 */
void xpt_rdma_readings__moved(const struct xpt_rdma_readings *r, const char *device, uint64_t start_ns, uint64_t end_ns,
			      struct xpt_rdma_moved *ret_m);

/*
 * Appends "link_downed +1 on port 1, between 3.2 s before the call and 4 ms after it", without counters of traffic.
 * False: there is nothing to say.
 */
bool xpt_rdma_moved__text(const struct xpt_rdma_moved *m, struct xpt_strbuf *sb);
/* Appends an object (docs/format.md), and reads one. */
void xpt_rdma_moved__print(const struct xpt_rdma_moved *m, struct xpt_strbuf *sb);
void xpt_rdma_moved__take(struct xpt_json *j, struct xpt_rdma_moved *ret_m);

#endif
