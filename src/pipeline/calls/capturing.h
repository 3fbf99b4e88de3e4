/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Streams that are being captured: work put on them is recorded into a graph and does not run, learned from calls
 * alone, by class, kind and role.
 *
 * A call that begins a capture is a MODIFY of kind GRAPH with a STREAM, one that ends
 * it a CREATE of kind GRAPH with a STREAM. Another stream joins when it waits for an event
 * that was recorded on a captured one, until the capture ends where it began.
 */
#ifndef XPT_PIPELINE_CALLS_CAPTURING_H
#define XPT_PIPELINE_CALLS_CAPTURING_H

#include <stdbool.h>
#include <stdint.h>
#include "model/event.h"

enum xpt_capturing_act {
	XPT_CAPTURING_NOTHING,
	XPT_CAPTURING_BEGIN,
	XPT_CAPTURING_END,
	XPT_CAPTURING_WORK,	/* LAUNCH, COPY, SET, SUBMIT on a stream */
	XPT_CAPTURING_RECORD,	/* an event on a stream, which is work too */
	XPT_CAPTURING_WAIT,	/* of a stream for an event */
	XPT_CAPTURING_SYNC,	/* works on no captured stream: the end was not seen */
	XPT_CAPTURING_MADE,	/* perhaps a stream or an event */
	XPT_CAPTURING_DESTROY,	/* perhaps of a stream or an event */
};

struct xpt_capturing;

enum xpt_capturing_act xpt_capturing__act(const struct xpt_fn *fn);

/* *evicted, owned by the caller, counts streams and events that there was no room for. Returns 0 or -ENOMEM. */
int xpt_capturing__new(uint64_t *evicted, struct xpt_capturing **ret_c);
void xpt_capturing__free(struct xpt_capturing *s);	/* NULL is fine */
/*
 * Takes each call that returned and whose function has an act, in order of arrival. Returns true if it worked and
 * its operation went into a graph.
 */
bool xpt_capturing__call(struct xpt_capturing *s, enum xpt_capturing_act act,
			 const struct xpt_call *c);
void xpt_capturing__forget(struct xpt_capturing *s, const struct xpt_proc *proc);

#endif
