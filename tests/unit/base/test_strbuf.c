/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * base/strbuf.h and base/utf8.h: appends are all or nothing at every maximum,
 * JSON strings hold for every byte, UTF-8 is decoded as strictly as it should.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/strbuf.h"
#include "base/utf8.h"

static void test_empty(void **state)
{
	struct xpt_strbuf sb, zeroed = { 0 };

	(void)state;
	xpt_strbuf__init(&sb, 100);
	assert_string_equal(xpt_strbuf__str(&sb), "");
	assert_int_equal(xpt_strbuf__err(&sb), 0);
	xpt_strbuf__add(&sb, "");
	assert_string_equal(xpt_strbuf__str(&sb), "");
	xpt_strbuf__free(&sb);
	xpt_strbuf__free(&sb);
	xpt_strbuf__free(&zeroed);
	xpt_strbuf__free(NULL);
	xpt_strbuf__add(&zeroed, "x");
	assert_int_equal(xpt_strbuf__err(&zeroed), -E2BIG);
}

static void test_append(void **state)
{
	struct xpt_strbuf sb;

	(void)state;
	xpt_strbuf__init(&sb, 1000);
	xpt_strbuf__add(&sb, "ab");
	xpt_strbuf__addc(&sb, 'c');
	xpt_strbuf__addn(&sb, "defgh", 3);
	xpt_strbuf__addf(&sb, "-%d-%s", 42, "x");
	xpt_strbuf__addu64(&sb, 0);
	xpt_strbuf__addc(&sb, ' ');
	xpt_strbuf__addu64(&sb, UINT64_MAX);
	assert_string_equal(xpt_strbuf__str(&sb), "abcdef-42-x0 18446744073709551615");
	assert_int_equal(sb.len, strlen(sb.s));
	xpt_strbuf__reset(&sb);
	assert_string_equal(xpt_strbuf__str(&sb), "");
	xpt_strbuf__addu64(&sb, 1234567890);
	assert_string_equal(xpt_strbuf__str(&sb), "1234567890");
	xpt_strbuf__free(&sb);
}

/* One buffer of each maximum: exact fit is fine, one more changes nothing. */
static void test_maximum(void **state)
{
	struct xpt_strbuf sb;
	char text[200];
	size_t max;

	(void)state;
	memset(text, 'x', sizeof(text));
	for (max = 0; max < 150; max++) {
		xpt_strbuf__init(&sb, max);
		xpt_strbuf__addn(&sb, text, max);
		assert_int_equal(xpt_strbuf__err(&sb), 0);
		assert_int_equal(strlen(xpt_strbuf__str(&sb)), max);
		xpt_strbuf__addc(&sb, 'y');
		assert_int_equal(xpt_strbuf__err(&sb), -E2BIG);
		assert_int_equal(strlen(xpt_strbuf__str(&sb)), max);
		xpt_strbuf__reset(&sb);
		assert_int_equal(xpt_strbuf__err(&sb), 0);
		xpt_strbuf__addf(&sb, "%.*s", (int)max + 1, text);
		assert_int_equal(xpt_strbuf__err(&sb), -E2BIG);
		xpt_strbuf__add(&sb, "");	/* after an error nothing is added */
		assert_int_equal(sb.len, 0);
		xpt_strbuf__free(&sb);
	}
}

static void test_grows(void **state)
{
	struct xpt_strbuf sb;
	char number[16];
	const char *at;
	unsigned i;

	(void)state;
	xpt_strbuf__init(&sb, 1 << 20);
	for (i = 0; i < 100000; i++) {
		xpt_strbuf__addu64(&sb, i);
		xpt_strbuf__addc(&sb, ' ');
	}
	assert_int_equal(xpt_strbuf__err(&sb), 0);
	for (i = 0, at = sb.s; i < 100000; i++) {
		snprintf(number, sizeof(number), "%u ", i);
		assert_memory_equal(at, number, strlen(number));
		at += strlen(number);
	}
	assert_int_equal(*at, '\0');
	xpt_strbuf__free(&sb);
}

static void expect_json(const char *in, const char *out)
{
	struct xpt_strbuf sb;
	size_t max, len = strlen(out);

	xpt_strbuf__init(&sb, len);
	xpt_strbuf__add_json(&sb, in);
	assert_string_equal(xpt_strbuf__str(&sb), out);
	xpt_strbuf__free(&sb);
	for (max = 0; max < len; max++) {	/* too small by any amount: nothing */
		xpt_strbuf__init(&sb, max);
		xpt_strbuf__add_json(&sb, in);
		assert_int_equal(xpt_strbuf__err(&sb), -E2BIG);
		assert_string_equal(xpt_strbuf__str(&sb), "");
		xpt_strbuf__free(&sb);
	}
}

#define BAD "\xef\xbf\xbd"

static void test_json(void **state)
{
	(void)state;
	expect_json("", "\"\"");
	expect_json("cuMemAlloc_v2", "\"cuMemAlloc_v2\"");
	expect_json("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
	expect_json("\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"");
	expect_json("\x01\x1f\x7f", "\"\\u0001\\u001f\\u007f\"");
	/* What a terminal obeys to: C1 controls, directions, what has no width. */
	expect_json("a\xc2\x9b" "2Jb", "\"a\\u009b2Jb\"");
	expect_json("\xe2\x80\xaegpj.exe\xe2\x81\xa6", "\"\\u202egpj.exe\\u2066\"");
	expect_json("\xef\xbb\xbf\xc2\xad\xf3\xa0\x80\x81x", "\"\\ufeff\\u00ad\\udb40\\udc01x\"");
	expect_json("\xc2\xa0\xef\xbf\xbd", "\"\xc2\xa0\xef\xbf\xbd\"");
	expect_json("h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\"h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"");
	expect_json("\xff", "\"" BAD "\"");
	expect_json("a\x80z", "\"a" BAD "z\"");
	expect_json("\xc3", "\"" BAD "\"");			/* cut at the end */
	expect_json("\xe2\x82", "\"" BAD BAD "\"");
	expect_json("\xc3\"", "\"" BAD "\\\"\"");		/* must not swallow the quote */
	expect_json("\xc0\xaf", "\"" BAD BAD "\"");		/* overlong / */
	expect_json("\xed\xa0\x80", "\"" BAD BAD BAD "\"");	/* surrogate */
	expect_json("\xf4\x90\x80\x80", "\"" BAD BAD BAD BAD "\"");	/* U+110000 */
}

/* Each byte value on its own becomes what JSON allows. */
static void test_json_every_byte(void **state)
{
	struct xpt_strbuf sb;
	char in[2] = "", want[16];
	unsigned c;

	(void)state;
	xpt_strbuf__init(&sb, 100);
	for (c = 1; c < 256; c++) {
		in[0] = (char)c;
		xpt_strbuf__reset(&sb);
		xpt_strbuf__add_json(&sb, in);
		if (strchr("\b\f\n\r\t\"\\", (int)c)) {
			assert_int_equal(sb.len, 4);
			assert_int_equal(sb.s[1], '\\');
			continue;
		}
		if (c < 0x20 || c == 0x7f)
			snprintf(want, sizeof(want), "\"\\u%04x\"", c);
		else
			snprintf(want, sizeof(want), "\"%s\"", c < 0x80 ? in : BAD);
		assert_string_equal(xpt_strbuf__str(&sb), want);
	}
	xpt_strbuf__free(&sb);
}

/* A failed append in the middle keeps what was there before. */
static void test_json_rolls_back(void **state)
{
	struct xpt_strbuf sb;

	(void)state;
	xpt_strbuf__init(&sb, 10);
	xpt_strbuf__add(&sb, "{\"k\":");
	xpt_strbuf__add_json(&sb, "four\n");
	assert_int_equal(xpt_strbuf__err(&sb), -E2BIG);
	assert_string_equal(xpt_strbuf__str(&sb), "{\"k\":");
	assert_int_equal(sb.len, 5);
	xpt_strbuf__free(&sb);
}

/* Writes cp as UTF-8 by the definition; for every code point it must come back. */
static size_t encode(uint32_t cp, char *s)
{
	if (cp < 0x80) {
		s[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		s[0] = (char)(0xc0 | cp >> 6);
		s[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		s[0] = (char)(0xe0 | cp >> 12);
		s[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		s[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	s[0] = (char)(0xf0 | cp >> 18);
	s[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	s[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	s[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

static void test_utf8_every_code_point(void **state)
{
	uint32_t cp, back;
	char s[4];
	size_t n, want;

	(void)state;
	for (cp = 0; cp < 0x120000; cp++) {
		n = encode(cp, s);
		want = cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000) ? 0 : n;
		back = 0;
		if (xpt_utf8__decode(s, n, &back) != want || (want && back != cp))
			fail_msg("U+%x", cp);
		if (xpt_utf8__decode(s, n - 1, &back))
			fail_msg("U+%x cut short", cp);
	}
}

static void test_utf8_overlong(void **state)
{
	uint32_t cp;

	(void)state;
	assert_int_equal(xpt_utf8__decode("\xc0\x80", 2, &cp), 0);
	assert_int_equal(xpt_utf8__decode("\xc1\xbf", 2, &cp), 0);
	assert_int_equal(xpt_utf8__decode("\xe0\x9f\xbf", 3, &cp), 0);
	assert_int_equal(xpt_utf8__decode("\xf0\x8f\xbf\xbf", 4, &cp), 0);
	assert_int_equal(xpt_utf8__decode("\xf5\x80\x80\x80", 4, &cp), 0);
	assert_int_equal(xpt_utf8__decode("\xc3\xc3", 2, &cp), 0);
	assert_int_equal(xpt_utf8__decode("\x80", 1, &cp), 0);
	assert_int_equal(xpt_utf8__decode("", 0, &cp), 0);
}

static void test_fixed(void **state)
{
	static const struct {
		unsigned long long v;
		unsigned digits;
		const char *want;
	} cases[] = {
		{ 0, 3, "0.000" }, { 7, 3, "0.007" }, { 12000345678, 9, "12.000345678" },
		{ 18446744073709551615ull, 1, "1844674407370955161.5" },
		{ 5, 99, "0.00000000000000000005" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xpt_strbuf sb;

		xpt_strbuf__init(&sb, 100);
		xpt_strbuf__add_fixed(&sb, cases[i].v, cases[i].digits);
		assert_string_equal(xpt_strbuf__str(&sb), cases[i].want);
		xpt_strbuf__free(&sb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixed),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_append),
		cmocka_unit_test(test_maximum),
		cmocka_unit_test(test_grows),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_every_byte),
		cmocka_unit_test(test_json_rolls_back),
		cmocka_unit_test(test_utf8_every_code_point),
		cmocka_unit_test(test_utf8_overlong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
