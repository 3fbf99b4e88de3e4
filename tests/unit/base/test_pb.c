/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The writing half of protocol buffers against bytes of the specification: tags,
 * varints, lengths of one, two and three bytes in nested messages, text that is not
 * UTF-8, a full buffer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/formats/pb.h"

static void expect(struct xpt_strbuf *sb, const char *bytes, size_t n)
{
	assert_int_equal(xpt_strbuf__err(sb), 0);
	assert_int_equal(sb->len, n);
	assert_memory_equal(sb->s, bytes, n);
	xpt_strbuf__free(sb);
}

static void test_scalars(void **state)
{
	struct xpt_strbuf sb;

	(void)state;
	xpt_strbuf__init(&sb, 1000);
	xpt_pb__u64(&sb, 1, 150);
	xpt_pb__u64(&sb, 16, 0);
	xpt_pb__u64(&sb, 2, UINT64_MAX);
	xpt_pb__fixed64(&sb, 47, 0x0102030405060708);
	xpt_pb__double(&sb, 5, 1.0);
	xpt_pb__str(&sb, 2, "testing");
	expect(&sb, "\x08\x96\x01" "\x80\x01\x00" "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
	       "\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01" "\x29\0\0\0\0\0\0\xf0\x3f"
	       "\x12\x07testing", 3 + 3 + 11 + 10 + 9 + 9);
}

static void test_nested(void **state)
{
	size_t sizes[] = { 0, 1, 125, 126, 127, 128, 16380, 16384, 40000 };
	static char zeros[40000];
	struct xpt_strbuf sb;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t outer, inner, at = 1, len = 0, shift = 0, n = sizes[i];

		xpt_strbuf__init(&sb, 100000);
		outer = xpt_pb__begin(&sb, 1);
		inner = xpt_pb__begin(&sb, 3);
		xpt_strbuf__addn(&sb, zeros, n);
		xpt_pb__end(&sb, inner);
		xpt_pb__u64(&sb, 2, 7);
		xpt_pb__end(&sb, outer);
		assert_int_equal(sb.s[0], 10);
		do
			len |= (size_t)(sb.s[at] & 127) << shift, shift += 7;
		while (sb.s[at++] & 128);
		assert_int_equal(at + len, sb.len);
		assert_int_equal(sb.s[at++], 26);
		for (len = shift = 0;; at++, shift += 7) {
			len |= (size_t)(sb.s[at] & 127) << shift;
			if (!(sb.s[at] & 128))
				break;
		}
		assert_int_equal(len, n);
		assert_memory_equal(sb.s + at + 1 + n, "\x10\x07", 2);
		assert_int_equal(at + 1 + n + 2, sb.len);
		xpt_strbuf__free(&sb);
	}
}

static void test_text(void **state)
{
	char big[3 * XPT_PB_STR_MAX];
	struct xpt_strbuf sb;

	(void)state;
	xpt_strbuf__init(&sb, 100000);
	xpt_pb__str(&sb, 1, "a\xff\xc3\xa9");
	expect(&sb, "\x0a\x06" "a\xef\xbf\xbd\xc3\xa9", 8);
	for (int bad = 0; bad < 2; bad++) {
		memset(big, bad ? 0xff : 'x', sizeof(big) - 1);
		big[sizeof(big) - 1] = '\0';
		xpt_pb__str(&sb, 1, big);
		assert_in_range(sb.len, XPT_PB_STR_MAX / 2, XPT_PB_STR_MAX + 4);
		assert_int_equal((sb.s[1] & 127) | (sb.s[2] & 127) << 7, sb.len - 3);
		xpt_strbuf__free(&sb);
	}
}

static void test_full(void **state)
{
	struct xpt_strbuf sb;
	size_t mark;

	(void)state;
	xpt_strbuf__init(&sb, 10);
	mark = xpt_pb__begin(&sb, 1);
	for (int i = 0; i < 20; i++)
		xpt_pb__u64(&sb, 1, 1);
	xpt_pb__end(&sb, mark);
	assert_int_not_equal(xpt_strbuf__err(&sb), 0);
	assert_true(sb.len <= 10);
	xpt_strbuf__free(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scalars), cmocka_unit_test(test_nested),
		cmocka_unit_test(test_text), cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
