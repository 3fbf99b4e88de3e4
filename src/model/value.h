/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Captured values as text: addresses and handles in hex, sizes and counts in
 * decimal, copy directions and the constants of enums by name. Shared by sinks and by analyzers that put
 * arguments into sentences. Names come from the traced side: clean the text
 * before it reaches a terminal.
 */
#ifndef XPT_MODEL_VALUE_H
#define XPT_MODEL_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/strbuf.h"
#include "model/domain/cap.h"
#include "model/event.h"

/* Returns the text of the STR capture i; NULL: it is none, or was not read. */
const char *xpt_call__string(const struct xpt_call *c, unsigned i);
/* "0x" and hex digits without leading zeros. */
void xpt_value__add_hex(struct xpt_strbuf *sb, uint64_t v);
/* Value i of a function: 0x7f00, 4096, -1 (sign-extended captures), HtoD, 0.25,
 * CU_MEM_ATTACH_GLOBAL, CU_EVENT_BLOCKING_SYNC|CU_EVENT_DISABLE_TIMING. */
void xpt_value__add_text(struct xpt_strbuf *sb, const struct xpt_fn *fn, unsigned i, uint64_t v);
/*
 * Why a call failed, cut to n - 1 bytes in buf: its result, or the status that the driver put
 * into an argument, by name. False: it did not fail.
 */
bool xpt_value__failure(const struct xpt_call *c, char *buf, size_t n);
/* The same as a JSON value: numbers bare, all else in quotes, null for no number. */
void xpt_value__add_json(struct xpt_strbuf *sb, const struct xpt_fn *fn, unsigned i, uint64_t v);
/* True for a launch whose kernel has a name, and not just a handle. */
bool xpt_call__kernel_known(const struct xpt_call *c);
/* Whether value i is valid: false for out-parameters of failed calls. */
bool xpt_call__shows_arg(const struct xpt_call *c, unsigned i);
/*
 * Appends "dptr=0x7f0000 bytesize=1073741824". "?" is a value that could not
 * be read; values that the function's name implies are no arguments and are
 * left out, as are out-parameters of failed calls (their content is undefined).
 */
void xpt_call__args_text(const struct xpt_call *c, struct xpt_strbuf *sb);
/* The same into a buffer of n bytes: what does not fit is left out. */
void xpt_call__copy_args(const struct xpt_call *c, char *buf, size_t n);

#endif
