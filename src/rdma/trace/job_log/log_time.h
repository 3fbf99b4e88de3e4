/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Times as lines of a job's log have them, and how they compare with the clock of a trace.
 */
#ifndef XPT_RDMA_TRACE_JOB_LOG_LOG_TIME_H
#define XPT_RDMA_TRACE_JOB_LOG_LOG_TIME_H

#include <stdbool.h>
#include <stdint.h>

enum xpt_rdma_log_clock {
	XPT_RDMA_NO_TIME,
	XPT_RDMA_TIME_UTC,	/* with a zone, or seconds since 1970 */
	XPT_RDMA_TIME_LOCAL,	/* date and time of a zone that is not known */
	XPT_RDMA_TIME_OF_DAY,	/* the same without a date */
};

struct xpt_rdma_log_time {
	uint64_t ns;		/* UTC, LOCAL: since 1970; OF_DAY: since midnight */
	uint8_t clock;		/* enum xpt_rdma_log_clock */
	bool is_outer;		/* of a program that passed the line on: any time after it was written */
};

/*
 * Reads a time at s: "1647516906.396315", "2026-03-03T12:11:38.5Z", "2026-03-03 12:11:38,123",
 * "12:11:38.5". Returns where it ends, or NULL: there is none.
 */
const char *xpt_rdma_log_time__parse(const char *s, struct xpt_rdma_log_time *ret_t);
/*
 * Sets *ret_ns to how long after end_ns (UTC) the line was written; without a zone, of all values that
 * a zone could make of it, the one next to 0. Returns false if no zone makes it near, or there is no time.
 */
bool xpt_rdma_log_time__delay(const struct xpt_rdma_log_time *t, uint64_t end_ns, int64_t *ret_ns);

#endif
