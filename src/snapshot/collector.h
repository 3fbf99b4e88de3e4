/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Collects the data of snapshots, and prints them. A sink of the pipeline gets the counts of processes that run
 * (COUNTER_NOW) and of those that have ended (COUNTER), errors, calls in flight and readings of devices.
 *
 * All tables are bounded. Of places for processes an owner may take as many as are left free then, so nobody takes
 * those of all others; processes without a place are one, "(other)".
 */
#ifndef XPT_SNAPSHOT_COLLECTOR_H
#define XPT_SNAPSHOT_COLLECTOR_H

#include <stdint.h>
#include "base/strbuf.h"
#include "model/memory/open_bytes.h"
#include "model/shares.h"
#include "model/sink.h"

struct xpt_collector;

struct xpt_snapshot_self {		/* data that only the tracing program knows */
	const char *version;
	uint32_t pid;
	uint64_t ts_ns, unix_ns, began_ns;
};

int xpt_collector__new(struct xpt_collector **ret_c);	/* 0 or -ENOMEM */
/* Who has shares; before the first event. NULL, and by default: each user. */
void xpt_collector__set_owner(struct xpt_collector *c, xpt_shares_owner_fn owner, void *ctx);
/*
 * Sets the function that reports the open memory of processes; ctx outlives the last print. NULL, and by default:
 * none.
 */
void xpt_collector__set_open_bytes(struct xpt_collector *c, xpt_open_bytes_fn open_bytes, void *ctx);
void xpt_collector__free(struct xpt_collector *c);	/* NULL is fine */

/* For xpt_pipeline__add_sink(); its configuration's ctx is the struct xpt_collector, which outlives the pipeline. */
extern const struct xpt_sink xpt_snapshot_sink;

/* Each time that the engine has told its counts, after print: calls that were in flight may have returned by the next. */
void xpt_collector__end_round(struct xpt_collector *c);
/*
 * Appends the document, while the pipeline is there: counts refer to its functions. It is one line without its end.
 * Rows without room in the buffer are left out, and the document has their number. Returns 0, -ENOMEM, or -E2BIG of a
 * tiny buffer.
 */
int xpt_collector__print(struct xpt_collector *c, const struct xpt_snapshot_self *self, struct xpt_strbuf *sb);

#endif
