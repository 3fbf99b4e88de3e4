/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* engine/cost/call_cost.h: from rounds of a made-up machine to what a call costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "engine/cost/call_cost.h"

#define NR 40

static const uint32_t calls[XPT_COST__KINDS] = { 40, 10, 10, 5 };
static struct xpt_cost_round rounds[NR];
static struct xpt_call_cost cost;
static const char *why;
static uint32_t seed = 1;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

/* Rounds on a machine on which a call costs that much; up to noise ns more or less a chunk. */
static void fill(const uint32_t ns[XPT_COST__KINDS][XPT_COST__MAX], uint32_t noise)
{
	for (int i = 0; i < NR; i++)
		for (int kind = 0; kind < XPT_COST__KINDS; kind++) {
			struct xpt_cost_chunk *c = &rounds[i].kind[kind];

			c->untraced = 500 + calls[kind] * 2;
			for (int how = 0; how < XPT_COST__MAX; how++)
				c->traced[how] = c->untraced + calls[kind] * ns[kind][how] + noise / 2 -
						 (noise ? random_below(noise) : 0);
		}
}

static const uint32_t usual[XPT_COST__KINDS][XPT_COST__MAX] = {
	{ 1400, 1350 }, { 10000, 9900 }, { 10500, 10400 }, { 19000, 18800 },
};

static bool find(uint32_t nr)
{
	return xpt_call_cost__find(rounds, nr, calls, &cost, &why);
}

static void test_exact(void **state)
{
	(void)state;
	fill(usual, 0);
	assert_true(find(NR));
	for (int kind = 0; kind < XPT_COST__KINDS; kind++)
		for (int how = 0; how < XPT_COST__MAX; how++) {
			assert_int_equal(cost.v[kind][how].ns, usual[kind][how]);
			assert_int_equal(cost.v[kind][how].low, usual[kind][how]);
			assert_int_equal(cost.v[kind][how].high, usual[kind][how]);
		}
	assert_null(why);
}

/* A tenth of the chunks is hit by something that takes a thousand times as long. */
static void test_outliers(void **state)
{
	(void)state;
	fill(usual, 4000);
	for (int i = 0; i < NR; i += 10) {
		rounds[i].kind[0].traced[0] += 50000000;
		rounds[i + 1].kind[0].untraced += 50000000;	/* a difference below zero */
		rounds[i + 2].kind[1].traced[1] += 50000000;
	}
	assert_true(find(NR));
	assert_in_range(cost.v[0][0].ns, 1350, 1450);
	assert_in_range(cost.v[1][1].ns, 9700, 10100);
	assert_true(cost.v[0][0].low <= cost.v[0][0].ns && cost.v[0][0].ns <= cost.v[0][0].high);
	assert_true(cost.v[0][0].high < 1500);
}

/* The machine was busy for half of the time, and everything cost five times as much. */
static void test_spread(void **state)
{
	static const uint32_t busy[XPT_COST__KINDS][XPT_COST__MAX] = {
		{ 7000, 6800 }, { 24000, 23000 }, { 25000, 24500 }, { 42000, 41000 },
	};
	struct xpt_cost_round half[NR / 2];

	(void)state;
	fill(usual, 0);
	memcpy(half, rounds, sizeof(half));
	fill(busy, 0);
	memcpy(rounds, half, sizeof(half));
	assert_true(find(NR));
	assert_int_equal(cost.v[0][0].low, 1400);
	assert_int_equal(cost.v[0][0].high, 7000);
}

static void expect_unknown(const char *reason)
{
	assert_false(find(NR));
	assert_non_null(strstr(why, reason));
	for (int kind = 0; kind < XPT_COST__KINDS; kind++)
		for (int how = 0; how < XPT_COST__MAX; how++)
			assert_int_equal(cost.v[kind][how].ns, 0);
}

static void test_nonsense(void **state)
{
	static const uint32_t stepped_cheap[][XPT_COST__MAX] = { { 1400, 1350 }, { 900, 800 }, { 10000, 9800 }, { 19000, 18800 } };
	static const uint32_t returns_cheap[][XPT_COST__MAX] = { { 1400, 1350 }, { 10000, 9900 }, { 900, 800 }, { 19000, 18800 } };
	static const uint32_t both_cheap[][XPT_COST__MAX] = { { 1400, 1350 }, { 10000, 9900 }, { 10500, 9900 }, { 7000, 6900 } };
	static const uint32_t counted_dear[][XPT_COST__MAX] = { { 1400, 2400 }, { 9000, 8000 }, { 9000, 8000 }, { 19000, 18800 } };
	static const uint32_t no_trap[][XPT_COST__MAX] = { { 3, 2 }, { 9000, 8000 }, { 9000, 8000 }, { 19000, 18800 } };
	static const uint32_t in_noise[][XPT_COST__MAX] = { { 1400, 1500 }, { 1300, 1300 }, { 1200, 1300 }, { 1350, 1250 } };

	(void)state;
	fill(stepped_cheap, 0);
	expect_unknown("single-stepped");
	fill(returns_cheap, 0);
	expect_unknown("single-stepped returns");
	fill(both_cheap, 0);
	expect_unknown("single-stepped");
	fill(counted_dear, 0);
	expect_unknown("counted");
	fill(no_trap, 0);
	expect_unknown("hardly slower");
	memset(rounds, 0, sizeof(rounds));
	expect_unknown("hardly slower");
	fill(in_noise, 0);	/* bare metal, where a second trap costs little */
	assert_true(find(NR));
}

/*
 * The machine became five times as slow amid a round, half way: that is no contradiction, though the
 * median of what was sent comes from before, and that of what was counted from after it.
 */
static void test_slower_amid_a_round(void **state)
{
	static const uint32_t busy[][XPT_COST__MAX] = { { 7000, 6800 }, { 50000, 49000 }, { 52000, 51000 }, { 95000, 94000 } };
	struct xpt_cost_round half[NR / 2];

	(void)state;
	fill(usual, 0);
	memcpy(half, rounds, sizeof(half));
	fill(busy, 0);
	memcpy(rounds, half, sizeof(half));
	for (int kind = 0; kind < XPT_COST__KINDS; kind++)
		rounds[NR / 2].kind[kind].traced[XPT_COST_SENT] = half[0].kind[kind].traced[XPT_COST_SENT];
	assert_true(find(NR));
	assert_int_equal(cost.v[0][XPT_COST_SENT].ns, usual[0][XPT_COST_SENT]);
	assert_int_equal(cost.v[0][XPT_COST_COUNTED].ns, busy[0][XPT_COST_COUNTED]);
}

static void test_too_few(void **state)
{
	(void)state;
	fill(usual, 0);
	assert_false(find(0));
	assert_non_null(strstr(why, "no time"));
	assert_false(find(2));
	assert_true(find(3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact), cmocka_unit_test(test_outliers),
		cmocka_unit_test(test_spread), cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_slower_amid_a_round), cmocka_unit_test(test_too_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
