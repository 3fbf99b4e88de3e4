/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pieces of the line that the live table has for a call.
 */
#ifndef XPT_MODEL_OUTPUT_LIVE_ROW_H
#define XPT_MODEL_OUTPUT_LIVE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/event.h"

/* 8, 8x8 or 1x1x4: dimensions after the last that is not 1 are left out. x: the first of three roles. */
bool xpt_row__dims(const struct xpt_call *c, enum xpt_role x, char *buf, size_t n);
/* Bytes to show: also of calls that failed, unless they come out of the call. */
bool xpt_row__bytes(const struct xpt_call *c, uint64_t *ret_bytes);
/* The name without CUDA_ERROR_ or cudaError, for where it does not fit. */
const char *xpt_row__short_result(const char *name);

#endif
