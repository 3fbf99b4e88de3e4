/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lines that spdk_trace prints to the same output as its JSON. Both have buffers of their own, so that such a line
 * can stand anywhere in the JSON, within a string, too (spdk issue 3326). They hold a line end, which no JSON string
 * does: they can be taken out of the stream of bytes before anybody reads it as JSON.
 */
#ifndef XPT_SPDK_PRINTED_TEXT_H
#define XPT_SPDK_PRINTED_TEXT_H

#include "base/formats/json_reader.h"

enum { XPT_SPDK_PRINTED_LINE = 64 };	/* bytes of a known line, at most */

struct xpt_spdk_printed {
	xpt_json_read_fn read;		/* where bytes come from */
	void *ctx;
	char kept[XPT_SPDK_PRINTED_LINE];	/* that may be the beginning of a known line */
	size_t nr_kept;
	bool begun, ended;		/* the object has begun; the input ended */
	uint64_t passed;		/* bytes that were handed on */
	uint64_t nr;			/* known lines since the beginning of the JSON */
	struct {
		uint64_t passed, bytes;	/* where one was, and how many bytes all had until there */
	} *at;				/* of the newest 4,096 */
	uint64_t bytes;
};

int xpt_spdk_printed__init(struct xpt_spdk_printed *p, xpt_json_read_fn read, void *ctx);	/* 0 or -ENOMEM */
void xpt_spdk_printed__free(struct xpt_spdk_printed *p);	/* zeroed is fine */
/* Reads the input without known lines. For struct xpt_json; ctx: the struct xpt_spdk_printed. */
ssize_t xpt_spdk_printed__read(void *ctx, void *buf, size_t n);
/* Returns how many known lines came before a position in the output. */
uint64_t xpt_spdk_printed__before(const struct xpt_spdk_printed *p, uint64_t byte);
/*
 * Turns a position in the output into a position in the input: adds the bytes and lines that were taken out before
 * it.
 */
void xpt_spdk_printed__locate(const struct xpt_spdk_printed *p, uint64_t *byte, uint64_t *line);

#endif
