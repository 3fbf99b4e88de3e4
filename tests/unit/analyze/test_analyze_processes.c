/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * analyze/processes.c: sums per process from counters and from events, nesting
 * counted once, order, the row of the rest, silence about a single process.
 */
#include "unit/feed.h"

extern const struct xpt_analyzer xpt_analyzer_processes;

static struct xpt_fn alloc, runtime_alloc, copy, launch;
static struct xpt_proc train, infer;

static int setup(void **state)
{
	struct feed *f = malloc(sizeof(*f));

	alloc = FEED_FN("alloc", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	runtime_alloc = FEED_FN("runtime_alloc", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	copy = FEED_FN("copy", COPY, NONE, XPT_ROLE_DIR, XPT_ROLE_SIZE);
	launch = FEED_FN("launch", LAUNCH, NONE, XPT_ROLE_NONE);
	train = feed_proc(10, "train");
	infer = feed_proc(20, "infer");
	if (!f)
		return -1;
	feed_begin(f, &xpt_analyzer_processes);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	feed_free(*state);
	free(*state);
	return 0;
}

static uint64_t value(struct feed *f, size_t row, const char *field)
{
	return feed_u64(f, "processes", row, field);
}

/* The container and pod beside the process, by their first digits in text. */
static void test_places(void **state)
{
	struct feed *f = *state;

	train.ns_pid = 7;
	train.container = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	train.pod = "6b1f2c3d-0001-4aaa-8bbb-0123456789ab";
	feed_call(f, .fn = &launch, .proc = &train, .at = 1, .took = 2 * US);
	feed_call(f, .fn = &launch, .proc = &infer, .at = 1, .took = US);
	feed_end(f, SEC, false);
	assert_string_equal(feed_str(f, "processes", 0, "pod"), train.pod);
	assert_string_equal(feed_str(f, "processes", 0, "label"), "train [7@0123456789ab pod 6b1f2c3d]");
	assert_string_equal(feed_str(f, "processes", 1, "label"), "infer");
}

static void test_events(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &alloc, .proc = &train, .at = 1, .took = US, .val = { 0x1000, 64 },
		  .flags = XPT_CALL_NESTED, .depth = 1);
	feed_call(f, .fn = &runtime_alloc, .proc = &train, .at = 0, .took = 3 * US,
		  .val = { 0x1000, 64 }, .flags = XPT_CALL_OUTER);
	feed_call(f, .fn = &alloc, .proc = &train, .at = 9, .took = US, .val = { 0, 99 },
		  .ret = ERR_MEMORY);
	feed_call(f, .fn = &launch, .proc = &train, .at = 10, .took = US);
	feed_call(f, .fn = &copy, .proc = &infer, .at = 10, .took = MS, .val = { XPT_DIR_H2D, 512 });
	feed_call(f, .fn = &copy, .proc = &infer, .at = 12, .took = MS, .val = { XPT_DIR_D2H, 8 });
	feed_end(f, SEC, false);
	assert_int_equal(feed_rows(f, "processes"), 2);
	assert_string_equal(feed_str(f, "processes", 0, "process"), "infer");
	assert_int_equal(value(f, 0, "pid"), 20);
	assert_int_equal(value(f, 0, "copy_bytes"), 520);
	assert_int_equal(value(f, 0, "time_ns"), 2 * MS);
	assert_int_equal(value(f, 0, "failed"), 0);
	assert_int_equal(value(f, 1, "calls"), 3);
	assert_int_equal(value(f, 1, "failed"), 1);
	assert_int_equal(value(f, 1, "launches"), 1);
	assert_int_equal(value(f, 1, "alloc_bytes"), 64);
	assert_int_equal(value(f, 1, "time_ns"), 5 * US);
}

static void test_counters_win(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &launch, .proc = &train, .at = 1, .took = US);
	feed_counter(f, &launch, &train, XPT_DIR_NONE, 1000, 0, 0, US);
	feed_counter(f, &alloc, &train, XPT_DIR_NONE | XPT_SUB_NESTED, 5, 0, 320, US);
	feed_counter(f, &runtime_alloc, &train, XPT_DIR_NONE | XPT_SUB_OUTER, 5, 0, 320, US);
	feed_counter(f, &copy, &infer, XPT_DIR_H2D, 7, 3, 700, 2 * US);
	feed_errcount(f, &copy, &infer, ERR_ILLEGAL, 2);
	feed_errcount(f, &copy, &infer, ERR_NOT_READY, 1);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "processes"), 2);
	assert_int_equal(value(f, 0, "pid"), 10);
	assert_int_equal(value(f, 0, "calls"), 1005);
	assert_int_equal(value(f, 0, "launches"), 1000);
	assert_int_equal(value(f, 0, "alloc_bytes"), 320);
	assert_int_equal(value(f, 0, "time_ns"), 1005 * US);
	assert_int_equal(value(f, 1, "calls"), 7);
	assert_int_equal(value(f, 1, "failed"), 2);
	assert_int_equal(value(f, 1, "copy_bytes"), 700);
}

/* Calls of unknown processes (a full table in the kernel) join the rest. */
static void test_rest_is_one_row(void **state)
{
	static struct xpt_proc procs[30];
	struct feed *f = *state;
	uint64_t calls = 0;

	for (uint32_t i = 0; i < 30; i++) {
		procs[i] = feed_proc(100 + i, "worker");
		feed_counter(f, &launch, &procs[i], XPT_DIR_NONE, i + 1, 0, 0, US);
	}
	feed_counter(f, &launch, NULL, XPT_DIR_NONE, 1000, 0, 0, US);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "processes"), 21);
	assert_int_equal(value(f, 0, "pid"), 129);
	assert_string_equal(feed_str(f, "processes", 20, "process"), "other (10 processes)");
	assert_true(value(f, 20, "pid") == XPT_ABSENT);
	for (size_t i = 0; i < 21; i++)
		calls += value(f, i, "calls");
	assert_int_equal(calls, 30 * 31 / 2 + 1000);
}

static void test_one_is_no_table(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &launch, .proc = &train, .at = 1, .took = US);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "processes"), 0);
}

static void test_one_of_all_is_named(void **state)
{
	struct feed *f = *state;

	feed_meta(f, "targets", "any");
	feed_call(f, .fn = &launch, .proc = &train, .at = 1, .took = US);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "processes"), 1);
	assert_string_equal(feed_str(f, "processes", 0, "process"), "train");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_places),
		T(test_events), T(test_counters_win), T(test_rest_is_one_row),
		T(test_one_is_no_table), T(test_one_of_all_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
