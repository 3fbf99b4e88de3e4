/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values of the JSON lines that RDMA traces, baselines and events have in common: written as members of an object, and
 * read back from files, which may contain anything.
 */
#ifndef XPT_RDMA_TRACE_JSON_VALUE_H
#define XPT_RDMA_TRACE_JSON_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/formats/json_reader.h"
#include "base/strbuf.h"

enum { XPT_RDMA_JSON_TEXT = 1024 };	/* bytes of a text; what is longer is cut */

/* Appends s as a string, cut after max bytes (XPT_RDMA_JSON_TEXT at most); NULL is written as "". */
void xpt_rdma_json__add_str(struct xpt_strbuf *sb, const char *s, size_t max);
/* A number: decimal up to 2^53, above that as "0x..." in quotes, which no reader rounds. */
void xpt_rdma_json__add_u64(struct xpt_strbuf *sb, uint64_t v);
/* Append a member of the object that sb has begun, with a comma before it unless it is the first one. */
void xpt_rdma_json__add_text(struct xpt_strbuf *sb, const char *key, const char *s);
void xpt_rdma_json__add_number(struct xpt_strbuf *sb, const char *key, uint64_t v);

/* Reads a number that the above wrote, or a signed one; false: the value is something else. */
bool xpt_rdma_json__number(struct xpt_json *j, uint64_t *ret_v);
/* The same; 0 for a value of another kind. */
uint64_t xpt_rdma_json__take_u64(struct xpt_json *j);
/* Copies a string to `to`, cut if it has no room; leaves `to` as it is for a value of another kind. */
void xpt_rdma_json__take_text(struct xpt_json *j, char *to, size_t room);

#endif
