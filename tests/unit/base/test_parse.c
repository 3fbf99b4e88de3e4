/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * base/parse.h: numbers at their limits, units, shell patterns against a
 * plain recursive matcher, edit distance. Outputs stay untouched on failure.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/parse.h"

struct number {
	const char *s;
	int err;
	uint64_t v;
};

typedef int (*parse_fn)(const char *s, uint64_t min, uint64_t max, uint64_t *ret_v);

static void check(parse_fn parse, const struct number *cases, size_t nr)
{
	uint64_t v;
	size_t i;
	int err;

	for (i = 0; i < nr; i++) {
		v = 4711;
		err = parse(cases[i].s, 0, UINT64_MAX, &v);
		if (err != cases[i].err || v != (err ? 4711 : cases[i].v))
			fail_msg("\"%s\": %d, %llu", cases[i].s, err, (unsigned long long)v);
	}
}

#define CHECK(parse, cases) check(parse, cases, sizeof(cases) / sizeof(*(cases)))

static void test_u64(void **state)
{
	static const struct number cases[] = {
		{ "0", 0, 0 }, { "12", 0, 12 }, { "007", 0, 7 }, { "0x1f", 0, 31 }, { "0XfF", 0, 255 },
		{ "18446744073709551615", 0, UINT64_MAX }, { "0xffffffffffffffff", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 }, { "0x10000000000000000", -ERANGE, 0 },
		{ "99999999999999999999999999", -ERANGE, 0 },
		{ "99999999999999999999999999x", -EINVAL, 0 },
		{ "", -EINVAL, 0 }, { "0x", -EINVAL, 0 }, { "-1", -EINVAL, 0 }, { "+1", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 }, { "1 ", -EINVAL, 0 }, { "12x", -EINVAL, 0 }, { "1f", -EINVAL, 0 },
		{ "1.0", -EINVAL, 0 }, { "x", -EINVAL, 0 }, { "0x-1", -EINVAL, 0 },
	};
	uint64_t v = 4711;

	(void)state;
	CHECK(xpt_parse_u64, cases);
	assert_int_equal(xpt_parse_u64("9", 10, 20, &v), -ERANGE);
	assert_int_equal(xpt_parse_u64("21", 10, 20, &v), -ERANGE);
	assert_int_equal(v, 4711);
	assert_int_equal(xpt_parse_u64("20", 10, 20, &v), 0);
	assert_int_equal(v, 20);
}

static void test_i64(void **state)
{
	int64_t v = 4711;

	(void)state;
	assert_int_equal(xpt_parse_i64("-9223372036854775808", INT64_MIN, INT64_MAX, &v), 0);
	assert_true(v == INT64_MIN);
	assert_int_equal(xpt_parse_i64("9223372036854775807", INT64_MIN, INT64_MAX, &v), 0);
	assert_true(v == INT64_MAX);
	assert_int_equal(xpt_parse_i64("-0x10", INT64_MIN, INT64_MAX, &v), 0);
	assert_int_equal(v, -16);
	v = 4711;
	assert_int_equal(xpt_parse_i64("-9223372036854775809", INT64_MIN, INT64_MAX, &v), -ERANGE);
	assert_int_equal(xpt_parse_i64("9223372036854775808", INT64_MIN, INT64_MAX, &v), -ERANGE);
	assert_int_equal(xpt_parse_i64("-6", -5, 5, &v), -ERANGE);
	assert_int_equal(xpt_parse_i64("6", -5, 5, &v), -ERANGE);
	assert_int_equal(xpt_parse_i64("--1", -5, 5, &v), -EINVAL);
	assert_int_equal(xpt_parse_i64("-", -5, 5, &v), -EINVAL);
	assert_int_equal(xpt_parse_i64("", -5, 5, &v), -EINVAL);
	assert_int_equal(v, 4711);
}

static void test_size(void **state)
{
	static const struct number cases[] = {
		{ "4096", 0, 4096 }, { "0", 0, 0 }, { "7B", 0, 7 }, { "64K", 0, 65536 },
		{ "64k", 0, 65536 }, { "1.5M", 0, 1572864 }, { "2GiB", 0, 2147483648ull },
		{ "2gib", 0, 2147483648ull }, { "1g", 0, 1073741824 }, { "3TB", 0, 3298534883328ull },
		{ "0.5K", 0, 512 }, { "1.3K", 0, 1331 }, { "2.0", 0, 2 }, { "15E", 0, 15ull << 60 },
		{ "15.999999999999999999E", 0, 18446744073709551614ull },
		{ "0.00000000000000000000000000001E", 0, 0 },
		{ "16E", -ERANGE, 0 }, { "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 }, { "18446744073709551615K", -ERANGE, 0 },
		{ "", -EINVAL, 0 }, { "K", -EINVAL, 0 }, { "1.K", -EINVAL, 0 }, { ".5K", -EINVAL, 0 },
		{ "1.5", -EINVAL, 0 }, { "1.5B", -EINVAL, 0 }, { "1 K", -EINVAL, 0 },
		{ "-1K", -EINVAL, 0 }, { "1KK", -EINVAL, 0 }, { "1Kib ", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 }, { "1X", -EINVAL, 0 }, { "1.5.5K", -EINVAL, 0 },
		{ "99999999999999999999999X", -EINVAL, 0 },
	};
	uint64_t v = 4711;

	(void)state;
	CHECK(xpt_parse_size, cases);
	assert_int_equal(xpt_parse_size("1K", 1025, 4096, &v), -ERANGE);
	assert_int_equal(xpt_parse_size("4097", 1025, 4096, &v), -ERANGE);
	assert_int_equal(v, 4711);
}

static void test_duration(void **state)
{
	static const struct number cases[] = {
		{ "5", 0, 5000000000ull }, { "5s", 0, 5000000000ull }, { "0.25", 0, 250000000 },
		{ "100ms", 0, 100000000 }, { "20us", 0, 20000 }, { "20\xc2\xb5s", 0, 20000 },
		{ "7ns", 0, 7 }, { "2m", 0, 120000000000ull }, { "2min", 0, 120000000000ull },
		{ "1h", 0, 3600000000000ull }, { "1.5h", 0, 5400000000000ull }, { "0", 0, 0 },
		{ "18446744073709551615ns", 0, UINT64_MAX }, { "18446744074", -ERANGE, 0 },
		{ "5124096h", -ERANGE, 0 }, { "0.5ns", -EINVAL, 0 }, { "1d", -EINVAL, 0 },
		{ "", -EINVAL, 0 }, { "s", -EINVAL, 0 }, { "-1s", -EINVAL, 0 }, { "1 s", -EINVAL, 0 },
		{ "1sec", -EINVAL, 0 }, { "1.s", -EINVAL, 0 },
	};

	(void)state;
	CHECK(xpt_parse_duration, cases);
}

static void test_rate_and_share(void **state)
{
	static const struct number rates[] = {
		{ "100", 0, 100 }, { "100/s", 0, 100 }, { "5K/s", 0, 5000 }, { "1.5m", 0, 1500000 },
		{ "0.5/s", -EINVAL, 0 }, { "/s", -EINVAL, 0 }, { "5/m", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 }, { "18446744073709551616", -ERANGE, 0 },
	};
	static const struct number shares[] = {
		{ "1%", 0, 10000 }, { "0.5%", 0, 5000 }, { "100%", 0, 1000000 }, { "0%", 0, 0 },
		{ "0.00001%", 0, 0 }, { "1", -EINVAL, 0 }, { "%", -EINVAL, 0 }, { "1%%", -EINVAL, 0 },
	};

	(void)state;
	CHECK(xpt_parse_rate, rates);
	CHECK(xpt_parse_share, shares);
}

static void test_glob(void **state)
{
	(void)state;
	assert_true(xpt_glob_match("", ""));
	assert_true(xpt_glob_match("*", ""));
	assert_true(xpt_glob_match("**", "x"));
	assert_true(xpt_glob_match("cuMem*", "cuMemAlloc_v2"));
	assert_true(xpt_glob_match("*_v2", "cuMemAlloc_v2"));
	assert_true(xpt_glob_match("cu?emAlloc*", "cuMemAlloc"));
	assert_true(xpt_glob_match("libcuda.so*", "libcuda.so.1"));
	assert_true(xpt_glob_match("*a*b", "aXaXb"));
	assert_true(xpt_glob_match("a\\b[", "a\\b["));
	assert_false(xpt_glob_match("", "x"));
	assert_false(xpt_glob_match("?", ""));
	assert_false(xpt_glob_match("cuMem", "cuMemAlloc"));
	assert_false(xpt_glob_match("cuMemAlloc", "cuMem"));
	assert_false(xpt_glob_match("*a?", "bab1c"));
	assert_false(xpt_glob_match("[a]", "a"));
}

static int matches_slowly(const char *p, const char *s)
{
	if (!*p)
		return !*s;
	if (*p == '*')
		return matches_slowly(p + 1, s) || (*s && matches_slowly(p, s + 1));
	return *s && (*p == '?' || *p == *s) && matches_slowly(p + 1, s + 1);
}

/* Every pattern of up to 5 and text of up to 5 characters over small alphabets. */
static void test_name(void **state)
{
	(void)state;
	assert_true(xpt_name_match("cu[A-Z]*", "cuInit"));
	assert_false(xpt_name_match("cu[A-Z]*", "cudbgInit"));
	assert_true(xpt_name_match("*[x0-9]", "ab7"));
	assert_true(xpt_name_match("*[x0-9]", "abx"));
	assert_false(xpt_name_match("*[x0-9]", "ab-"));
	assert_true(xpt_name_match("*[a-]b", "x-b"));
	assert_false(xpt_name_match("[ab]", ""));
	assert_false(xpt_name_match("a[", "ab"));
	assert_true(xpt_name_match("a[]", "a[]"));
	assert_true(xpt_name_match("a[]]", "a]"));
	assert_true(xpt_name_match("a*", "abc"));
	assert_false(xpt_name_match("a?", "a"));
}

static void test_glob_all_short(void **state)
{
	char pattern[6], text[6];
	unsigned p, t, x, i;

	(void)state;
	for (p = 0; p < 5 * 5 * 5 * 5 * 5; p++) {
		for (x = p, i = 0; i < 5; i++, x /= 5)
			pattern[i] = "\0*?ab"[x % 5];
		pattern[5] = '\0';
		for (t = 0; t < 3 * 3 * 3 * 3 * 3; t++) {
			for (x = t, i = 0; i < 5; i++, x /= 3)
				text[i] = "\0ab"[x % 3];
			text[5] = '\0';
			if (xpt_glob_match(pattern, text) != !!matches_slowly(pattern, text))
				fail_msg("\"%s\" on \"%s\"", pattern, text);
		}
	}
}

/* 2^n for a matcher that backtracks over every star: it would never return. */
static void test_glob_many_stars(void **state)
{
	char pattern[201], text[2001];
	size_t i;

	(void)state;
	for (i = 0; i < 198; i += 2) {
		pattern[i] = '*';
		pattern[i + 1] = 'a';
	}
	pattern[198] = 'b';
	pattern[199] = '\0';
	memset(text, 'a', 2000);
	text[2000] = '\0';
	assert_false(xpt_glob_match(pattern, text));
	text[1999] = 'b';
	assert_true(xpt_glob_match(pattern, text));
}

static void test_edit_distance(void **state)
{
	char a[200], b[200];

	(void)state;
	assert_int_equal(xpt_edit_distance("", ""), 0);
	assert_int_equal(xpt_edit_distance("abc", ""), 3);
	assert_int_equal(xpt_edit_distance("", "abc"), 3);
	assert_int_equal(xpt_edit_distance("kitten", "sitting"), 3);
	assert_int_equal(xpt_edit_distance("cuMemAloc", "cuMemAlloc"), 1);
	assert_int_equal(xpt_edit_distance("abcd", "acbd"), 2);
	memset(a, 'a', sizeof(a) - 1);
	memset(b, 'b', sizeof(b) - 1);
	a[sizeof(a) - 1] = b[sizeof(b) - 1] = '\0';
	assert_int_equal(xpt_edit_distance(a, b), 64);
	assert_int_equal(xpt_edit_distance(a, ""), 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_u64),
		cmocka_unit_test(test_i64),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_rate_and_share),
		cmocka_unit_test(test_glob),
		cmocka_unit_test(test_name),
		cmocka_unit_test(test_glob_all_short),
		cmocka_unit_test(test_glob_many_stars),
		cmocka_unit_test(test_edit_distance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
