/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Other options for a trace that runs, without losing its counts: the agent's SIGHUP. */
#ifndef XPT_SESSION_AGENT_RECONFIGURE_H
#define XPT_SESSION_AGENT_RECONFIGURE_H

#include "session/live_trace.h"

/*
 * Applies those of the options that can change: where metrics go and under which names, the flight recorder, the
 * budget, when a call hangs, messages. Reports options that failed, which stay as they were, and options that need
 * a restart. o's values must outlive t. Returns the number of options that took no effect.
 */
unsigned xpt_trace__reconfigure(struct xpt_trace *t, const struct xpt_trace_opts *o);

#endif
