/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The store of metrics. Between the files of this folder only. */
#ifndef XPT_METRICS_METRICS_PRIV_H
#define XPT_METRICS_METRICS_PRIV_H

#include <stdbool.h>
#include <stdint.h>
#include "base/formats/prom.h"
#include "base/hashmap.h"
#include "metrics/metrics.h"
#include "metrics/metrics_rows.h"
#include "wire/vocab.h"

enum {
	XPT_METRICS_OTHERS = XPT_METRICS_GROUPS - 1,	/* the group of those that found no place of their own */
	/* Series of a group and function, and of errors, so that pages stay below XPT_METRICS_BYTES. */
	XPT_METRICS_SERIES = 8192,
	XPT_METRICS_ALL_SERIES = XPT_METRICS_SERIES + 2 * XPT_MAX_FNS,	/* with those of the others */
	XPT_METRICS_RUNNING = 32768,	/* of a process and function: the kernel's tables have fewer */
	XPT_METRICS_PROCESSES = 65536,	/* whose owner is known; those of more have no share of their own */
	XPT_METRICS_XIDS = 256,
	XPT_METRICS_READINGS = 65536,
	/* Open blocks of memory. The table grows as needed, by some 150 bytes for each. */
	XPT_METRICS_BLOCKS = 65536,
	XPT_METRICS_HISTOGRAMS = 1024,	/* of functions; those of the others are one for each domain */
};

/* The tables of which owners have shares. */
enum {
	XPT_METRICS_SHARE_GROUPS, XPT_METRICS_SHARE_SERIES, XPT_METRICS_SHARE_ERRORS, XPT_METRICS_SHARE_HISTOGRAMS,
	XPT_METRICS_SHARE_BLOCKS, XPT_METRICS_SHARE_OPEN,
};

struct xpt_metrics {
	struct xpt_metrics_group group[XPT_METRICS_GROUPS];	/* the last one is that of the others */
	uint32_t nr_groups;
	struct xpt_hashmap *groups;	/* struct xpt_metrics_group_key -> index */
	struct xpt_hashmap *group_of_proc;	/* processes that run -> index of their group */
	struct xpt_shares shares;	/* of XPT_METRICS_SHARE_...; those of the others are not counted */
	struct xpt_hashmap *owner_of;	/* processes -> uint64_t, asked while they run */
	xpt_metrics_error_fn on_error;	/* NULL: no callback */
	void *error_ctx;
	/* Each series, with the counts of ended processes: -> struct xpt_wire_count */
	struct xpt_hashmap *series;
	struct xpt_hashmap *errors;
	struct xpt_hashmap *running, *running_errors;
	struct xpt_hashmap *histograms;	/* functions that have one of their own */
	struct xpt_metrics_live *live;	/* memory that is open: metrics_live.c */
	struct xpt_hashmap *open_calls;	/* since the last page: xpt_metrics_waiting_key -> xpt_metrics_waiting */
	struct xpt_hashmap *readings, *read;	/* read: device -> struct xpt_device_read */
	struct xpt_metrics_xid xid[XPT_METRICS_XIDS];
	uint32_t nr_xids;
	unsigned compat;		/* XPT_METRICS_DCGM | ... */
	uint32_t nr_others_errors;	/* rows of errors of the others that have a code of their own */
	uint64_t all_xids, other_xids, now_ns;	/* now_ns: time of the last event */
	uint64_t lost[XPT_LOSS__MAX], left_out;	/* left_out: counters and readings that found no room here */
};

/* Removes the calls in flight after they were printed on a page. */
void xpt_metrics__clear_open(struct xpt_metrics *m);
/* metrics_groups.c: groups of processes, which share lines. */
uint64_t xpt_metrics__owner_of(struct xpt_metrics *m, const struct xpt_proc *proc);
/* Returns its place to the share of its owner. */
void xpt_metrics__give_open(struct xpt_metrics *m, const struct xpt_metrics_waiting_key *key);
/* Returns the group of the process, made if need be; or XPT_METRICS_OTHERS. */
uint32_t xpt_metrics__group_of(struct xpt_metrics *m, const struct xpt_proc *proc);
/*
 * Returns the key under which an error of processes without a place of their own is counted. Programs choose codes:
 * those without a name, and names beyond a row for each function, have one row of each function,
 * XPT_METRICS_OTHER_CODE. ret_is_new: may be NULL.
 */
struct xpt_metrics_error_key xpt_metrics__others_error(struct xpt_metrics *m, const struct xpt_fn *fn, int64_t code,
						       const struct xpt_result *result, bool *ret_is_new);
void xpt_metrics__leave_group(struct xpt_metrics *m, const struct xpt_proc *proc);	/* it has ended */
void xpt_metrics__forget_procs(struct xpt_metrics *m);	/* at XPT_EV_FORGET */

/* metrics_live.c: bytes that calls have allocated and not freed. */
struct xpt_metrics_live;
int xpt_metrics_live__new(struct xpt_metrics *m, struct xpt_metrics_live **ret_l);	/* 0 or -ENOMEM */
void xpt_metrics_live__free(struct xpt_metrics_live *l);	/* NULL is fine */
void xpt_metrics_live__call(struct xpt_metrics_live *l, const struct xpt_call *c);
/* The process ended, or executed another program. */
void xpt_metrics_live__gone(struct xpt_metrics_live *l, const struct xpt_proc *proc, bool ended, uint64_t ts_ns);
void xpt_metrics_live__forget(struct xpt_metrics_live *l, uint64_t ts_ns);
enum { XPT_METRICS_LIVE_ROWS = XPT_METRICS_GROUPS * XPT_KIND__MAX };	/* at most, of the family */
/* Prints the family; now_ns: counts have been read until then. rows: room for those. */
void xpt_metrics_live__print(struct xpt_metrics_live *l, uint64_t now_ns, struct xpt_prom_row *rows, struct xpt_strbuf *sb);

/*
 * metrics_durations.c: how long calls took. totals: struct xpt_metrics_series_key -> struct xpt_wire_count. 0 or
 * -ENOMEM.
 */
int xpt_metrics__print_durations(const struct xpt_metrics *m, const struct xpt_hashmap *totals, struct xpt_strbuf *sb);

/* metrics_compat.c: the same under names of others, as m->compat says; after the devices. 0 or -ENOMEM. */
int xpt_metrics__print_compat(const struct xpt_metrics *m, const struct xpt_hashmap *totals, const char *host,
			      struct xpt_strbuf *sb);

/* metrics_devices.c: the families of devices' readings. rows: room for all of them. */
void xpt_metrics__print_devices(struct xpt_metrics *m, struct xpt_prom_row *rows, struct xpt_strbuf *sb);
void xpt_metrics__on_reading(struct xpt_metrics *m, const struct xpt_reading *r, uint64_t ts_ns);

#endif
