/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recordings (.xtr): wire records in checksummed blocks, see docs/format.md.
 * A file that ends early or is damaged yields every whole block before that.
 */
#ifndef XPT_PIPELINE_RECORDING_H
#define XPT_PIPELINE_RECORDING_H

#include <stddef.h>
#include <stdint.h>

struct xpt_rec_writer;
struct xpt_rec_reader;

/* max_bytes: events stop being written beyond it (facts and totals go on); 0 = no limit. */
int xpt_rec_writer__new(int fd, uint64_t max_bytes, struct xpt_rec_writer **ret_w);
/* 0 or the errno of a write, negative; -ENOSPC as well when the limit is reached,
 * told once per writer: later events are dropped and counted in __dropped(). */
int xpt_rec_writer__write(struct xpt_rec_writer *w, const void *rec, size_t size);
int xpt_rec_writer__flush(struct xpt_rec_writer *w);	/* ends the block: readable up to here */
uint64_t xpt_rec_writer__dropped(const struct xpt_rec_writer *w);
uint64_t xpt_rec_writer__bytes(const struct xpt_rec_writer *w);
int xpt_rec_writer__close(struct xpt_rec_writer *w);	/* flushes, frees; fd stays open. NULL fine */

/*
 * Opens a recording. Errors: -errno of open/read; -EINVAL not a recording;
 * -EPROTO written by a newer version (ret_version tells which, may be NULL).
 */
int xpt_rec_reader__open(const char *path, uint32_t *ret_version, struct xpt_rec_reader **ret_r);
/*
 * The next record, 8-byte aligned, valid until the next call. 1: one record;
 * 0: end of a whole file; -ENODATA: the file ends in the middle of a block;
 * -EBADMSG: a block is damaged. After an error xpt_rec_reader__offset() says where.
 */
int xpt_rec_reader__next(struct xpt_rec_reader *r, const void **ret_rec, size_t *ret_size);
uint64_t xpt_rec_reader__offset(const struct xpt_rec_reader *r);
void xpt_rec_reader__close(struct xpt_rec_reader *r);	/* NULL is fine */

#endif
