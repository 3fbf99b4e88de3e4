/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The outputs of a trace: the pipeline with its analyzers and sinks, and the recordings. Used by commands that trace
 * and by those that read recordings.
 */
#ifndef XPT_SESSION_OUTPUTS_H
#define XPT_SESSION_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/output/sink.h"
#include "pipeline/recording/file_share.h"

struct xpt_collector;
struct xpt_file;
struct xpt_metrics;
struct xpt_outputs;
enum xpt_text_to { XPT_TEXT_STDOUT, XPT_TEXT_STDERR };
struct xpt_outputs_cfg {
	const char *const *files;	/* -o FILE, by extension, "-": lines to stdout; NULL-terminated, or NULL */
	const struct xpt_file *opened[2];	/* open already: for files whose path is the same pointer; or NULL */
	const char *input[2];		/* the recording that is read, JSON lines beside it: never outputs; or NULL */
	uint64_t max_bytes;		/* of each file; 0 = no limit */
	/*
	 * The owner of a process (each gets a share of max_bytes), and the text for one, "of user 1000"; NULL: no
	 * shares.
	 */
	xpt_owner_fn owner;
	const char *(*name_owner)(uint64_t owner, char *buf, size_t n);
	void *owner_ctx;
	uint64_t origin_ns;		/* from where times count; 0: as the records say */
	const char *log;		/* file of table and summary, "-": stdout; NULL: as text_to says */
	enum xpt_text_to text_to;
	bool live;			/* the table of calls */
	bool summary;			/* the summary, as text or JSON */
	bool sums, wall; unsigned show;	/* see model/output/sink.h */
	bool all_errors;		/* expected failures count as failures like others */
	bool json, csv, raw, phases;	/* csv: the summary as CSV */
	bool all;			/* the summary with its details */
	const struct xpt_schema *const *sections;	/* these only, see model/output/sink.h */
	unsigned color;			/* 0 auto, 1 always, 2 never */
	unsigned weight;		/* enum xpt_fold_weight */
	struct xpt_metrics *metrics;	/* collects metrics, and outlives this; may be NULL */
	struct xpt_collector *snapshots;	/* the same of snapshots */
	/* Called after the last record, while the data to which metrics refer still exist; or NULL. */
	void (*ended)(void *ctx);
	void *ended_ctx;
};

/* Opens everything; on failure it has said why and returns -errno: -EINVAL if
 * the names of files are wrong, then no file was touched. */
int xpt_outputs__open(const struct xpt_outputs_cfg *cfg, struct xpt_outputs **ret_o);
/* How a sink shall write to a file as these options want it: width, colours. */
struct xpt_sink_cfg xpt_outputs__sink_cfg(const struct xpt_outputs_cfg *from, FILE *file);
/* One wire record to every output. */
void xpt_outputs__feed(struct xpt_outputs *o, const void *rec, size_t size);
/* The same, but of calls only those that open or free memory: metrics take all else from counters. */
void xpt_outputs__feed_counted(struct xpt_outputs *o, const void *rec, size_t size);
/* Makes all data so far readable in files and shows live lines. Called about once a second. */
void xpt_outputs__flush(struct xpt_outputs *o);
/* Closes and frees. 0, or the first error of an output that was lost, negative;
 * -EPIPE if readers went away and nothing else failed. */
int xpt_outputs__close(struct xpt_outputs *o);	/* NULL is fine */
/*
 * Returns the advice for a file of that size: a JSON picture may be too large for its viewers. NULL if there is
 * none.
 */
const char *xpt_outputs__advice(const char *path, uint64_t bytes);
/* Closes and frees without results: the trace never began. NULL is fine. */
void xpt_outputs__discard(struct xpt_outputs *o);

#endif
