/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads recordings block by block with read(2), so that a pipe will do and
 * memory stays at one block, stored and unpacked. A block is handed out only when
 * all of it is there, its checksum holds and its records fill it exactly.
 */
#include "pipeline/recording/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "pipeline/recording/rec_pack.h"
#include "pipeline/recording/recording_format.h"
#include "wire/wire.h"

struct xpt_rec_reader {
	int fd;
	bool own_fd;
	int err;		/* returned again by every later call */
	bool at_end;
	uint64_t offset;	/* of the current block, or of where reading stopped */
	uint64_t next_offset;	/* of the block after it */
	uint32_t pos, len;	/* in its records */
	struct buf {
		size_t cap;
		char *data;
	} records, stored;	/* of the current block; stored: with a codec */
	struct xpt_pack *pack;
};

/* Bytes read, less than n only at the end of the file, or -errno. */
static ssize_t read_all(int fd, void *buf, size_t n)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	size_t have = 0;
	ssize_t got;

	while (have < n) {
		got = read(fd, (char *)buf + have, n - have);
		if (got > 0) {
			have += (size_t)got;
		} else if (got == 0) {
			break;
		} else if (errno == EAGAIN) {
			if (poll(&pfd, 1, -1) < 0 && errno != EINTR)
				return -errno;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return (ssize_t)have;
}

static int check_header(const struct xpt_xtr_header *h, ssize_t got, uint32_t *ret_version)
{
	uint32_t crc;

	if (got < (ssize_t)sizeof(h->magic) ||
	    memcmp(h->magic, XPT_XTR_MAGIC, sizeof(h->magic)) != 0)
		return -EINVAL;
	if (got < (ssize_t)sizeof(*h))
		return -ENODATA;
	if (ret_version)
		*ret_version = h->version;
	if (h->version > XPT_XTR_VERSION)
		return -EPROTO;
	crc = (uint32_t)crc32(0, (const void *)h, offsetof(struct xpt_xtr_header, crc32));
	if (crc != h->crc32 || !h->version || h->header_size < sizeof(*h) ||
	    h->header_size > XPT_XTR_HEADER_MAX || h->header_size % 8)
		return -EBADMSG;
	return h->flags ? -EPROTONOSUPPORT : 0;
}

static int read_header(struct xpt_rec_reader *r, uint32_t *ret_version)
{
	char rest[XPT_XTR_HEADER_MAX];
	struct xpt_xtr_header h;
	ssize_t got = read_all(r->fd, &h, sizeof(h));
	int err;

	if (got < 0)
		return (int)got;
	err = check_header(&h, got, ret_version);
	if (err)
		return err;
	got = read_all(r->fd, rest, h.header_size - sizeof(h));
	if (got < 0)
		return (int)got;
	if ((size_t)got < h.header_size - sizeof(h))
		return -ENODATA;
	r->next_offset = r->offset = h.header_size;
	return 0;
}

int xpt_rec_reader__open_fd(int fd, uint32_t *ret_version, struct xpt_rec_reader **ret_r)
{
	struct xpt_rec_reader *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	r->fd = fd;
	err = read_header(r, ret_version);
	if (err)
		free(r);
	else
		*ret_r = r;
	return err;
}

int xpt_rec_reader__open(const char *path, uint32_t *ret_version, struct xpt_rec_reader **ret_r)
{
	int fd, err;

	if (strcmp(path, "-") == 0)
		return xpt_rec_reader__open_fd(STDIN_FILENO, ret_version, ret_r);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = xpt_rec_reader__open_fd(fd, ret_version, ret_r);
	if (err)
		close(fd);
	else
		(*ret_r)->own_fd = true;
	return err;
}

static int check_block(const struct xpt_xtr_block *b)
{
	if (b->magic != XPT_XTR_BLOCK_MAGIC || !b->raw_len || b->raw_len % 8 ||
	    b->raw_len > XPT_XTR_BLOCK_MAX || !b->stored_len || b->stored_len > XPT_XTR_BLOCK_MAX)
		return -EBADMSG;
	if (b->codec == XPT_XTR_RAW && b->stored_len != b->raw_len)
		return -EBADMSG;
	return 0;
}

/* The records must fill the block exactly and be as many as it says. */
static int check_records(const char *buf, uint32_t len, uint32_t nr)
{
	const struct xpt_rec *rec;
	uint32_t pos, n = 0;

	for (pos = 0; pos < len; pos += rec->size, n++) {
		rec = (const void *)(buf + pos);
		if (rec->size < sizeof(*rec) || rec->size % 8 || rec->size > len - pos)
			return -EBADMSG;
	}
	return n == nr ? 0 : -EBADMSG;
}

static int make_room(struct buf *buf, size_t n)
{
	char *data;

	if (n <= buf->cap)
		return 0;
	data = realloc(buf->data, n);
	if (!data)
		return -ENOMEM;
	buf->data = data;
	buf->cap = n;
	return 0;
}

static int unpack_block(struct xpt_rec_reader *r, const struct xpt_xtr_block *b)
{
	int err = r->pack ? 0 : xpt_pack__new(&r->pack);

	if (!err)
		err = make_room(&r->records, b->raw_len);
	return err ? err : xpt_pack__read(r->pack, (const uint8_t *)r->stored.data, b->stored_len,
					  r->records.data, b->raw_len);
}

static int read_stored(struct xpt_rec_reader *r, const struct xpt_xtr_block *b)
{
	struct buf *buf = b->codec == XPT_XTR_RAW ? &r->records : &r->stored;
	int err = make_room(buf, b->stored_len);
	ssize_t got;
	uLong crc;

	if (err)
		return err;
	got = read_all(r->fd, buf->data, b->stored_len);
	if (got < 0)
		return (int)got;
	if ((size_t)got < b->stored_len)
		return -ENODATA;
	crc = crc32(0, (const void *)b, offsetof(struct xpt_xtr_block, crc32));
	if (b->crc32 != (uint32_t)crc32(crc, (const void *)buf->data, b->stored_len))
		return -EBADMSG;
	/* The codec of a block is only certain if the block is whole. */
	if (b->codec >= XPT_XTR_CODEC__MAX)
		return -EPROTONOSUPPORT;
	if (b->codec == XPT_XTR_PACKED)
		err = unpack_block(r, b);
	return err ? err : check_records(r->records.data, b->raw_len, b->nr_records);
}

/* 1: its records are there; 0: end of the file; -errno. */
static int next_block(struct xpt_rec_reader *r)
{
	struct xpt_xtr_block b;
	ssize_t got;
	int err;

	r->pos = r->len = 0;
	r->offset = r->next_offset;
	got = read_all(r->fd, &b, sizeof(b));
	if (got <= 0)
		return (int)got;
	if ((size_t)got < sizeof(b))
		return -ENODATA;
	err = check_block(&b);
	if (!err)
		err = read_stored(r, &b);
	if (err)
		return err;
	r->len = b.raw_len;
	r->next_offset = r->offset + sizeof(b) + b.stored_len;
	return 1;
}

int xpt_rec_reader__next(struct xpt_rec_reader *r, const void **ret_rec, size_t *ret_size)
{
	const struct xpt_rec *rec;
	int err;

	if (r->pos == r->len) {
		if (r->err || r->at_end)
			return r->err;
		err = next_block(r);
		if (err <= 0) {
			r->err = err;
			r->at_end = true;
			return err;
		}
	}
	rec = (const void *)(r->records.data + r->pos);
	*ret_rec = rec;
	*ret_size = rec->size;
	r->pos += rec->size;
	return 1;
}

uint64_t xpt_rec_reader__offset(const struct xpt_rec_reader *r)
{
	return r->offset;
}

void xpt_rec_reader__close(struct xpt_rec_reader *r)
{
	if (!r)
		return;
	if (r->own_fd)
		close(r->fd);
	xpt_pack__free(r->pack);
	free(r->records.data);
	free(r->stored.data);
	free(r);
}
