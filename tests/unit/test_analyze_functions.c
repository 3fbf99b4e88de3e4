/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * analyze/functions.c: sums per function, order, the row of the rest, and
 * percentiles that are upper bounds within a factor of two.
 */
#include "feed.h"

extern const struct xpt_analyzer xpt_analyzer_functions;

static struct xpt_fn fast, slow;
static struct xpt_proc train, other;

static int setup(void **state)
{
	struct feed *f = malloc(sizeof(*f));

	fast = FEED_FN("fast", QUERY, NONE, XPT_ROLE_NONE);
	slow = FEED_FN("slow", SYNC, NONE, XPT_ROLE_NONE);
	train = feed_proc(123, "train");
	other = feed_proc(124, "other");
	if (!f)
		return -1;
	feed_begin(f, &xpt_analyzer_functions);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	feed_free(*state);
	free(*state);
	return 0;
}

static void test_counters_win(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &fast, .proc = &train, .at = 1, .took = 900);
	feed_counter(f, &fast, &train, XPT_DIR_NONE, 1000, 7, 0, 900);
	feed_counter(f, &fast, &other, XPT_DIR_NONE, 10, 0, 0, 5000);
	feed_counter(f, &slow, &train, XPT_DIR_NONE | XPT_SUB_NESTED, 2, 0, 0, 30 * MS);
	feed_errcount(f, &fast, &train, ERR_NOT_READY, 3);
	feed_errcount(f, &fast, &train, ERR_ILLEGAL, 4);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "functions"), 2);
	assert_string_equal(feed_str(f, "functions", 0, "function"), "slow");
	assert_int_equal(feed_u64(f, "functions", 0, "time_ns"), 60 * MS);
	assert_int_equal(feed_u64(f, "functions", 1, "calls"), 1010);
	assert_int_equal(feed_u64(f, "functions", 1, "failed"), 4);
	assert_int_equal(feed_u64(f, "functions", 1, "time_ns"), 950000);
	assert_int_equal(feed_u64(f, "functions", 1, "mean_ns"), 950000 / 1010);
	assert_int_equal(feed_u64(f, "functions", 1, "p50_ns"), 1024);
	assert_int_equal(feed_u64(f, "functions", 1, "p99_ns"), 1024);
	assert_int_equal(feed_u64(f, "functions", 1, "max_ns"), 5000);
}

/* Percentiles against the sorted durations themselves. */
static void test_percentiles_bound(void **state)
{
	struct feed *f = *state;
	uint64_t p50, p99;

	for (uint64_t i = 1; i <= 1000; i++)
		feed_call(f, .fn = &fast, .proc = &train, .at = i, .took = i * i);
	feed_end(f, SEC, false);
	p50 = feed_u64(f, "functions", 0, "p50_ns");
	p99 = feed_u64(f, "functions", 0, "p99_ns");
	assert_in_range(p50, 500 * 500, 2 * 500 * 500);
	assert_in_range(p99, 990 * 990, 2 * 990 * 990);
	assert_int_equal(feed_u64(f, "functions", 0, "max_ns"), 1000 * 1000);
	assert_true(p99 <= 1000 * 1000);	/* never above the maximum */
}

static void test_extreme_durations(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &fast, .proc = &train, .at = 1, .took = 0);
	feed_call(f, .fn = &slow, .proc = &train, .at = 1, .took = UINT64_MAX / 2);
	feed_end(f, SEC, false);
	assert_int_equal(feed_u64(f, "functions", 0, "p99_ns"), UINT64_MAX / 2);
	assert_int_equal(feed_u64(f, "functions", 1, "p50_ns"), 0);
}

static void test_rest_is_one_row(void **state)
{
	static struct xpt_fn fns[40];
	struct feed *f = *state;
	uint64_t calls = 0;

	for (uint64_t i = 0; i < 40; i++) {
		fns[i] = FEED_FN("function", OTHER, NONE, XPT_ROLE_NONE);
		feed_counter(f, &fns[i], &train, XPT_DIR_NONE, i + 1, 0, 0, US);
	}
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "functions"), 16);
	assert_int_equal(feed_u64(f, "functions", 0, "calls"), 40);
	assert_string_equal(feed_str(f, "functions", 15, "function"), "other (25 functions)");
	for (size_t i = 0; i < 16; i++)
		calls += feed_u64(f, "functions", i, "calls");
	assert_int_equal(calls, 40 * 41 / 2);
}

static void test_nothing(void **state)
{
	struct feed *f = *state;

	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "functions"), 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_counters_win), T(test_percentiles_bound), T(test_extreme_durations),
		T(test_rest_is_one_row), T(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
