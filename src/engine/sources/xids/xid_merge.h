/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One stream of Xids out of two sources that see the same: a probe in the
 * driver, which is quick and sees most, and the kernel log, which has the reports
 * from before the probe and those that it misses. No clock, no kernel: a pure
 * function.
 */
#ifndef XPT_ENGINE_SOURCES_XIDS_XID_MERGE_H
#define XPT_ENGINE_SOURCES_XIDS_XID_MERGE_H

#include <stdbool.h>
#include <stdint.h>
#include "model/kernel/xid_table.h"

#define XPT_XID_SEEN 64		/* reports of the probe whose lines have not come yet */
#define XPT_XID_WAITING 64	/* lines that wait for the probe's report */
#define XPT_XID_WAIT_NS 100000000ull	/* a line, before it is emitted by itself */
#define XPT_XID_KEEP_NS 5000000000ull	/* a report of the probe: its line is late, or there is no log */

struct xpt_xid_merge {		/* zeroed: nothing seen yet */
	struct { uint64_t at_ns; uint32_t source; struct xpt_xid_line line; } waiting[XPT_XID_WAITING];
	struct { uint64_t at_ns, key; } seen[XPT_XID_SEEN];
	unsigned nr_waiting, nr_seen;
};

typedef void (*xpt_xid_fn)(void *ctx, const struct xpt_xid_line *line, uint64_t ts_ns,
			   uint32_t source);

/* The probe's report was emitted; its line in the log is not to be. */
void xpt_xid_merge__probe(struct xpt_xid_merge *m, const struct xpt_xid_line *line, uint64_t now_ns);
/*
 * A line of the log; source: its source if no report of the probe belongs to it, which may have gone by then. False:
 * it is to be emitted now, because there is no room to wait.
 */
bool xpt_xid_merge__log(struct xpt_xid_merge *m, const struct xpt_xid_line *line, uint64_t now_ns, uint32_t source);
/* Tells lines that have waited in vain, in their order, and forgets old reports. */
void xpt_xid_merge__step(struct xpt_xid_merge *m, uint64_t now_ns, xpt_xid_fn fn, void *ctx);

#endif
