/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Xids in the engine: they are read from the kernel log as it grows.
 */
#ifndef XPT_ENGINE_XID_H
#define XPT_ENGINE_XID_H

#include <stdint.h>

struct xpt_engine;

struct xpt_exid {		/* part of struct xpt_engine */
	int fd;			/* /dev/kmsg, or -1 */
	uint64_t lost;		/* gaps in it */
};

/* For engine.c; a machine whose log cannot be read goes without. */
void xpt_xid__start(struct xpt_engine *e);
void xpt_xid__step(struct xpt_engine *e);
void xpt_xid__stop(struct xpt_engine *e);

#endif
