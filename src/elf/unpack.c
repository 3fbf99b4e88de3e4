// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See unpack.h. gzip by zlib, which is always there; xz and zstd by liblzma
 * and libzstd where the build found them. Each reader is one function that
 * fills the growing buffer until its stream ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#ifdef XPT_HAVE_LZMA
#include <lzma.h>
#endif
#ifdef XPT_HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/files/regular.h"
#include "elf/unpack.h"

/* Limits for untrusted files. */
enum { SMALL = 4 << 20, RATIO = 64 };

/* The setup header of a bzImage, by Documentation/arch/x86/boot.rst. */
enum {
	BOOT_SETUP_SECTS = 0x1f1, BOOT_MAGIC = 0x202, BOOT_VERSION = 0x206,
	BOOT_PAYLOAD_OFFSET = 0x248, BOOT_PAYLOAD_LENGTH = 0x24c, BOOT_HEADER_END = 0x250,
	BOOT_VERSION_PAYLOAD = 0x0208,	/* the first that has the offset of the payload */
};

struct out {
	uint8_t *p;
	size_t len, cap, max;
};

/* Room for at least one byte more. -EFBIG, -ENOMEM. */
static int out__room(struct out *o)
{
	size_t cap = o->cap ? o->cap * 2 : 1 << 20;
	uint8_t *p;

	if (o->len < o->cap)
		return 0;
	if (o->len >= o->max)
		return -EFBIG;
	if (cap > o->max)
		cap = o->max;
	p = realloc(o->p, cap);
	if (!p)
		return -ENOMEM;
	o->p = p;
	o->cap = cap;
	return 0;
}

static int read_gzip(const uint8_t *in, size_t n, struct out *o)
{
	z_stream z = { .next_in = (Bytef *)in, .avail_in = n > UINT32_MAX ? UINT32_MAX : (uInt)n };
	int err = 0, st = Z_OK;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return -ENOMEM;
	while (!err && st == Z_OK) {
		err = out__room(o);
		if (err)
			break;
		z.next_out = o->p + o->len;
		z.avail_out = (uInt)(o->cap - o->len);
		st = inflate(&z, Z_NO_FLUSH);
		o->len = o->cap - z.avail_out;
	}
	inflateEnd(&z);
	return err ? err : st == Z_STREAM_END ? 0 : -EBADMSG;
}

#ifdef XPT_HAVE_LZMA
static int read_xz(const uint8_t *in, size_t n, struct out *o)
{
	lzma_stream s = LZMA_STREAM_INIT;
	lzma_ret st = lzma_stream_decoder(&s, XPT_UNPACK_MAX, 0);
	int err = 0;

	if (st != LZMA_OK)
		return -ENOMEM;
	s.next_in = in;
	s.avail_in = n;
	while (!err && st == LZMA_OK) {
		err = out__room(o);
		if (err)
			break;
		s.next_out = o->p + o->len;
		s.avail_out = o->cap - o->len;
		st = lzma_code(&s, LZMA_RUN);
		o->len = o->cap - s.avail_out;
	}
	lzma_end(&s);
	return err ? err : st == LZMA_STREAM_END ? 0 : st == LZMA_MEM_ERROR ? -ENOMEM : -EBADMSG;
}
#endif

#ifdef XPT_HAVE_ZSTD
static int read_zstd(const uint8_t *in, size_t n, struct out *o)
{
	ZSTD_inBuffer from = { .src = in, .size = n };
	ZSTD_DStream *z = ZSTD_createDStream();
	size_t left = 1;
	int err = z ? 0 : -ENOMEM;

	if (z)
		ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, 27);
	while (!err && left) {
		ZSTD_outBuffer to;
		size_t before, was = from.pos;

		err = out__room(o);
		if (err)
			break;
		before = o->len;
		to = (ZSTD_outBuffer){ .dst = o->p, .size = o->cap, .pos = before };
		left = ZSTD_decompressStream(z, &to, &from);
		o->len = to.pos;
		if (ZSTD_isError(left) || (left && to.pos == before && from.pos == was))
			err = -EBADMSG;
	}
	ZSTD_freeDStream(z);
	return err;
}
#endif

static int copy_plain(const uint8_t *in, size_t n, struct out *o)
{
	if (n > o->max)
		return -EFBIG;
	o->p = malloc(n ? n : 1);
	if (!o->p)
		return -ENOMEM;
	memcpy(o->p, in, n);
	o->len = o->cap = n;
	return 0;
}

static bool begins_with(const uint8_t *in, size_t n, const char *magic, size_t len)
{
	return n >= len && !memcmp(in, magic, len);
}

static int unpack_stream(const uint8_t *in, size_t n, struct out *o)
{
	if (begins_with(in, n, "\x1f\x8b", 2))
		return read_gzip(in, n, o);
	if (begins_with(in, n, "\xfd" "7zXZ\0", 6))
#ifdef XPT_HAVE_LZMA
		return read_xz(in, n, o);
#else
		return -EOPNOTSUPP;
#endif
	if (begins_with(in, n, "\x28\xb5\x2f\xfd", 4))
#ifdef XPT_HAVE_ZSTD
		return read_zstd(in, n, o);
#else
		return -EOPNOTSUPP;
#endif
	return copy_plain(in, n, o);
}

int xpt_unpack__mem(const void *data, size_t n, size_t max, void **ret_data, size_t *ret_size)
{
	/* A byte more, so that a stream of max bytes has room to end. */
	struct out o = { .max = max + 1 };
	int err = unpack_stream(data, n, &o);

	if (!err && o.len > max)
		err = -EFBIG;
	if (err) {
		free(o.p);
		return err;
	}
	*ret_data = o.p;
	*ret_size = o.len;
	return 0;
}

/* Regular files only: /proc and pipes have no size, and a FIFO would block. */
static int read_fd(int fd, size_t max, struct out *o)
{
	struct stat st;
	ssize_t got;
	int err = 0;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	o->max = max;
	for (;;) {
		err = out__room(o);
		if (err)
			return err;
		got = read(fd, o->p + o->len, o->cap - o->len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : 0;
		o->len += (size_t)got;
	}
}

static bool is_packed(const struct out *o)
{
	return begins_with(o->p, o->len, "\x1f\x8b", 2) || begins_with(o->p, o->len, "\xfd" "7zXZ\0", 6) ||
	       begins_with(o->p, o->len, "\x28\xb5\x2f\xfd", 4);
}

int xpt_unpack__fd(int fd, size_t max, void **ret_data, size_t *ret_size)
{
	struct out o = { 0 };
	int err = read_fd(fd, max, &o);

	if (!err && !is_packed(&o)) {
		*ret_data = o.p;
		*ret_size = o.len;
		return 0;
	}
	if (!err)
		err = xpt_unpack__mem(o.p, o.len, max, ret_data, ret_size);
	free(o.p);
	return err;
}

size_t xpt_unpack__allowed(int fd, size_t max)
{
	struct stat st;
	uint64_t stored;

	if (fstat(fd, &st))
		return 0;
	stored = xpt_regular__stored(fd, &st);
	if (stored > (SIZE_MAX - SMALL) / RATIO)
		return max;
	return SMALL + (size_t)stored * RATIO < max ? SMALL + (size_t)stored * RATIO : max;
}

static uint32_t read_le32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static int take_payload(const struct out *o, size_t max, void **ret_data, size_t *ret_size)
{
	uint64_t start, len;

	if (o->len < BOOT_HEADER_END || memcmp(o->p + BOOT_MAGIC, "HdrS", 4) ||
	    (read_le32(o->p + BOOT_VERSION) & 0xffff) < BOOT_VERSION_PAYLOAD)
		return -ENOEXEC;
	start = ((o->p[BOOT_SETUP_SECTS] ? o->p[BOOT_SETUP_SECTS] : 4) + 1u) * 512u;
	start += read_le32(o->p + BOOT_PAYLOAD_OFFSET);
	len = read_le32(o->p + BOOT_PAYLOAD_LENGTH);
	if (start > o->len || len > o->len - start)
		return -EBADMSG;
	return xpt_unpack__mem(o->p + start, len, max, ret_data, ret_size);
}

int xpt_unpack__kernel(int fd, size_t max, void **ret_data, size_t *ret_size)
{
	size_t size = 0;
	void *data = NULL;
	struct out o = { 0 };
	int err = read_fd(fd, max, &o);

	if (err) {
		free(o.p);
		return err;
	}
	if (begins_with(o.p, o.len, "\177ELF", 4)) {
		*ret_data = o.p;
		*ret_size = o.len;
		return 0;
	}
	err = take_payload(&o, max, &data, &size);
	free(o.p);
	if (!err && !begins_with(data, size, "\177ELF", 4)) {
		free(data);
		err = -ENOEXEC;
	}
	if (err)
		return err;
	*ret_data = data;
	*ret_size = size;
	return 0;
}
