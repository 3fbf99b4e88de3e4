/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Collects the data of snapshots, and prints them. A sink of the pipeline gets the counts of processes that run
 * (COUNTER_NOW) and of those that have ended (COUNTER), errors, calls in flight and readings of devices.
 *
 * All tables are bounded. A process that has a place has a row of its own in snapshots. An owner of processes (a
 * user, unless set_owner says otherwise) gets one more place while he has fewer than are free, so that nobody takes
 * all of them. Processes without a place are shown together, as "(other)".
 */
#ifndef XPT_SNAPSHOT_COLLECTOR_H
#define XPT_SNAPSHOT_COLLECTOR_H

#include <stdint.h>
#include "base/strbuf.h"
#include "model/memory/open_bytes.h"
#include "model/shares.h"
#include "model/output/sink.h"

struct xpt_collector;

struct xpt_snapshot_self {		/* data that only the tracing program knows */
	const char *version;
	uint32_t pid;
	uint64_t ts_ns, unix_ns, began_ns;
};

int xpt_collector__new(struct xpt_collector **ret_c);	/* 0 or -ENOMEM */
/* Sets who the owner of a process is; before the first event. NULL, and by default: its user. */
void xpt_collector__set_owner(struct xpt_collector *c, xpt_shares_owner_fn owner, void *ctx);
/*
 * Sets the function that reports the open memory of processes; ctx outlives the last print. NULL, and by default:
 * none.
 */
void xpt_collector__set_open_bytes(struct xpt_collector *c, xpt_open_bytes_fn open_bytes, void *ctx);
void xpt_collector__free(struct xpt_collector *c);	/* NULL is fine */

/* For xpt_pipeline__add_sink(); its configuration's ctx is the struct xpt_collector, which outlives the pipeline. */
extern const struct xpt_sink xpt_snapshot_sink;

/* Drops calls in flight, which come anew. To be called after printing, when the engine has emitted its counts. */
void xpt_collector__end_round(struct xpt_collector *c);
/*
 * Appends the document: one line, without a newline. The pipeline must still exist, for counts refer to its
 * functions. Rows without room in the buffer are left out, and the document has their number. Returns 0, -ENOMEM, or
 * -E2BIG of a tiny buffer.
 */
int xpt_collector__print(struct xpt_collector *c, const struct xpt_snapshot_self *self, struct xpt_strbuf *sb);

#endif
