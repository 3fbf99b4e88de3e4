/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Protocol buffers, see pb.h. Nearly all messages are shorter than 128 bytes:
 * their length takes the one byte that was kept for it; longer ones are moved.
 */
#include "base/formats/pb.h"

#include <string.h>
#include "base/utf8.h"

enum wire_type { VARINT = 0, FIXED64 = 1, LEN = 2 };

static size_t put_varint(unsigned char *buf, uint64_t v)
{
	size_t n = 0;

	while (v >= 0x80) {
		buf[n++] = (unsigned char)(v | 0x80);
		v >>= 7;
	}
	buf[n++] = (unsigned char)v;
	return n;
}

static size_t put_tag(unsigned char *buf, unsigned field, enum wire_type type)
{
	return put_varint(buf, (uint64_t)field << 3 | type);
}

void xpt_pb__u64(struct xpt_strbuf *sb, unsigned field, uint64_t v)
{
	unsigned char buf[20];
	size_t n = put_tag(buf, field, VARINT);

	n += put_varint(buf + n, v);
	xpt_strbuf__addn(sb, buf, n);
}

void xpt_pb__fixed64(struct xpt_strbuf *sb, unsigned field, uint64_t v)
{
	unsigned char buf[20];
	size_t n = put_tag(buf, field, FIXED64);

	for (int i = 0; i < 8; i++)
		buf[n++] = (unsigned char)(v >> 8 * i);
	xpt_strbuf__addn(sb, buf, n);
}

void xpt_pb__double(struct xpt_strbuf *sb, unsigned field, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	xpt_pb__fixed64(sb, field, bits);
}

void xpt_pb__bytes(struct xpt_strbuf *sb, unsigned field, const void *data, size_t n)
{
	unsigned char buf[20];
	size_t k = put_tag(buf, field, LEN);

	k += put_varint(buf + k, n);
	xpt_strbuf__addn(sb, buf, k);
	xpt_strbuf__addn(sb, data, n);
}

void xpt_pb__str(struct xpt_strbuf *sb, unsigned field, const char *s)
{
	size_t len = strlen(s), at = 0, bad = 0, mark, n;
	uint32_t cp;

	while (at < len && (n = xpt_utf8__decode(s + at, len - at, &cp)) > 0 &&
	       at + n <= XPT_PB_STR_MAX)
		at += n;
	if (at == len) {
		xpt_pb__bytes(sb, field, s, len);
		return;
	}
	mark = xpt_pb__begin(sb, field);
	for (at = 0; at < len && at + 2 * bad < XPT_PB_STR_MAX - 4; at += n) {
		n = xpt_utf8__decode(s + at, len - at, &cp);
		if (n)
			xpt_strbuf__addn(sb, s + at, n);
		else
			xpt_strbuf__add(sb, "\xef\xbf\xbd");
		bad += !n;
		n += !n;
	}
	xpt_pb__end(sb, mark);
}

size_t xpt_pb__begin(struct xpt_strbuf *sb, unsigned field)
{
	unsigned char buf[20];
	size_t n = put_tag(buf, field, LEN);

	buf[n++] = 0;
	xpt_strbuf__addn(sb, buf, n);
	return sb->len;
}

void xpt_pb__end(struct xpt_strbuf *sb, size_t mark)
{
	unsigned char buf[10];
	size_t len = sb->len - mark, n = put_varint(buf, len);

	if (xpt_strbuf__err(sb))
		return;
	if (n > 1) {
		xpt_strbuf__addn(sb, buf, n - 1);	/* room; the bytes come below */
		if (xpt_strbuf__err(sb))
			return;
		memmove(sb->s + mark + n - 1, sb->s + mark, len);
	}
	memcpy(sb->s + mark - 1, buf, n);
}
