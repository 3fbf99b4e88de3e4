/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes recordings: records are packed into one buffer after room for a
 * block header and leave in one write. After a failed write the file is cut back
 * to its last whole block where that is possible, and the writer stays failed.
 */
#include "pipeline/recording/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "pipeline/recording/file_share.h"
#include "pipeline/recording/rec_pack.h"
#include "pipeline/recording/recording_format.h"
#include "wire/wire.h"

struct xpt_rec_writer {
	int fd;
	int err;		/* of the first failed write */
	off_t start;		/* where the recording begins in fd, -1: not seekable */
	uint64_t max_bytes, written, dropped;
	bool limited;
	struct xpt_file_share *share;	/* NULL: all may fill the file */
	uint32_t raw, nr;	/* record bytes and records in the block */
	uint32_t used;		/* packed bytes in the block */
	struct xpt_pack *pack;
	struct xpt_xtr_block *block;	/* header, then STORED_MAX bytes */
};

/* Records that do not get smaller end a block before its record bytes do. */
#define STORED_MAX (XPT_XTR_BLOCK_RAW + (96u << 10))

static int write_all(int fd, const void *buf, size_t n)
{
	const char *s = buf;
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };
	ssize_t done;

	while (n) {
		done = write(fd, s, n);
		if (done > 0) {
			s += done;
			n -= (size_t)done;
		} else if (done == 0) {
			return -EIO;
		} else if (errno == EAGAIN) {
			if (poll(&pfd, 1, -1) < 0 && errno != EINTR)
				return -errno;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

static int put_bytes(struct xpt_rec_writer *w, const void *buf, size_t n)
{
	w->err = write_all(w->fd, buf, n);
	if (!w->err)
		w->written += n;
	/* Half a block would read as a cut file: take it away again. */
	else if (w->start >= 0 && ftruncate(w->fd, w->start + (off_t)w->written) != 0)
		w->start = -1;	/* readers cope with half a block */
	return w->err;
}

int xpt_rec_writer__new(int fd, uint64_t max_bytes, struct xpt_rec_writer **ret_w)
{
	struct xpt_xtr_header h = { XPT_XTR_MAGIC, XPT_XTR_VERSION, sizeof(h), 0, 0 };
	struct xpt_rec_writer *w = calloc(1, sizeof(*w));
	int err = -ENOMEM;

	if (!w)
		return -ENOMEM;
	w->block = malloc(sizeof(*w->block) + STORED_MAX);
	if (!w->block || xpt_pack__new(&w->pack))
		goto out;
	w->fd = fd;
	w->max_bytes = max_bytes;
	/* The descriptor may have been written to before: then the position is not known. */
	w->start = fcntl(fd, F_GETFL) & O_APPEND ? -1 : lseek(fd, 0, SEEK_CUR);
	h.crc32 = (uint32_t)crc32(0, (const void *)&h, offsetof(struct xpt_xtr_header, crc32));
	err = put_bytes(w, &h, sizeof(h));
	if (!err)
		*ret_w = w;
out:
	if (err) {
		xpt_pack__free(w->pack);
		free(w->block);
		free(w);
	}
	return err;
}

int xpt_rec_writer__flush(struct xpt_rec_writer *w)
{
	struct xpt_xtr_block *b = w->block;
	uLong crc;

	if (w->err || !w->nr)
		return w->err;
	b->magic = XPT_XTR_BLOCK_MAGIC;
	b->codec = XPT_XTR_PACKED;
	b->raw_len = w->raw;
	b->stored_len = w->used;
	b->nr_records = w->nr;
	crc = crc32(0, (const void *)b, offsetof(struct xpt_xtr_block, crc32));
	b->crc32 = (uint32_t)crc32(crc, (const void *)(b + 1), w->used);
	w->raw = w->used = w->nr = 0;
	xpt_pack__reset(w->pack);
	return put_bytes(w, b, sizeof(*b) + b->stored_len);
}

/* Calls, and stacks that only calls refer to. */
static bool is_limited(unsigned kind)
{
	return kind == XPT_REC_CALL || kind == XPT_REC_INFLIGHT || kind == XPT_REC_STACK;
}

/* The process of a record that is limited; 0: it is too short to say. */
static uint32_t process_of(const struct xpt_rec *r)
{
	if (r->kind == XPT_REC_STACK)
		return r->size < sizeof(struct xpt_rec_stack) ? 0 : ((const struct xpt_rec_stack *)r)->tgid;
	return r->size < sizeof(struct xpt_rec_call) ? 0 : ((const struct xpt_rec_call *)r)->tgid;
}

/* 1: there is room; 0: it is dropped; -ENOSPC: so it is, the first of all. */
static int has_room(struct xpt_rec_writer *w, const struct xpt_rec *r, uint32_t tgid)
{
	bool is_call = r->kind != XPT_REC_STACK, full;
	uint64_t owner;

	full = w->limited || xpt_rec_writer__bytes(w) + xpt_pack__bound(r->size) > w->max_bytes;
	if (!full && (!w->share || xpt_file_share__fits(w->share, tgid, xpt_rec_writer__bytes(w))))
		return 1;
	w->dropped += is_call;
	if (w->share && is_call)
		xpt_file_share__cut(w->share, tgid, &owner);
	if (w->limited || !full)
		return 0;
	w->limited = true;
	return -ENOSPC;
}

/* Tells readers of the recording how many records are missing in it. */
static void write_loss(struct xpt_rec_writer *w, const struct xpt_rec_end *end)
{
	const struct xpt_rec_loss loss = {
		.rec = { XPT_REC_LOSS, sizeof(loss), 0 }, .ts_ns = end->end_ns,
		.loss = XPT_LOSS_FILE_LIMIT, .count = w->dropped,
	};

	xpt_rec_writer__write(w, &loss, sizeof(loss));
}

/* Packs it into the block. */
static int add_record(struct xpt_rec_writer *w, const void *rec, size_t size)
{
	int err = 0;

	if (w->raw + size > XPT_XTR_BLOCK_RAW || w->used + xpt_pack__bound(size) > STORED_MAX)
		err = xpt_rec_writer__flush(w);
	if (err)
		return err;
	w->used += (uint32_t)xpt_pack__add(w->pack, rec, size,
					   (uint8_t *)(w->block + 1) + w->used);
	w->raw += (uint32_t)size;
	w->nr++;
	return 0;
}

int xpt_rec_writer__write(struct xpt_rec_writer *w, const void *rec, size_t size)
{
	const struct xpt_rec *r = rec;
	bool limited;
	uint64_t before;
	int err;

	if (w->err)
		return w->err;
	if (size < sizeof(*r) || size % 8 || size > XPT_REC_MAX || r->size != size)
		return -EINVAL;
	limited = w->max_bytes && is_limited(r->kind);
	if (limited) {
		err = has_room(w, r, process_of(r));
		if (err <= 0)
			return err;
	}
	if (r->kind == XPT_REC_END && w->dropped && size >= sizeof(struct xpt_rec_end))
		write_loss(w, rec);
	before = xpt_rec_writer__bytes(w);
	err = add_record(w, rec, size);
	if (limited && w->share && !err)
		xpt_file_share__took(w->share, process_of(r), xpt_rec_writer__bytes(w) - before);
	return err;
}

void xpt_rec_writer__share(struct xpt_rec_writer *w, struct xpt_file_share *share)
{
	w->share = share;
}

uint64_t xpt_rec_writer__dropped(const struct xpt_rec_writer *w)
{
	return w->dropped;
}

bool xpt_rec_writer__limited(const struct xpt_rec_writer *w)
{
	return w->limited;
}

uint64_t xpt_rec_writer__bytes(const struct xpt_rec_writer *w)
{
	return w->written + (w->nr ? sizeof(*w->block) + w->used : 0);
}

int xpt_rec_writer__close(struct xpt_rec_writer *w)
{
	int err;

	if (!w)
		return 0;
	err = xpt_rec_writer__flush(w);
	xpt_pack__free(w->pack);
	free(w->block);
	free(w);
	return err;
}
