/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Enrich: checked records become events with functions, processes and results instead of ids and codes, on the time
 * line of the stream. struct xpt_pipeline is the state of one stream so far.
 */
#ifndef XPT_PIPELINE_ENRICH_H
#define XPT_PIPELINE_ENRICH_H

#include <stdbool.h>
#include <stdint.h>
#include "base/hashmap.h"
#include "pipeline/calls/capturing.h"
#include "pipeline/calls/freed.h"
#include "pipeline/calls/gpu_users.h"
#include "pipeline/calls/names.h"
#include "pipeline/decode.h"
#include "pipeline/device_ids.h"
#include "pipeline/dispatch.h"
#include "pipeline/fns.h"
#include "pipeline/intern.h"
#include "pipeline/procs.h"
#include "pipeline/stacks.h"

struct xpt_pipeline {
	/* Pools of names, and of paths and frames; the latter never use the room of names. */
	struct xpt_intern *pool, *paths;
	struct xpt_fns *fns;
	struct xpt_procs *procs;
	struct xpt_stacks *stacks;
	struct xpt_names *names;
	struct xpt_capturing *capturing;
	struct xpt_freed *freed;
	/* Process, thread, class -> start of the last call that failed by itself */
	struct xpt_hashmap *last_failures;
	uint64_t nr_calls;
	uint64_t first_ns, last_ns;	/* of events that carried a time */
	uint64_t origin_ns;		/* from where times count; 0: not known */
	uint64_t tick_ns;		/* when the next TICK is due */
	bool begun, timed;		/* BEGIN was sent; first_ns is set */
	bool fed, finished;
	bool all_errors;		/* expected failures count as failures like others */
	bool clocked;			/* a CLOCK record has set the offsets */
	int64_t realtime_offset_ns, boottime_offset_ns;
	bool ended;			/* end is the stream's own END record */
	struct xpt_gpu_users gpu_users;
	struct xpt_devices devices;
	struct xpt_rec_end end;
	uint64_t told_evicted;		/* entries that found no room here, as the last event about them has it */
	struct xpt_out out;
};

/*
 * Turns one record into its events. False: it refers to an id that is not known, cannot be read, or comes after END.
 */
bool xpt_enrich(struct xpt_pipeline *p, const struct xpt_decoded *d);
/* The TICK that is due at ts_ns, without a record. */
void xpt_enrich__time(struct xpt_pipeline *p, uint64_t ts_ns);
/* The closing events: every loss that is not zero, then END. */
void xpt_enrich__end(struct xpt_pipeline *p);

#endif
