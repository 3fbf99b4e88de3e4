/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * analyze/functions.c: sums per function, order, the row of the rest, and
 * percentiles that are upper bounds within a factor of two.
 */
#include "unit/feed.h"

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

/* A library that passes its calls on to the same function of another one has rows of its own. */
static void test_layer(void **state)
{
	for (int counters = 0; counters < 2; counters++) {
		struct feed f;

		(void)state;
		feed_begin(&f, &xpt_analyzer_functions);
		for (unsigned i = 0; i < 3; i++) {
			feed_call(&f, .fn = &slow, .proc = &train, .at = 100 * i + 1, .took = 5, .depth = 1,
				  .flags = XPT_CALL_NESTED, .ret = i == 2 ? ERR_ILLEGAL : 0);
			feed_call(&f, .fn = &slow, .proc = &train, .at = 100 * i, .took = 9,
				  .flags = XPT_CALL_OUTER, .ret = i == 2 ? ERR_ILLEGAL : 0);
		}
		if (counters) {
			feed_counter(&f, &slow, &train, XPT_DIR_NONE | XPT_SUB_NESTED, 3, 1, 0, 5);
			feed_counter(&f, &slow, &train, XPT_DIR_NONE | XPT_SUB_OUTER, 3, 1, 0, 9);
		}
		feed_end(&f, SEC, true);
		assert_int_equal(feed_rows(&f, "functions"), 2);
		assert_string_equal(feed_str(&f, "functions", 0, "function"), "slow (layer)");
		assert_int_equal(feed_u64(&f, "functions", 0, "calls"), 3);
		assert_int_equal(feed_u64(&f, "functions", 0, "failed"), 1);
		assert_string_equal(feed_str(&f, "functions", 1, "function"), "slow");
		assert_int_equal(feed_u64(&f, "functions", 1, "calls"), 3);
		assert_int_equal(feed_u64(&f, "functions", 1, "time_ns"), 15);
		assert_true(feed_says(&f, "function_notes", "stands before another one"));
		feed_free(&f);
	}
}

/* Counters alone say it, too: of calls with the same function inside, and of others with another one. */
static void test_layer_of_counters(void **state)
{
	struct feed *f = *state;

	feed_counter(f, &slow, &train, XPT_DIR_NONE | XPT_SUB_NESTED, 3, 0, 0, 5);
	feed_counter(f, &slow, &train, XPT_DIR_NONE | XPT_SUB_OUTER | XPT_SUB_PASSED_ON, 3, 0, 0, 9);
	feed_counter(f, &slow, &train, XPT_DIR_NONE | XPT_SUB_OUTER, 2, 0, 0, 9);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "functions"), 2);
	assert_string_equal(feed_str(f, "functions", 0, "function"), "slow");
	assert_int_equal(feed_u64(f, "functions", 0, "calls"), 5);
	assert_string_equal(feed_str(f, "functions", 1, "function"), "slow (layer)");
	assert_int_equal(feed_u64(f, "functions", 1, "calls"), 3);
	assert_true(feed_says(f, "function_notes", "stands before another one"));
}

/* Another function inside, as libraries do it: one row. */
static void test_no_layer(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &fast, .proc = &train, .at = 1, .took = 5, .depth = 1, .flags = XPT_CALL_NESTED);
	feed_call(f, .fn = &slow, .proc = &train, .at = 0, .took = 9, .flags = XPT_CALL_OUTER);
	feed_call(f, .fn = &slow, .proc = &train, .at = 100, .took = 9);
	feed_counter(f, &fast, &train, XPT_DIR_NONE | XPT_SUB_NESTED, 1, 0, 0, 5);
	feed_counter(f, &slow, &train, XPT_DIR_NONE | XPT_SUB_OUTER, 1, 0, 0, 9);
	feed_counter(f, &slow, &train, XPT_DIR_NONE, 1, 0, 0, 9);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "functions"), 2);
	assert_string_equal(feed_str(f, "functions", 0, "function"), "slow");
	assert_int_equal(feed_u64(f, "functions", 0, "calls"), 2);
	assert_int_equal(feed_rows(f, "function_notes"), 0);
}

/* What takes less time than tracing adds to a call is said to do so. */
static void test_below_cost(void **state)
{
	struct feed *f = *state;
	struct xpt_rec_cost cost = { .hits = 30, .hit_ns = 2000 };
	struct xpt_event ev = { .kind = XPT_EV_COST, .ts_ns = FEED_T0, .u.cost = &cost };
	struct xpt_fn point = FEED_FN("point", OTHER, NONE, XPT_ROLE_NONE);
	struct xpt_fn half = FEED_FN("half", QUERY, NONE, XPT_ROLE_NONE);	/* less only in the middle */

	static const char *const names[] = { "half", "slow", "fast", "point" };
	static const uint64_t below[] = { 1, 0, 1, 0 };

	point.layer = XPT_LAYER_POINT;
	for (unsigned known = 0; known < 2; known++) {
		feed_free(f);
		feed_begin(f, &xpt_analyzer_functions);
		for (unsigned i = 0; i < 10; i++) {
			feed_call(f, .fn = &fast, .proc = &train, .at = i, .took = i ? 1900 : 2800);
			feed_call(f, .fn = &slow, .proc = &train, .at = i, .took = i > 5 ? 1900 : 2100);
			feed_call(f, .fn = &half, .proc = &train, .at = i, .took = i ? 1900 : 9000);
			feed_call(f, .fn = &point, .proc = &train, .at = i, .took = 0);
		}
		if (known)
			feed_event(f, &ev);
		feed_end(f, SEC, true);
		for (unsigned i = 0; i < 4; i++) {
			assert_string_equal(feed_str(f, "functions", i, "function"), names[i]);
			assert_true(feed_u64(f, "functions", i, "below_cost") == (known ? below[i] : XPT_ABSENT));
		}
		assert_int_equal(feed_rows(f, "function_notes"), known);
	}
	assert_true(feed_says(f, "function_notes", "Calls of half, fast took less, on average or half of them, "
			      "than the 2.00 us that tracing adds to a call (*)"));
}

/* A function whose own cost is known is compared with that, and not with the mean of all. */
static void test_below_own_cost(void **state)
{
	struct feed *f = *state;
	struct xpt_rec_cost cost = { .hits = 30, .hit_ns = 4500 };
	struct xpt_event ev = { .kind = XPT_EV_COST, .ts_ns = FEED_T0, .u.cost = &cost };
	struct xpt_fn half = FEED_FN("half", QUERY, NONE, XPT_ROLE_NONE);

	for (unsigned i = 0; i < 10; i++) {
		feed_call(f, .fn = &slow, .proc = &train, .at = i, .took = 9000);
		feed_call(f, .fn = &half, .proc = &train, .at = i, .took = 4000);
		feed_call(f, .fn = &fast, .proc = &train, .at = i, .took = 3000);
	}
	feed_fncost(f, &slow, 10500, 10400, 10);	/* half: a recording has no cost of its own for it */
	feed_fncost(f, &fast, 1500, 1400, 10);
	feed_event(f, &ev);
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "functions", 0, "below_cost"), 1);
	assert_int_equal(feed_u64(f, "functions", 1, "below_cost"), 1);
	assert_int_equal(feed_u64(f, "functions", 2, "below_cost"), 0);
	assert_true(feed_says(f, "function_notes", "Calls of slow, half took less, on average or half of them, "
			      "than the 4.50 us to 10.5 us that tracing adds to a call (*)"));
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* At most 1/64 off what the sorted durations say, for many shapes of distributions. */
static void test_percentiles(void **state)
{
	struct feed *f = *state;
	uint64_t seed = 88172645463325252ull, took[997];

	feed_free(f);
	for (unsigned round = 0; round < 50; round++) {
		feed_begin(f, &xpt_analyzer_functions);
		for (unsigned i = 0; i < 997; i++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			took[i] = seed % (1ull << (seed >> 32) % 40) >> round % 8;
			feed_call(f, .fn = &fast, .proc = &train, .at = i, .took = took[i]);
		}
		feed_end(f, SEC, true);
		qsort(took, 997, sizeof(*took), by_value);
		for (unsigned k = 0; k < 2; k++) {
			uint64_t want = took[k ? (997 * 99 + 99) / 100 - 1 : 498];
			uint64_t got = feed_u64(f, "functions", 0, k ? "p99_ns" : "p50_ns");

			assert_in_range(got, want - want / 64, want + want / 64);
			assert_true(got <= took[996]);
		}
		assert_int_equal(feed_u64(f, "functions", 0, "bounds"), 0);
		if (round < 49)
			feed_free(f);
	}
}

/* Calls that were counted and not sent: a bound, and said to be one. */
static void test_percentiles_bound(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &fast, .proc = &train, .at = 1, .took = 900);
	feed_counter(f, &fast, &train, 0, 10, 0, 0, 9500);
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "functions", 0, "bounds"), 1);
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
	static struct xpt_fn fns[1025];
	struct feed *f = *state;
	uint64_t calls = 0;

	for (uint64_t i = 0; i < 1025; i++) {
		fns[i] = FEED_FN("function", OTHER, NONE, XPT_ROLE_NONE);
		fns[i].id = (uint32_t)i;
		feed_counter(f, &fns[i], &train, XPT_DIR_NONE, i + 1, 0, 0, US);
	}
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "functions"), 1001);
	assert_int_equal(feed_u64(f, "functions", 0, "calls"), 1025);
	assert_string_equal(feed_str(f, "functions", 1000, "function"), "other (25 functions)");
	for (size_t i = 0; i < 1001; i++)
		calls += feed_u64(f, "functions", i, "calls");
	assert_int_equal(calls, 1025 * 1026 / 2);
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
		T(test_counters_win), T(test_layer), T(test_layer_of_counters), T(test_no_layer), T(test_percentiles), T(test_percentiles_bound),
		T(test_extreme_durations),
		T(test_rest_is_one_row), T(test_below_cost), T(test_below_own_cost), T(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
