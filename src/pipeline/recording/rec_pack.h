/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Block codec 1 of recordings: records to fewer bytes and back, bit for bit.
 * A call is stored as its difference to the last call of the same function, any
 * other record without its zero bytes; docs/format.md has the layout. Every
 * block starts from nothing, so that each can be read on its own.
 */
#ifndef XPT_PIPELINE_RECORDING_REC_PACK_H
#define XPT_PIPELINE_RECORDING_REC_PACK_H

#include <stddef.h>
#include <stdint.h>

struct xpt_pack;	/* state within one block; one type for both ways */

int xpt_pack__new(struct xpt_pack **ret_p);	/* 0 or -ENOMEM */
void xpt_pack__free(struct xpt_pack *p);	/* NULL is fine */
void xpt_pack__reset(struct xpt_pack *p);	/* a new block begins */

/* Bytes that a record of `size` bytes takes at most. */
size_t xpt_pack__bound(size_t size);
/*
 * Packs one record of `size` bytes (a multiple of 8, at least 8; its own header
 * says the same) to `to`, where xpt_pack__bound(size) bytes are free. Returns
 * the number of bytes written.
 */
size_t xpt_pack__add(struct xpt_pack *p, const void *rec, size_t size, uint8_t *to);

/*
 * Unpacks a block of n bytes into exactly `len` bytes at `to` (8-byte aligned). Returns 0, or -EBADMSG if the
 * block, whatever its content, does not yield that. The sizes in the records are not checked.
 */
int xpt_pack__read(struct xpt_pack *p, const uint8_t *from, size_t n, void *to, size_t len);

#endif
