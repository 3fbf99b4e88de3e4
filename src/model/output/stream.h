/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stream of events as a whole: from when to when it goes, and whether calls are missing in it. The owner of
 * the analyzers keeps one and shows it each event first; analyzers ask by way of their struct xpt_out.
 */
#ifndef XPT_MODEL_OUTPUT_STREAM_H
#define XPT_MODEL_OUTPUT_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include "model/event.h"
#include "model/missing.h"

struct xpt_out;

struct xpt_stream {
	uint64_t begin_ns;	/* of the first event with a time; at XPT_EV_END that of the trace */
	uint64_t end_ns;	/* of the newest event; at XPT_EV_END that of the trace */
	struct xpt_missing missing;
};

void xpt_stream__see(struct xpt_stream *s, const struct xpt_event *ev);
/* The stream whose events go to out: implemented by the owner of the analyzers. */
const struct xpt_stream *xpt_out__stream(const struct xpt_out *out);

uint64_t xpt_out__since(const struct xpt_out *out, uint64_t ns);	/* the start, 0 before it */
/* How long a process (NULL: the trace) was there, until now. */
uint64_t xpt_out__wall_ns(const struct xpt_out *out, const struct xpt_proc *proc);
/* As xpt_missing__calls() and xpt_missing__any(). */
bool xpt_out__misses_calls(const struct xpt_out *out);
bool xpt_out__misses_any(const struct xpt_out *out);

#endif
