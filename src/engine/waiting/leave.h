/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Taking away the probes at the end of a trace. */
#ifndef XPT_ENGINE_WAITING_LEAVE_H
#define XPT_ENGINE_WAITING_LEAVE_H

#include <stdbool.h>

struct xpt_engine;

/* Whether closing all links takes so long that a child does it. */
bool xpt_leave__is_slow(const struct xpt_engine *e);
/* Ends the user's trace, calibrates and hands over the last records. Probes go now, or later where that is slow. */
void xpt_leave__end(struct xpt_engine *e);
/* Takes away all probes that are there, in a child where it takes long. */
void xpt_leave__detach(struct xpt_engine *e);

#endif
