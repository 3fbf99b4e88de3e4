/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * model/picture/series.c and base/numbers/dist.c: bounds, merging, what a trend is and what
 * only looks like one, quantiles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "base/numbers/dist.h"
#include "model/picture/series.h"

#define MS 1000000ull
#define MIB (1ull << 20)

static uint64_t seed = 88172645463325252ull;

static uint64_t rnd(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

/* Whatever is added: spans are in order, hold their values, and never too many. */
static void test_bounds(void **state)
{
	struct xpt_series s = { 0 };
	uint64_t ts = 0, most = 0;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		uint64_t v = rnd(1000);

		ts += rnd(i % 1000 ? 2000 : 1ull << rnd(40));
		xpt_series__add(&s, ts > 5000 ? ts - rnd(5000) : ts, v);
		most = v > most ? v : most;
	}
	assert_true(s.nr > XPT_SERIES_MAX / 4 && s.nr <= XPT_SERIES_MAX);
	assert_true(s.start_ns + s.nr * s.span_ns > s.end_ns);
	for (unsigned i = 0; i < s.nr; i++) {
		assert_true(s.span[i].min <= s.span[i].last && s.span[i].last <= s.span[i].max);
		most -= most && s.span[i].max == most ? most : 0;
	}
	assert_int_equal(most, 0);	/* the largest value survives all merging */
}

/* Values as crafted recordings have them do not leave the range of what is said about them. */
static void test_largest(void **state)
{
	struct xpt_series s = { 0 };
	struct xpt_trend t;

	(void)state;
	for (int i = 0; i < 4000; i++)
		xpt_series__add(&s, (uint64_t)i * MS, i < 2000 ? 0 : UINT64_MAX);
	assert_true(xpt_series__trend(&s, &t));
	assert_true(t.grown == UINT64_MAX);
}

static void test_far_jump(void **state)
{
	struct xpt_series s = { 0 };

	(void)state;
	xpt_series__extend(&s, 7);
	assert_int_equal(s.nr, 0);
	xpt_series__add(&s, 5, 42);
	xpt_series__add(&s, UINT64_MAX / 2, 1);
	assert_true(s.nr <= XPT_SERIES_MAX);
	assert_int_equal(s.span[0].last, 42);
	assert_int_equal(s.span[s.nr - 1].last, 1);
}

static bool grows(struct xpt_series *s, struct xpt_trend *t)
{
	return xpt_series__trend(s, t) && t->z > 3.3 && t->low > 0 && t->grown &&
	       t->rises >= XPT_TREND_PARTS * 3 / 4;
}

/* 1000 rounds that allocate and free 1 GiB; every eighth forgets 1 MiB: 12.5 MiB/s. */
static void test_leak_under_a_sawtooth(void **state)
{
	struct xpt_series s = { 0 };
	struct xpt_trend t;
	uint64_t live = 0;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		xpt_series__add(&s, i * 10 * MS, live + 1024 * MIB);
		live += i % 8 ? 0 : MIB;
		xpt_series__add(&s, i * 10 * MS + 7 * MS, live);
	}
	assert_true(grows(&s, &t));
	assert_true(t.rate > 12 * MIB && t.rate < 13 * MIB);
	assert_true(t.low <= t.rate && t.rate <= t.high && t.high < 14 * MIB);
	assert_true(t.grown > 90 * MIB && t.grown < 97 * MIB);
}

static void test_no_growth(void **state)
{
	struct xpt_series up = { 0 }, noise = { 0 }, back = { 0 }, tiny = { 0 };
	struct xpt_trend t;

	(void)state;
	/* Everything is loaded, then used: it does not go on. */
	for (uint64_t i = 0; i < 1000; i++)
		xpt_series__add(&up, i * MS, (i < 500 ? i : 500) * MIB);
	assert_false(grows(&up, &t));
	for (uint64_t i = 0; i < 5000; i++)
		xpt_series__add(&noise, i * MS, rnd(100) * MIB);
	assert_false(grows(&noise, &t));
	/* What grew is given back in the end. */
	for (uint64_t i = 0; i < 1000; i++)
		xpt_series__add(&back, i * MS, i < 990 ? i * MIB : 0);
	assert_false(grows(&back, &t));
	xpt_series__add(&tiny, 0, 1);
	assert_false(xpt_series__trend(&tiny, &t));
}

static void test_dist(void **state)
{
	struct xpt_dist d = { 0 };

	(void)state;
	assert_int_equal(xpt_dist__quantile(&d, 0.5), 0);
	assert_int_equal(xpt_dist__mean(&d), 0);
	for (uint64_t v = 1; v <= 10000; v++)
		xpt_dist__add(&d, v * 1000);
	for (unsigned p = 1; p < 100; p++) {
		uint64_t want = p * 100000ull, got = xpt_dist__quantile(&d, p / 100.0);

		assert_true(got > want - want / 15 && got < want + want / 15);
	}
	assert_int_equal(xpt_dist__quantile(&d, 1), 10000 * 1000);
	assert_int_equal(xpt_dist__mean(&d), 5000500);
	xpt_dist__add(&d, UINT64_MAX);
	assert_int_equal(d.max, UINT64_MAX);
	assert_true(xpt_dist__quantile(&d, 1) > 1ull << 43);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds), cmocka_unit_test(test_far_jump),
		cmocka_unit_test(test_largest),
		cmocka_unit_test(test_leak_under_a_sawtooth), cmocka_unit_test(test_no_growth),
		cmocka_unit_test(test_dist),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
