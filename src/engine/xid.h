/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Xids in the engine: reported by a probe in the driver where there is one, and
 * read from the kernel log as it grows; each is told once.
 */
#ifndef XPT_ENGINE_XID_H
#define XPT_ENGINE_XID_H

#include <stdint.h>
#include "engine/xid_merge.h"
#include "engine/xid_probe.h"

struct xpt_engine;

struct xpt_exid {		/* part of struct xpt_engine */
	int fd;			/* /dev/kmsg, or -1 */
	int no_log;		/* why it cannot be read, or 0 */
	uint64_t lost;		/* gaps in it */
	uint64_t next_look_ns;
	struct xpt_xid_probe probe;
	struct xpt_xid_merge merge;
};

/* For engine.c; a machine without any source goes without. init: before all others. */
void xpt_xid__init(struct xpt_engine *e);
void xpt_xid__start(struct xpt_engine *e);
void xpt_xid__step(struct xpt_engine *e);
void xpt_xid__finish(struct xpt_engine *e);	/* the last step: nothing waits any longer */
void xpt_xid__stop(struct xpt_engine *e);
/* Writes the record. source: enum xpt_xid_source. */
void xpt_xid__tell(struct xpt_engine *e, const struct xpt_xid_line *line, uint64_t ts_ns,
		   uint32_t source);

#endif
