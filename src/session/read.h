/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reading a recording into outputs, as `report`, `replay` and `convert` share it. */
#ifndef XPT_SESSION_READ_H
#define XPT_SESSION_READ_H

#include "session/outputs.h"
#include "pipeline/pipeline.h"

/*
 * Opens the outputs, feeds the whole recording, closes them. cfg->input is set here. Returns the exit status;
 * errors, and the place where a damaged file ends, were reported.
 */
int xpt_read__recording(const char *path, const struct xpt_outputs_cfg *cfg);

/*
 * Feeds the whole recording to a pipeline, which the caller finishes. Returns 0 or, if it cannot be opened, -errno;
 * *ret_damage: 0, or why it was not read to its end. Both were reported.
 */
int xpt_read__pipeline(const char *path, struct xpt_pipeline *p, int *ret_damage);

/* Every record to fn. quiet: says nothing of a damaged end (another pass has said it).
 * Returns the exit status. */
typedef void (*xpt_read_fn)(void *ctx, const void *rec, size_t size);
int xpt_read__records(const char *path, bool quiet, xpt_read_fn fn, void *ctx);

#endif
