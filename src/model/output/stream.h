/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stream of events as a whole: from when to when it goes, whether calls are missing in it, and the blocks of
 * memory that are open. The owner of the analyzers keeps one and shows it each event first; analyzers ask by way of
 * their struct xpt_out.
 */
#ifndef XPT_MODEL_OUTPUT_STREAM_H
#define XPT_MODEL_OUTPUT_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include "model/event.h"
#include "model/missing.h"

struct xpt_ledger; struct xpt_ledger_ops; struct xpt_out;

#define XPT_STREAM_BLOCKS (3u << 17)	/* that may be open at once: 80 MiB */

struct xpt_stream {
	uint64_t begin_ns;	/* of the first event with a time; at XPT_EV_END that of the trace */
	uint64_t end_ns;	/* of the newest event; at XPT_EV_END that of the trace */
	struct xpt_missing missing;
	struct xpt_ledger *ledger;	/* NULL: no analyzer needs it */
	uint64_t reported;		/* its losses that the pipeline knows */
};

/* ops is called before analyzers get the event, for as long as the stream lives. 0, -ENOMEM, -E2BIG. */
int xpt_stream__listen(struct xpt_stream *s, const struct xpt_ledger_ops *ops, void *ctx);
void xpt_stream__see(struct xpt_stream *s, const struct xpt_event *ev, struct xpt_out *out);
void xpt_stream__free(struct xpt_stream *s);	/* what it holds, not the struct */
/* The stream whose events go to out: implemented by the owner of the analyzers. */
const struct xpt_stream *xpt_out__stream(const struct xpt_out *out);

uint64_t xpt_out__since(const struct xpt_out *out, uint64_t ns);	/* the start, 0 before it */
/* How long a process (NULL: the trace) was there, until now. */
uint64_t xpt_out__wall_ns(const struct xpt_out *out, const struct xpt_proc *proc);
/* Whether calls, or anything, is missing in the stream: xpt_missing__calls() and xpt_missing__any(). */
bool xpt_out__misses_calls(const struct xpt_out *out);
bool xpt_out__misses_any(const struct xpt_out *out);

#endif
