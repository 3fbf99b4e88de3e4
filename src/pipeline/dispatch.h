/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Dispatch: the analyzers and sinks of a pipeline and its table of losses. Analyzers hold this as an opaque struct
 * xpt_out.
 *
 * A sink that fails is reported once and then left alone; the events that it misses are counted. A sink that
 * reached its size limit still gets everything but calls.
 */
#ifndef XPT_PIPELINE_DISPATCH_H
#define XPT_PIPELINE_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/output/analyzer.h"
#include "model/output/finding.h"
#include "model/output/sink.h"
#include "model/output/stream.h"

#define XPT_MAX_OUTPUTS 64	/* analyzers, and sinks, of one pipeline */

struct xpt_out_analyzer {
	const struct xpt_analyzer *a;
	void *state;
};

struct xpt_out_sink {
	const struct xpt_sink *s;
	char *name;
	void *state;
	uint64_t max_bytes;
	struct xpt_file_share *share;	/* NULL: all may fill the file */
	bool limited;	/* gets no more calls */
	int err;	/* gets nothing more */
};

/* Calls that sinks do not get, although they were sent, because other calls need their facts. */
struct xpt_out_limits {
	uint64_t only_errors, min_ns, min_bytes;
};

struct xpt_out {
	struct xpt_out_limits limits;
	struct xpt_out_analyzer analyzer[XPT_MAX_OUTPUTS];
	struct xpt_out_sink sink[XPT_MAX_OUTPUTS];
	unsigned nr_analyzers, nr_sinks;
	struct xpt_stream stream;
	struct xpt_findings *findings;	/* NULL: none yet */
	uint64_t stream_lost[XPT_LOSS__MAX];	/* running totals of LOSS records */
	uint64_t own_lost[XPT_LOSS__MAX];
};

/* Returns 0, -E2BIG (too many), -ENOMEM, or the error of open. */
int xpt_out__add_analyzer(struct xpt_out *out, const struct xpt_analyzer *a);
int xpt_out__add_sink(struct xpt_out *out, const struct xpt_sink *s, const char *name,
		      const struct xpt_sink_cfg *cfg);
void xpt_out__event(struct xpt_out *out, const struct xpt_event *ev);
uint64_t xpt_out__total_lost(const struct xpt_out *out, enum xpt_loss loss);
/* Closes all; the first sink's error, -EPIPE only if there is no other. May be called again and does nothing then. */
int xpt_out__close(struct xpt_out *out);

#endif
