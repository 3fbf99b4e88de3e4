/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * analyze/churn.c: a loop that allocates and frees is a finding; blocks that
 * are used together, kept long, taken from a pool, of changing size, few, or
 * cheap beside the program's time are none.
 */
#include "unit/feed.h"

extern const struct xpt_analyzer xpt_analyzer_churn;

static struct xpt_fn alloc, outer, release, pool, pin, unpin;
static struct xpt_proc train;

static int setup(void **state)
{
	struct feed *f = malloc(sizeof(*f));

	alloc = FEED_FN("memAlloc", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	outer = FEED_FN("rtMalloc", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	release = FEED_FN("memFree", FREE, NONE, XPT_ROLE_ADDR);
	pool = FEED_FN("memAllocAsync", ALLOC, POOL, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	pin = FEED_FN("hostRegister", REGISTER, NONE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	unpin = FEED_FN("hostUnregister", DEREGISTER, NONE, XPT_ROLE_ADDR);
	train = feed_proc(123, "train");
	if (!f)
		return -1;
	feed_begin(f, &xpt_analyzer_churn);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	feed_free(*state);
	free(*state);
	return 0;
}

/* n times: a block of size for 5 ms, one every 10 ms, calls of took ns each. */
static void loop(struct feed *f, const struct xpt_fn *open, const struct xpt_fn *close,
		 uint64_t n, uint64_t size, uint64_t took)
{
	for (uint64_t i = 0; i < n; i++) {
		feed_call(f, .fn = open, .proc = &train, .at = i * 10 * MS, .took = took,
			  .val = { 4096, size });
		feed_call(f, .fn = close, .proc = &train, .at = i * 10 * MS + 5 * MS,
			  .took = took, .val = { 4096 });
	}
}

static void assert_silent(struct feed *f)
{
	assert_int_equal(feed_rows(f, "churn"), 0);
	assert_int_equal(feed_rows(f, "verdict"), 0);
}

/* Forked workers that do the same are one sentence, each with its own row. */
static void test_alike(void **state)
{
	static struct xpt_proc worker[8];
	struct feed *f = *state;

	for (unsigned p = 0; p < 8; p++) {
		worker[p] = feed_proc(200 + p, p < 7 ? "worker" : "other");
		for (uint64_t i = 0; i < 40; i++) {
			feed_call(f, .fn = &alloc, .proc = &worker[p], .at = i * 10 * MS, .took = 200 * US,
				  .val = { 4096, GIB });
			feed_call(f, .fn = &release, .proc = &worker[p], .at = i * 10 * MS + 5 * MS,
				  .took = 200 * US, .val = { 4096 });
		}
	}
	for (unsigned p = 0; p < 8; p++)
		feed_proc_event(f, XPT_EV_EXIT, &worker[p], 400 * MS, false);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "churn"), 8);
	assert_int_equal(feed_rows(f, "verdict"), 2);
	assert_true(feed_says(f, "verdict", "memAlloc of 1.0 GiB was allocated and freed 280 times by 7 processes "
			      "(worker[200], worker[201], worker[202], worker[203], worker[204], worker[205], ...): "
			      "112 ms in these calls, 4.0 % of their wall time."));
	assert_true(feed_says(f, "verdict", "40 times by other[207]: 16.0 ms in these calls, 4.0 % of its wall "
			      "time."));
}

static void test_training_loop(void **state)
{
	struct feed *f = *state;

	loop(f, &alloc, &release, 40, GIB, 200 * US);
	feed_proc_event(f, XPT_EV_EXIT, &train, 400 * MS, false);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "churn"), 1);
	assert_string_equal(feed_str(f, "churn", 0, "function"), "memAlloc");
	assert_int_equal(feed_u64(f, "churn", 0, "size"), GIB);
	assert_int_equal(feed_u64(f, "churn", 0, "cycles"), 40);
	assert_int_equal(feed_u64(f, "churn", 0, "bytes"), 40 * GIB);
	assert_int_equal(feed_u64(f, "churn", 0, "time_ns"), 16 * MS);
	assert_int_equal((int)(1000 * feed_f64(f, "churn", 0, "share") + 0.5), 40);
	assert_int_equal(feed_u64(f, "churn", 0, "pid"), 123);
	assert_true(feed_says(f, "verdict", "memAlloc of 1.0 GiB was allocated and freed "
			      "40 times by train[123]: 16.0 ms in these calls, 4.0 % of its "
			      "wall time."));
	assert_string_equal(feed_str(f, "verdict", 0, "kind"), "churn");
	assert_non_null(strstr(feed_str(f, "verdict", 0, "advice"), "outside the loop"));
	assert_int_equal(feed_u64(f, "verdict", 0, "lost_ns"), 16 * MS);
	assert_int_equal(feed_u64(f, "verdict", 0, "at_ns"), 200 * US);
	assert_int_equal(feed_u64(f, "verdict", 0, "pid"), 123);
	assert_int_equal((int)(1000 * feed_f64(f, "verdict", 0, "share") + 0.5), 40);
}

static void test_too_few(void **state)
{
	struct feed *f = *state;

	loop(f, &alloc, &release, 9, GIB, 200 * US);
	feed_end(f, 90 * MS, true);
	assert_silent(f);
}

static void test_enough(void **state)
{
	struct feed *f = *state;

	loop(f, &alloc, &release, 10, GIB, 200 * US);
	feed_end(f, 100 * MS, true);
	assert_int_equal(feed_rows(f, "churn"), 1);
}

/* A hundred blocks allocated, used together and freed together. */
static void test_batch_is_no_loop(void **state)
{
	struct feed *f = *state;

	for (uint64_t i = 1; i <= 100; i++)
		feed_call(f, .fn = &alloc, .proc = &train, .at = i * MS, .took = 500 * US,
			  .val = { i << 12, MIB });
	for (uint64_t i = 1; i <= 100; i++)
		feed_call(f, .fn = &release, .proc = &train, .at = (100 + i) * MS,
			  .took = 500 * US, .val = { i << 12 });
	feed_end(f, SEC, true);
	assert_silent(f);
}

static void test_pool_is_the_cure(void **state)
{
	struct feed *f = *state;

	loop(f, &pool, &release, 100, GIB, 200 * US);
	feed_end(f, SEC, true);
	assert_silent(f);
}

static void test_sizes_that_differ(void **state)
{
	struct feed *f = *state;

	for (uint64_t i = 0; i < 100; i++)
		loop(f, &alloc, &release, 1, MIB + i * 256, 200 * US);
	feed_end(f, SEC, true);
	assert_silent(f);
}

/* Small blocks in ten minutes: 8 ms are nothing. */
static void test_cheap(void **state)
{
	struct feed *f = *state;

	loop(f, &alloc, &release, 40, 4096, 100 * US);
	feed_end(f, 600 * SEC, true);
	assert_silent(f);
}

/* 16 ms in the calls: of 1.6 s they are worth a sentence, of 1.7 s a line. */
static void test_share_of_a_finding(void **state)
{
	struct feed *f = *state;

	loop(f, &alloc, &release, 40, GIB, 200 * US);
	feed_end(f, 1600 * MS, true);
	assert_int_equal(feed_rows(f, "verdict"), 1);
}

static void test_share_below_a_finding(void **state)
{
	struct feed *f = *state;

	loop(f, &alloc, &release, 40, GIB, 200 * US);
	feed_end(f, 1700 * MS, true);
	assert_int_equal(feed_rows(f, "churn"), 1);
	assert_int_equal(feed_rows(f, "verdict"), 0);
}

/* Each size alone would be too cheap; each process and function has its own sentence. */
static void test_sizes_add_up(void **state)
{
	struct feed *f = *state;

	for (uint64_t i = 0; i < 4; i++)
		loop(f, &alloc, &release, 20, MIB << i, 200 * US);
	loop(f, &pin, &unpin, 20, MIB, 500 * US);
	feed_end(f, 2 * SEC, true);
	assert_int_equal(feed_rows(f, "churn"), 5);
	assert_int_equal(feed_rows(f, "verdict"), 2);
	assert_true(feed_says(f, "verdict", "memAlloc of 1.0 MiB to 8.0 MiB, 4 sizes, was allocated "
			      "and freed 80 times by train[123]: 32.0 ms in these calls, 1.6 %"));
}

/* 1 % of its time, but less than a millisecond. */
static void test_run_too_short(void **state)
{
	struct feed *f = *state;

	loop(f, &alloc, &release, 10, GIB, 49 * US);
	feed_end(f, 98 * MS, true);
	assert_int_equal(feed_rows(f, "churn"), 1);
	assert_int_equal(feed_rows(f, "verdict"), 0);
}

/* As cheap, but large blocks all the time: their frees wait for the device. */
static void test_large_all_the_time(void **state)
{
	struct feed *f = *state;

	loop(f, &alloc, &release, 40, GIB, US);
	feed_end(f, 400 * MS, true);
	assert_int_equal(feed_rows(f, "churn"), 1);
	assert_int_equal(feed_rows(f, "verdict"), 0);
}

static void test_failed_allocations(void **state)
{
	struct feed *f = *state;

	for (uint64_t i = 0; i < 100; i++)
		feed_call(f, .fn = &alloc, .proc = &train, .at = i * MS, .took = 500 * US,
			  .ret = ERR_MEMORY, .val = { 4096, GIB });
	feed_end(f, 100 * MS, true);
	assert_silent(f);
}

static void test_runtime_names_the_outer_call(void **state)
{
	struct feed *f = *state;

	for (uint64_t i = 0; i < 20; i++) {
		feed_call(f, .fn = &alloc, .proc = &train, .at = i * 10 * MS + US,
			  .took = 100 * US, .flags = XPT_CALL_NESTED, .val = { 4096, MIB });
		feed_call(f, .fn = &outer, .proc = &train, .at = i * 10 * MS, .took = 150 * US,
			  .flags = XPT_CALL_OUTER, .val = { 4096, MIB });
		feed_call(f, .fn = &release, .proc = &train, .at = i * 10 * MS + 5 * MS,
			  .took = 50 * US, .val = { 4096 });
	}
	feed_end(f, 200 * MS, true);
	assert_int_equal(feed_rows(f, "churn"), 1);
	assert_string_equal(feed_str(f, "churn", 0, "function"), "rtMalloc");
	assert_int_equal(feed_u64(f, "churn", 0, "cycles"), 20);
	assert_int_equal(feed_u64(f, "churn", 0, "time_ns"), 4 * MS);
}

static void test_registration(void **state)
{
	struct feed *f = *state;

	loop(f, &pin, &unpin, 20, MIB, 200 * US);
	feed_end(f, 200 * MS, true);
	assert_string_equal(feed_str(f, "churn", 0, "kind"), "registered");
	assert_non_null(strstr(feed_str(f, "verdict", 0, "advice"), "Register the buffer once"));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_alike), T(test_training_loop), T(test_too_few), T(test_enough), T(test_batch_is_no_loop),
		T(test_pool_is_the_cure), T(test_sizes_that_differ), T(test_cheap),
		T(test_sizes_add_up), T(test_run_too_short), T(test_share_of_a_finding), T(test_share_below_a_finding),
		T(test_large_all_the_time), T(test_failed_allocations),
		T(test_runtime_names_the_outer_call), T(test_registration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
