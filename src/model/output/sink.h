/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A sink is an output. One sink is one file, src/sinks/<name>.c, with one
 * `const struct xpt_sink xpt_sink_<name>`; the makefile generates the registry.
 * A sink with an extension serves `-o FILE.<ext>` and `convert`.
 *
 * Order of calls: open, then event and record in any mix, close. close comes
 * after a failed open too (state zeroed before open). A failed write is
 * reported once by its return value; the pipeline then stops calling the sink
 * but close, counts the events that it missed, and goes on with the others.
 */
#ifndef XPT_MODEL_OUTPUT_SINK_H
#define XPT_MODEL_OUTPUT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "model/event.h"
#include "model/output/schema.h"

struct xpt_file_share;	/* pipeline/recording/file_share.h */

struct xpt_sink_cfg {
	void *ctx;		/* of sinks that hand events to their owner; NULL for all others */
	FILE *file;		/* where to write; owned by the caller */
	const char *path;	/* its name, NULL for standard output; lives as long */
	bool color;		/* terminal with colours */
	bool raw;		/* plain numbers instead of human units */
	bool phases;		/* JSONL: separate begin and end objects */
	bool quiet;		/* live: no header, no lines */
	bool sums;		/* live: on a terminal sums by function take the place of too many lines */
	bool in_place;		/* live: no other program writes to that terminal */
	bool wall;		/* live, summary: times of day, not since the start */
	unsigned show;		/* live: columns besides, XPT_SHOW_* */
	bool follows;		/* summary: something else was printed before it */
	unsigned weight;	/* folded stacks: enum xpt_fold_weight, unless path says another */
	unsigned columns;	/* for the layout: those of the terminal or of COLUMNS, else 80 */
	unsigned room;		/* columns up to which text is not cut; 0: the same */
	uint64_t max_bytes;	/* stop writing events beyond this size; 0 = no limit */
	struct xpt_file_share *share;	/* of owners in that; the pipeline's matter; NULL: none */
	bool all;		/* records: those that are details, too */
	/* records: of these schemas only (by name), NULL-terminated; NULL: of all */
	const struct xpt_schema *const *sections;
};

enum { XPT_SHOW_TIME = 1, XPT_SHOW_THREAD = 2 };

#define XPT_SINK_FULL 1	/* no failure: totals and records still come and are written */

struct xpt_sink {
	const char *name, *help;
	const char *ext;	/* file extension without dot, or NULL */
	size_t state_size;
	int (*open)(void *st, const struct xpt_sink_cfg *cfg);
	/* 0, -errno of a write, or XPT_SINK_FULL, once: max_bytes is reached. */
	int (*event)(void *st, const struct xpt_event *ev);	/* may be NULL */
	int (*record)(void *st, const struct xpt_schema *schema, const void *rec);	/* may be NULL */
	uint64_t (*bytes)(const void *st);	/* of the file so far; NULL: it has no limit */
	int (*close)(void *st);	/* flushes and frees; returns the flush's error */
};

extern const struct xpt_sink *const xpt_sinks[];
extern const size_t xpt_nr_sinks;
/* Whether the sink is to write records of this schema. Details only if `sections` or `all` includes them. */
bool xpt_sink_cfg__wants(const struct xpt_sink_cfg *cfg, const struct xpt_schema *schema);
const struct xpt_sink *xpt_sink__find(const char *name);
const struct xpt_sink *xpt_sink__by_ext(const char *path);	/* by the extension of path */

#endif
