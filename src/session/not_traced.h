/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages at the end of a trace: functions, processes and calls that it left out for reasons that its user should
 * know, and their owners.
 */
#ifndef XPT_SESSION_NOT_TRACED_H
#define XPT_SESSION_NOT_TRACED_H

#include <stddef.h>
#include <stdint.h>
#include "engine/engine.h"

/* Functions, files and processes that were left alone, each kind with the first and its owner. */
void xpt_not_traced__report_left_out(const struct xpt_engine_stats *st);
/* Reports the users whose calls found no room in the buffers, while others had room. */
void xpt_not_traced__report_cut(const struct xpt_engine_stats *st);
/* "of user 1000 (name)", "in container ...", in buf of n bytes, for struct xpt_outputs_cfg. Returns buf. */
const char *xpt_not_traced__of_owner(uint64_t owner, char *buf, size_t n);

#endif
