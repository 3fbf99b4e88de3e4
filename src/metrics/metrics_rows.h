/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keys and values of the tables of metrics. Between the files of this folder only. */
#ifndef XPT_METRICS_METRICS_ROWS_H
#define XPT_METRICS_METRICS_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include "model/event.h"
#include "model/kernel/xid_table.h"
#include "wire/wire.h"

struct xpt_metrics_group_key {		/* no padding: it is hashed */
	uint64_t process, container, pod, slurm_job, uid;	/* but for the last: ids of the texts (text_id.h) */
};

struct xpt_metrics_group {
	/* Name of the thread group; ids, "" for none; user id. */
	char process[64], container[80], pod[40], slurm_job[24], user[12];
	struct xpt_metrics_group_key key;
	uint64_t owner, share;		/* share: the key of the owner's shares */
	uint32_t alive;			/* processes that run */
	uint64_t ended_ns;		/* when the last one ended */
	bool is_memory_unknown;		/* one of them found no room in the table of open memory */
};

struct xpt_metrics_series_key {		/* no padding: it is hashed */
	const struct xpt_fn *fn;
	uint32_t group;
	uint32_t dir;			/* enum xpt_dir */
};

#define XPT_METRICS_OTHER_CODE INT64_MIN	/* all codes of the others that have no row of their own */
struct xpt_metrics_error_key {
	const struct xpt_fn *fn;
	int64_t code;
	uint64_t group;
};

struct xpt_metrics_running_key {	/* begins with the process, see forget.h */
	const struct xpt_proc *proc;
	const struct xpt_fn *fn;
	int64_t detail;			/* XPT_SUB_*, or the code of an error */
};

struct xpt_metrics_running {		/* counts of a process that runs, until now */
	struct xpt_metrics_series_key series;
	struct xpt_wire_count count;
};

struct xpt_metrics_running_error {
	struct xpt_metrics_error_key error;
	uint64_t calls;
	const struct xpt_result *result;
};

struct xpt_metrics_waiting_key {	/* no padding: it is hashed */
	const struct xpt_fn *fn;
	uint64_t group;
};
struct xpt_metrics_waiting {		/* calls that have not returned */
	uint64_t calls, oldest_ns;
};

struct xpt_metrics_error {		/* of processes that have ended */
	uint64_t calls;
	const struct xpt_result *result;	/* its name; NULL: the code is shown */
};

struct xpt_metrics_xid {
	char device[XPT_XID_DEVICE_MAX];
	uint32_t xid;
	const char *name, *severity;
	uint64_t n, last;		/* last: the greatest one came last */
};

struct xpt_metrics_reading_key {
	const struct xpt_device *device;
	const struct xpt_metric *metric;
	uint32_t pid, part;
};

struct xpt_metrics_reading {
	uint64_t value, ts_ns;
	char process[64];
};

#endif
