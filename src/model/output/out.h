/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface by which analyzers emit records. The pipeline implements it, and so do tests.
 */
#ifndef XPT_MODEL_OUTPUT_OUT_H
#define XPT_MODEL_OUTPUT_OUT_H

#include <stdint.h>
#include "model/event.h"
#include "model/output/schema.h"

struct xpt_out;		/* opaque to analyzers */

/* Emits one record of the schema: copied or consumed before it returns. */
void xpt_out__emit(struct xpt_out *out, const struct xpt_schema *schema, const void *rec);
/* Adds n to a loss counter (a full table, an evicted entry). */
void xpt_out__lost(struct xpt_out *out, enum xpt_loss loss, uint64_t n);

#endif
