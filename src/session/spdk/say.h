/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The messages of `spdk annotate`, on standard error. */
#ifndef XPT_SESSION_SPDK_SAY_H
#define XPT_SESSION_SPDK_SAY_H

#include "spdk/join.h"
#include "spdk/spdk_record.h"
#include "spdk/spdk_trace.h"

/* Reports the gaps in the recording of that name. */
void xpt_spdk_say__record(const char *with, const struct xpt_spdk_record_stats *st);
/* Why the trace of that name cannot be read; begun: after its entries began. Returns err, which is not 0. */
int xpt_spdk_say__damage(const char *name, int err, bool begun, const struct xpt_spdk_spot *spot);
/* Reports the parts skipped within the trace. Returns 0, or -EBADMSG where entries are missing. */
int xpt_spdk_say__spots(const char *name, const struct xpt_spdk_trace *t);
/* Which entries have no host, and why. with: the recording's name, NULL: there is none. */
void xpt_spdk_say__join(const char *with, const struct xpt_spdk_lives *l, const struct xpt_spdk_join *j);

#endif
