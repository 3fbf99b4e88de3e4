/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Protocol buffers, the writing half: fields appended to a buffer, as
 * protobuf.dev describes the wire format. Messages inside of messages get
 * their length when they end. Errors are those of the buffer.
 */
#ifndef XPT_BASE_FORMATS_PB_H
#define XPT_BASE_FORMATS_PB_H

#include <stddef.h>
#include <stdint.h>
#include "base/strbuf.h"

#define XPT_PB_STR_MAX 4096	/* bytes of a string; longer ones are cut */

/* uint64, uint32, bool, enum; int64 and int32 as (uint64_t)(int64_t)v. */
void xpt_pb__u64(struct xpt_strbuf *sb, unsigned field, uint64_t v);
void xpt_pb__fixed64(struct xpt_strbuf *sb, unsigned field, uint64_t v);
void xpt_pb__double(struct xpt_strbuf *sb, unsigned field, double v);
/* A string; bytes that are not UTF-8 become U+FFFD, as readers demand. */
void xpt_pb__str(struct xpt_strbuf *sb, unsigned field, const char *s);
/* n bytes as they are: also a message that was written before. */
void xpt_pb__bytes(struct xpt_strbuf *sb, unsigned field, const void *data, size_t n);
/* A message: fields between the two calls belong to it. Nests. */
size_t xpt_pb__begin(struct xpt_strbuf *sb, unsigned field);
void xpt_pb__end(struct xpt_strbuf *sb, size_t mark);

#endif
