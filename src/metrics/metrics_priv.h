/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The store of metrics. Between the files of this folder only. */
#ifndef XPT_METRICS_METRICS_PRIV_H
#define XPT_METRICS_METRICS_PRIV_H

#include <stdbool.h>
#include <stdint.h>
#include "base/hashmap.h"
#include "base/prom.h"
#include "metrics/metrics.h"
#include "model/kernel/xid.h"
#include "wire/vocab.h"

enum {
	XPT_METRICS_OTHERS = XPT_METRICS_GROUPS - 1,	/* the group of those that found no place of their own */
	XPT_METRICS_SERIES = 8192,	/* of a group and function, and of errors: pages stay below XPT_METRICS_BYTES */
	XPT_METRICS_ALL_SERIES = XPT_METRICS_SERIES + 2 * XPT_MAX_FNS,	/* with those of the others */
	XPT_METRICS_RUNNING = 32768,	/* of a process and function: the kernel's tables have fewer */
	XPT_METRICS_PROCESSES = 65536,	/* whose owner is known; those of more have no share of their own */
	XPT_METRICS_XIDS = 256,
	XPT_METRICS_READINGS = 65536,
	XPT_METRICS_HISTOGRAMS = 1024,	/* of functions; those of the others are one for each domain */
};

/* What owners have shares of. */
enum { XPT_METRICS_SHARE_GROUPS, XPT_METRICS_SHARE_SERIES, XPT_METRICS_SHARE_ERRORS, XPT_METRICS_SHARE_HISTOGRAMS };

struct xpt_metrics_group_key {		/* no padding: it is hashed */
	uint64_t process, container, pod, slurm_job, uid;	/* but for the last: ids of the texts (text_id.h) */
};

struct xpt_metrics_group {
	char process[64], container[80], pod[40], slurm_job[24], user[12];	/* the thread group's name; ids, "" for none; its uid */
	struct xpt_metrics_group_key key;
	uint64_t owner, share;		/* share: the key of the owner's shares */
	uint32_t alive;			/* processes that run */
	uint64_t ended_ns;		/* when the last one ended */
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
	int64_t what;			/* XPT_SUB_*, or the code of an error */
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

struct xpt_metrics {
	struct xpt_metrics_group group[XPT_METRICS_GROUPS];	/* the last one is that of the others */
	uint32_t nr_groups;
	struct xpt_hashmap *groups;	/* struct xpt_metrics_group_key -> index */
	struct xpt_hashmap *group_of_proc;	/* processes that run -> index of their group */
	struct xpt_shares shares;	/* of XPT_METRICS_SHARE_...; those of the others are not counted */
	struct xpt_hashmap *owner_of;	/* processes -> uint64_t, asked while they run */
	xpt_metrics_error_fn tell_error;	/* NULL: nobody hears of errors */
	void *tell_ctx;
	struct xpt_hashmap *series;	/* each one there is, with what has ended: -> struct xpt_wire_count */
	struct xpt_hashmap *errors;
	struct xpt_hashmap *running, *running_errors;
	struct xpt_hashmap *histograms;	/* functions that have one of their own */
	struct xpt_hashmap *waiting;	/* since the last page: struct xpt_metrics_waiting_key -> struct xpt_metrics_waiting */
	struct xpt_hashmap *readings, *read;	/* read: device -> struct xpt_device_read */
	struct xpt_metrics_xid xid[XPT_METRICS_XIDS];
	uint32_t nr_xids;
	unsigned compat;		/* XPT_METRICS_DCGM | ... */
	uint32_t nr_others_errors;	/* rows of errors of the others that have a code of their own */
	uint64_t all_xids, other_xids, now_ns;	/* now_ns: time of the last event */
	uint64_t lost[XPT_LOSS__MAX], left_out;	/* left_out: counters and readings that found no room here */
};

/* metrics_groups.c: a place of a group whose processes have all ended, given back; XPT_METRICS_OTHERS: there is none. */
uint32_t xpt_metrics__reuse_group(struct xpt_metrics *m);
/*
 * Where an error of processes without a place of their own is counted. Programs choose codes: those without a name, and
 * names beyond a row for each function, have one row of each function, XPT_METRICS_OTHER_CODE. ret_is_new: may be NULL.
 */
struct xpt_metrics_error_key xpt_metrics__others_error(struct xpt_metrics *m, const struct xpt_fn *fn, int64_t code,
						       const struct xpt_result *result, bool *ret_is_new);
void xpt_metrics__join_group(struct xpt_metrics *m, const struct xpt_proc *proc, uint32_t group);	/* it runs, in that group */
void xpt_metrics__leave_group(struct xpt_metrics *m, const struct xpt_proc *proc);	/* it has ended */
void xpt_metrics__forget_procs(struct xpt_metrics *m);	/* at XPT_EV_FORGET */

/* metrics_durations.c: how long calls took. totals: struct xpt_metrics_series_key -> struct xpt_wire_count. 0 or -ENOMEM. */
int xpt_metrics__print_durations(const struct xpt_metrics *m, const struct xpt_hashmap *totals, struct xpt_strbuf *sb);

/* metrics_compat.c: the same under names of others, as m->compat says; after the devices. 0 or -ENOMEM. */
int xpt_metrics__print_compat(const struct xpt_metrics *m, const struct xpt_hashmap *totals, const char *host,
			      struct xpt_strbuf *sb);

/* metrics_devices.c: the families of devices' readings. rows: room for all of them. */
void xpt_metrics__print_devices(struct xpt_metrics *m, struct xpt_prom_row *rows, struct xpt_strbuf *sb);
void xpt_metrics__on_reading(struct xpt_metrics *m, const struct xpt_reading *r, uint64_t ts_ns);

#endif
