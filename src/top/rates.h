/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The differences between two snapshots, by process and function: the numbers that are shown. */
#ifndef XPT_TOP_RATES_H
#define XPT_TOP_RATES_H

#include <stdbool.h>
#include <stdint.h>
#include "snapshot/snapshot.h"

#define XPT_TOP_UNKNOWN UINT64_MAX	/* of bytes */

struct xpt_top_function {		/* of a process */
	const struct xpt_snapshot_function *function;
	const struct xpt_snapshot_row *row;	/* since the trace began */
	uint64_t calls, time_ns, errors, bytes;	/* in the interval */
	uint64_t took[XPT_DURATIONS];	/* the same: calls by how long they took */
	/* Part of the interval in calls, open ones included; above 1 with several threads. */
	double share;
};

struct xpt_top_process {
	struct xpt_snapshot_process process;
	/* Counts of the interval, without nested calls. */
	uint64_t calls, errors, launches, copied;
	double wait;			/* share of the interval in calls that wait for a device, as share above */
	uint64_t all_calls, all_errors;	/* since the trace began */
	uint64_t memory;		/* on devices; XPT_TOP_UNKNOWN: not known */
	/* Utilization of the devices' multiprocessors, 1 for each device; below 0: not known. */
	double gpu;
	uint64_t waiting, oldest_ns;	/* calls that have not returned */
	const struct xpt_snapshot_function *oldest;	/* NULL: there are none */
	uint32_t first, nr;		/* its functions */
};

struct xpt_top_rates {
	const struct xpt_snapshot *before, *now;	/* before: NULL where interval_ns is 0 */
	uint64_t interval_ns;		/* 0: there was no snapshot before, and all numbers of the interval are 0 */
	struct xpt_top_process *process;
	struct xpt_top_function *function;
	uint32_t nr_processes, nr_functions;
};

/* before: NULL, or an older one of the same trace; both must outlive the rates. 0 or -ENOMEM. */
int xpt_top_rates__new(const struct xpt_snapshot *before, const struct xpt_snapshot *now, struct xpt_top_rates **ret_r);
void xpt_top_rates__free(struct xpt_top_rates *r);	/* NULL is fine */
/* A number of the interval, by the second. */
double xpt_top_rates__by_second(const struct xpt_top_rates *r, uint64_t n);
/* The newest value of a device or of its part, not of a process; false: there is none. */
bool xpt_top_rates__reading(const struct xpt_snapshot *s, uint32_t device, unsigned metric, uint32_t part, uint64_t *ret_v);
/*
 * Computes by how much a counter of a device has risen per second, between the two readings. Returns false if that is
 * not known.
 */
bool xpt_top_rates__rise(const struct xpt_top_rates *r, uint32_t device, unsigned metric, uint32_t part,
			 double *ret_by_second);

#endif
