/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * base/fmt.h: where a unit ends and the next begins, the width of 9 for any
 * value, order kept by rounding; columns of text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/fmt.h"

typedef char *(*fmt_fn)(uint64_t v, char *buf, size_t n);

struct text {
	uint64_t v;
	const char *s;
};

static void check(fmt_fn fmt, const struct text *cases, size_t nr)
{
	char buf[32];
	size_t i;

	for (i = 0; i < nr; i++) {
		assert_ptr_equal(fmt(cases[i].v, buf, sizeof(buf)), buf);
		assert_string_equal(buf, cases[i].s);
	}
}

#define CHECK(fmt, cases) check(fmt, cases, sizeof(cases) / sizeof(*(cases)))
#define KIB 1024ull
#define MIB (KIB * KIB)
#define S 1000000000ull

static void test_bytes(void **state)
{
	static const struct text cases[] = {
		{ 0, "0 B" }, { 512, "512 B" }, { 1023, "1023 B" }, { 1024, "1.0 KiB" },
		{ 1536, "1.5 KiB" }, { 10 * KIB, "10.0 KiB" },
		{ 999 * KIB + 972, "999.9 KiB" },	/* 999.949 */
		{ 999 * KIB + 973, "1000 KiB" },	/* 999.9502: not 1000.0 */
		{ 1000 * KIB, "1000 KiB" }, { 1023 * KIB, "1023 KiB" },
		{ 1023 * KIB + 511, "1023 KiB" }, { 1023 * KIB + 512, "1.0 MiB" },
		{ MIB - 1, "1.0 MiB" }, { MIB, "1.0 MiB" }, { 1536 * MIB, "1.5 GiB" },
		{ KIB * MIB - 1, "1.0 GiB" }, { MIB * MIB, "1.0 TiB" }, { KIB * MIB * MIB, "1.0 PiB" },
		{ MIB * MIB * MIB, "1.0 EiB" }, { UINT64_MAX, "16.0 EiB" },
	};

	(void)state;
	CHECK(xpt_fmt_bytes, cases);
}

static void test_ns(void **state)
{
	static const struct text cases[] = {
		{ 0, "0 ns" }, { 480, "480 ns" }, { 999, "999 ns" }, { 1000, "1.00 us" },
		{ 9994, "9.99 us" }, { 9995, "10.0 us" }, { 12345, "12.3 us" },
		{ 99949, "99.9 us" }, { 99950, "100 us" }, { 999499, "999 us" },
		{ 999500, "1.00 ms" }, { 999950, "1.00 ms" }, { 4560000, "4.56 ms" },
		{ 999499999, "999 ms" }, { 999500000, "1.00 s" }, { 1230000000, "1.23 s" },
		{ 59949999999ull, "59.9 s" }, { 59950000000ull, "1m00s" }, { 60 * S, "1m00s" },
		{ 125 * S, "2m05s" }, { 3599 * S, "59m59s" }, { 3599 * S + S / 2, "1h00m" },
		{ 3600 * S, "1h00m" }, { 7380 * S, "2h03m" }, { 359940 * S, "99h59m" },
		{ 359970 * S, "4d04h" }, { 360000 * S, "4d04h" }, { 86400 * S * 999, "999d00h" },
		{ 86400 * S * 1000, "1000d" }, { UINT64_MAX, "213503d" },
	};

	(void)state;
	CHECK(xpt_fmt_ns, cases);
}

static void test_count(void **state)
{
	static const struct text cases[] = {
		{ 0, "0" }, { 7, "7" }, { 999, "999" }, { 1000, "1,000" }, { 1005, "1,005" },
		{ 999999, "999,999" }, { 1000000, "1,000,000" }, { 1234567, "1,234,567" },
		{ 9999999, "9,999,999" }, { 10000000, "10.0 M" }, { 12345678, "12.3 M" },
		{ 99949999, "99.9 M" }, { 99950000, "100 M" }, { 999499999, "999 M" },
		{ 999500000, "1.00 G" }, { 999950000, "1.00 G" }, { 1230000000, "1.23 G" },
		{ 999500000000ull, "1.00 T" }, { UINT64_MAX, "18.4 E" },
	};

	(void)state;
	CHECK(xpt_fmt_count, cases);
}

/* Around every power of 2 and of 10, and multiples of them. */
static void test_width(void **state)
{
	static const fmt_fn fmts[] = { xpt_fmt_bytes, xpt_fmt_ns, xpt_fmt_count };
	uint64_t v, base, power;
	unsigned f, d, m;
	char buf[32];

	(void)state;
	for (base = 2; base <= 10; base += 8) {
		for (power = 1; power <= UINT64_MAX / base; power *= base) {
			for (m = 1; m < 2000; m++) {
				for (d = 0; d < 3; d++) {
					v = power * m / 2 + d - 1;
					for (f = 0; f < 3; f++) {
						fmts[f](v, buf, sizeof(buf));
						if (strlen(buf) > 9 || strstr(buf, "1000.0"))
							fail_msg("%llu: %s", (unsigned long long)v, buf);
					}
				}
			}
		}
	}
}

static void test_small_buffer(void **state)
{
	static const fmt_fn fmts[] = { xpt_fmt_bytes, xpt_fmt_ns, xpt_fmt_count };
	char buf[8];
	size_t f, n;

	(void)state;
	for (f = 0; f < 3; f++) {
		for (n = 1; n < sizeof(buf); n++) {
			memset(buf, 'z', sizeof(buf));
			fmts[f](UINT64_MAX, buf, n);
			assert_true(memchr(buf, '\0', n));
			assert_int_equal(buf[n], 'z');
		}
	}
}

static void test_columns(void **state)
{
	(void)state;
	assert_int_equal(xpt_fmt_columns(""), 0);
	assert_int_equal(xpt_fmt_columns("abc"), 3);
	assert_int_equal(xpt_fmt_columns("h\xc3\xa9llo"), 5);
	assert_int_equal(xpt_fmt_columns("e\xcc\x81"), 1);	/* combining accent */
	assert_int_equal(xpt_fmt_columns("\xe4\xb8\xad\xe6\x96\x87"), 4);	/* wide */
	assert_int_equal(xpt_fmt_columns("a\xff\x80z"), 4);	/* bad bytes */
	assert_int_equal(xpt_fmt_columns("\xe4\xb8"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_ns),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_small_buffer),
		cmocka_unit_test(test_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
