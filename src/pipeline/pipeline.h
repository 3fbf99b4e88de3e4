/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The pipeline: wire records in, events to analyzers and sinks.
 *
 *   decode (size and kind checked) -> enrich (ids become fn, proc, result)
 *   -> dispatch (every analyzer, then every sink)
 *
 * A pure function of the record stream: it never opens /proc, never asks a
 * clock, so a recording gives the same output as the live trace. One thread.
 */
#ifndef XPT_PIPELINE_PIPELINE_H
#define XPT_PIPELINE_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/output/analyzer.h"
#include "model/output/sink.h"
#include "wire/wire.h"

struct xpt_pipeline;

int xpt_pipeline__new(struct xpt_pipeline **ret_p);
void xpt_pipeline__free(struct xpt_pipeline *p);	/* NULL is fine */
/*
 * Both before the first record: -EBUSY later. -E2BIG beyond 64 of a kind, -ENOMEM, or the error of the open
 * callback (close was called then; nothing is printed).
 */
int xpt_pipeline__add_analyzer(struct xpt_pipeline *p, const struct xpt_analyzer *a);
/* cfg is copied. name is used in messages ("trace.jsonl"). */
int xpt_pipeline__add_sink(struct xpt_pipeline *p, const struct xpt_sink *s, const char *name,
			   const struct xpt_sink_cfg *cfg);
/* Sets the time from which times count, for streams without that time. To be called before the first record. */
void xpt_pipeline__set_origin(struct xpt_pipeline *p, uint64_t origin_ns);
/* Treats expected failures (model/domain/expected.h) as other failures. To be called before the first record. */
void xpt_pipeline__expect_none(struct xpt_pipeline *p);
/*
 * One record of `size` readable bytes. Never fails: a record that lies about
 * its size, kind or ids is counted as DECODE_REJECTED and dropped. rec must be
 * 8-byte aligned.
 */
void xpt_pipeline__feed(struct xpt_pipeline *p, const void *rec, size_t size);
/*
 * Is the ledger of open blocks (model/memory/ledger.h) to see calls of the function with this id? False: no FN record
 * has named it.
 */
bool xpt_pipeline__is_about_memory(const struct xpt_pipeline *p, uint32_t fn);
/*
 * No record before ts_ns (CLOCK_MONOTONIC) is to come: sinks get the TICK that is due, as they would from a later
 * record, so that a program which calls nothing more delays no output. For a live stream; records of earlier times
 * that still come are taken as ever.
 */
void xpt_pipeline__time(struct xpt_pipeline *p, uint64_t ts_ns);
/*
 * Ends the stream: an XPT_EV_LOSS for every loss that is not zero, XPT_EV_END
 * (not complete if no END record came), analyzers and sinks closed. Returns
 * the first sink's error, 0 if all was written; a sink's size limit is no
 * error. Once; -EINVAL after that. Pointers to functions and processes stay
 * valid until xpt_pipeline__free().
 */
int xpt_pipeline__finish(struct xpt_pipeline *p);
/* Total of a loss so far, as the stream and this pipeline counted it. */
uint64_t xpt_pipeline__lost(const struct xpt_pipeline *p, enum xpt_loss loss);
/* Add to a CLOCK_MONOTONIC time for the wall clock; 0 before the first CLOCK record. */
int64_t xpt_pipeline__realtime_offset_ns(const struct xpt_pipeline *p);

#endif
