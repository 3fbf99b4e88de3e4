/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `report --compare A B`: the common parts and the differences of two
 * recordings. compare_run.c reads each into a struct xpt_run of bounded size,
 * compare.c puts both side by side.
 */
#ifndef XPT_RECORDINGS_COMPARE_H
#define XPT_RECORDINGS_COMPARE_H

#include <stdbool.h>
#include <stdint.h>
#include "session/outputs.h"
#include "model/event.h"
#include "model/output/records.h"
#include "pipeline/pipeline.h"

struct xpt_run_fn {
	const struct xpt_fn *fn;	/* NULL: not called */
	struct xpt_wire_count n;	/* all calls */
	uint64_t top_calls, top_ns;	/* of these, not inside another traced call */
	struct xpt_dist *dist;		/* of every call; NULL: some were not sent as events */
};

/* Returns the time that a part q (0 to 1) of the calls does not exceed, at most 1.6 % off;
 * without dist an upper bound. */
uint64_t xpt_run__quantile(const struct xpt_run_fn *f, double q);

struct xpt_run {
	const char *path;
	struct xpt_pipeline *pipeline;	/* owns the functions that fn points to */
	struct xpt_run_fn *ev, *ctr;	/* XPT_MAX_FNS by id: from calls, from exact counters */
	const struct xpt_run_fn *fns;	/* the one that saw more */
	uint64_t ev_calls, ctr_calls;
	uint64_t wall_ns, top_calls, top_ns;
	uint64_t cost_ns;		/* time that tracing added to a call, 0: not known */
	char program[64];		/* file name of the program that made most calls, "" if none did */
	uint64_t program_calls;
	char partial[96];		/* why calls are missing, "" if they are all here */
	uint64_t lost;			/* calls not sent as events */
	bool complete;
	struct xpt_records *recs;	/* records of analyzers */
	int err;			/* of reading, 0 if all was read; there was a message */
};

/* Reads path into run, which is to be freed in any case. 0 (also when the file
 * ends early: see err) or -errno, after a message. */
int xpt_run__read(const char *path, struct xpt_run *run);
void xpt_run__free(struct xpt_run *run);	/* zeroed is fine */
/* The records of a schema; NULL if there are none. */
const struct xpt_section *xpt_run__section(const struct xpt_run *run, const char *name);
/* A field of a record by name, NULL and 0 if it has none of that name. */
const char *xpt_run__str(const struct xpt_section *sec, size_t i, const char *field);
uint64_t xpt_run__u64(const struct xpt_section *sec, size_t i, const char *field);

/*
 * Compares two recordings and writes the result to stdout as cfg says (text,
 * JSON, CSV). fail_ppm: exit status 1 if B is slower by more than this, or
 * cannot be compared; 0: never. Returns the exit status.
 */
int xpt_compare(const char *a, const char *b, const struct xpt_outputs_cfg *cfg, bool fail,
		uint64_t fail_ppm);

#endif
