/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recordings (.xtr): wire records in checksummed blocks, see docs/format.md.
 * A file that ends early or is damaged yields every whole block before that.
 */
#ifndef XPT_PIPELINE_RECORDING_RECORDING_H
#define XPT_PIPELINE_RECORDING_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpt_file_share;
struct xpt_rec_writer;
struct xpt_rec_reader;

/*
 * Writes the file header at once. fd stays the caller's; SIGPIPE is the
 * caller's to ignore. max_bytes: calls stop being written beyond it (facts and
 * totals go on); 0 = no limit.
 */
int xpt_rec_writer__new(int fd, uint64_t max_bytes, struct xpt_rec_writer **ret_w);
/*
 * Takes one record (copied). 0; -EINVAL: rec's own size is not `size`; the
 * -errno of a write, now and for ever after. -ENOSPC also when max_bytes is
 * reached, returned once: __limited() is true then, later calls are dropped and
 * counted in __dropped(), other records are still taken. The number is a LOSS record before END.
 */
int xpt_rec_writer__write(struct xpt_rec_writer *w, const void *rec, size_t size);
int xpt_rec_writer__flush(struct xpt_rec_writer *w);	/* ends the block: readable up to here */
/*
 * Calls of one owner take no more of max_bytes than his share (the caller's, for as long): others are
 * dropped and counted.
 */
void xpt_rec_writer__share(struct xpt_rec_writer *w, struct xpt_file_share *share);
uint64_t xpt_rec_writer__dropped(const struct xpt_rec_writer *w);
bool xpt_rec_writer__limited(const struct xpt_rec_writer *w);
uint64_t xpt_rec_writer__bytes(const struct xpt_rec_writer *w);	/* file size once flushed */
int xpt_rec_writer__close(struct xpt_rec_writer *w);	/* flushes, frees; fd stays open. NULL fine */

/*
 * Opens a recording; "-" is standard input. Errors: -errno of open/read;
 * -EINVAL not a recording; -EPROTO written by a newer version (ret_version
 * gets it, may be NULL); -EPROTONOSUPPORT uses a feature of a newer
 * version; -ENODATA ends inside its header; -EBADMSG damaged header.
 */
int xpt_rec_reader__open(const char *path, uint32_t *ret_version, struct xpt_rec_reader **ret_r);
/* The same from where fd stands; fd stays the caller's. */
int xpt_rec_reader__open_fd(int fd, uint32_t *ret_version, struct xpt_rec_reader **ret_r);
/*
 * The next record, 8-byte aligned, valid until the next call. 1: one record;
 * 0: end of a whole file; -ENODATA: the file ends in the middle of a block;
 * -EBADMSG: a block is damaged; -EPROTONOSUPPORT: a block is stored in a way
 * that this version does not know; -errno of read. After the end or an error
 * it says the same again, and xpt_rec_reader__offset() says where.
 */
int xpt_rec_reader__next(struct xpt_rec_reader *r, const void **ret_rec, size_t *ret_size);
uint64_t xpt_rec_reader__offset(const struct xpt_rec_reader *r);
void xpt_rec_reader__close(struct xpt_rec_reader *r);	/* NULL is fine */

#endif
