/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables of a collector. Between the files of this folder only. */
#ifndef XPT_SNAPSHOT_COLLECTOR_PRIV_H
#define XPT_SNAPSHOT_COLLECTOR_PRIV_H

#include <stdbool.h>
#include <stdint.h>
#include "base/hashmap.h"
#include "model/device.h"
#include "model/durations.h"
#include "model/event.h"
#include "snapshot/collector.h"
#include "snapshot/snapshot.h"

enum {
	/* Counts by process and function. The kernel's table has fewer; these include processes that ended lately. */
	XPT_COLLECTOR_COUNTS = 131072,
	XPT_COLLECTOR_SEEN = 65536,	/* processes */
	XPT_COLLECTOR_ENDED = 256,	/* processes that have ended and keep their places */
	XPT_COLLECTOR_PIDS = 32,	/* bytes of the name of a process that devices report */
};

struct xpt_collector_place {		/* of a process */
	uint64_t owner, ended_ns;
	uint64_t share;			/* the owner, or all who have no row in the table: who has the place */
	/* has_none: the process gets no place any more, because its counts were added to those of "others". */
	bool has_place, has_none;
};

struct xpt_collector_key {		/* begins with the process, see forget.h; no padding: it is hashed */
	const struct xpt_proc *proc;	/* NULL: the others */
	const struct xpt_fn *fn;
	/* XPT_SUB_*, or the code of an error; 0 for calls in flight and for errors without a process. */
	int64_t detail;
};

struct xpt_collector_sums {
	uint64_t calls, time_ns, bytes, errors;
	uint64_t took[XPT_DURATIONS];	/* calls by how long they took */
};

struct xpt_collector_count {
	struct xpt_collector_sums ended, now;	/* ended: final counts; now: the running counts since */
};

struct xpt_collector_error {		/* calls that failed with a code; as above */
	uint64_t ended, now;
};

struct xpt_collector_waiting {
	uint64_t calls, oldest_ns, sum_ns;
};

struct xpt_collector_reading_key {
	const struct xpt_device *device;
	const struct xpt_metric *metric;
	uint32_t pid, part;
};

struct xpt_collector_reading {
	uint64_t value, ts_ns;
	uint64_t earlier, earlier_ns;	/* of a counter: the reading before; earlier_ns 0: there was none */
	char process[XPT_COLLECTOR_PIDS];
};

struct xpt_collector_read {		/* of a device */
	struct xpt_device_read read;
	/* Time between the last two readings of metrics that every reading has; 0: not known. */
	uint64_t beat_ns;
};

struct xpt_collector {
	struct xpt_hashmap *places;	/* processes -> struct xpt_collector_place */
	struct xpt_shares shares;	/* of places; they are of one kind */
	xpt_open_bytes_fn open_bytes;	/* NULL: the memory of processes is not known */
	void *open_bytes_ctx;
	struct xpt_hashmap *counts;	/* struct xpt_collector_key -> struct xpt_collector_count */
	struct xpt_hashmap *errors;	/* struct xpt_collector_key -> struct xpt_collector_error */
	struct xpt_hashmap *open_calls;	/* struct xpt_collector_key -> struct xpt_collector_waiting */
	struct xpt_hashmap *gone, *gone_errors;	/* without a process -> struct xpt_collector_sums; -> uint64_t */
	struct xpt_hashmap *readings, *read;	/* read: device -> struct xpt_collector_read */
	const struct xpt_proc *ended[XPT_COLLECTOR_ENDED];	/* a ring; NULL: forgotten */
	uint32_t next_ended;
	uint64_t now_ns, left_out;	/* now_ns: time of the last event */
	uint64_t swept_ns;		/* when ended entries were last removed */
};

/* Whether the process has a row of its own in snapshots. */
bool xpt_collector__has_place(const struct xpt_collector *c, const struct xpt_proc *proc);
/* collector_devices.c: a device was read; prints the devices, as members of the document's object. 0 or -ENOMEM. */
void xpt_collector__on_reading(struct xpt_collector *c, const struct xpt_reading *r, uint64_t ts_ns);
void xpt_collector__remove_readings(struct xpt_collector *c);	/* those that are not current any more */
/* *cut is raised by readings that have no room. */
int xpt_collector__print_devices(struct xpt_collector *c, struct xpt_strbuf *sb, uint64_t *cut);

#endif
