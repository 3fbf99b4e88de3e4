/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bytes of a recording, shared by its writer and reader; docs/format.md is
 * the description for others. Little endian; the file header and the block
 * header keep their layout in every version.
 */
#ifndef XPT_PIPELINE_RECORDING_RECORDING_FORMAT_H
#define XPT_PIPELINE_RECORDING_RECORDING_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define XPT_XTR_MAGIC "XPTRACE"	/* 8 bytes with its NUL */
#define XPT_XTR_VERSION 1
#define XPT_XTR_HEADER_MAX 4096
#define XPT_XTR_BLOCK_MAGIC 0x4b4c4258u	/* "XBLK" */
#define XPT_XTR_BLOCK_RAW (256u << 10)	/* record bytes that a writer puts into one block */
#define XPT_XTR_BLOCK_MAX (1u << 20)	/* the largest block that a reader accepts, before and after decoding */

enum xpt_xtr_codec {
	XPT_XTR_RAW = 0,	/* records as they are: written before there was another */
	XPT_XTR_PACKED = 1,	/* pipeline/recording/rec_pack.h */
	XPT_XTR_CODEC__MAX
};

struct xpt_xtr_header {
	char magic[8];
	uint32_t version;
	uint32_t header_size;	/* first block begins here; 24 or more, a multiple of 8 */
	uint32_t flags;		/* 0; a reader refuses bits that it does not know */
	uint32_t crc32;		/* of the 20 bytes before it */
};

struct xpt_xtr_block {
	uint32_t magic;
	uint32_t codec;		/* enum xpt_xtr_codec */
	uint32_t raw_len;	/* bytes of the records, a multiple of 8, not 0 */
	uint32_t stored_len;	/* bytes that follow this header */
	uint32_t nr_records;
	uint32_t crc32;		/* of the 20 bytes before it and the stored bytes */
};

_Static_assert(sizeof(struct xpt_xtr_header) == 24, "file header");
_Static_assert(sizeof(struct xpt_xtr_block) == 24, "block header");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "recordings are little endian");

#endif
