/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Enrich: checked records become events with functions, processes and results
 * instead of ids and codes, on the time line of the stream. struct
 * xpt_pipeline is what one stream has told so far.
 */
#ifndef XPT_PIPELINE_ENRICH_H
#define XPT_PIPELINE_ENRICH_H

#include <stdbool.h>
#include <stdint.h>
#include "pipeline/decode.h"
#include "pipeline/fns.h"
#include "pipeline/gpu_users.h"
#include "pipeline/intern.h"
#include "pipeline/names.h"
#include "pipeline/out.h"
#include "pipeline/procs.h"
#include "pipeline/stacks.h"

struct xpt_pipeline {
	struct xpt_intern *pool;
	struct xpt_fns *fns;
	struct xpt_procs *procs;
	struct xpt_stacks *stacks;
	struct xpt_names *names;
	uint64_t nr_calls;
	uint64_t first_ns, last_ns;	/* of what carried a time */
	uint64_t tick_ns;		/* when the next TICK is due */
	bool begun, timed;		/* BEGIN was sent; first_ns is set */
	bool fed, finished;
	bool clocked;
	int64_t realtime_offset_ns, boottime_offset_ns;
	bool ended;			/* end is the stream's own END record */
	struct xpt_gpu_users gpu_users;
	struct xpt_rec_end end;
	struct xpt_out out;
};

/* Turns one record into its events. False: it names an id that does not fit. */
bool xpt_enrich(struct xpt_pipeline *p, const struct xpt_decoded *d);
/* The closing events: every loss that is not zero, then END. */
void xpt_enrich__end(struct xpt_pipeline *p);

#endif
