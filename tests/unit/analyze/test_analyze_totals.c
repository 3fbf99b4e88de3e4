/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * analyze/totals.c: exact counters win over events, events stand in where a
 * recording was cut, and each operation counts once however many layers saw it.
 */
#include "unit/feed.h"

extern const struct xpt_analyzer xpt_analyzer_totals;

static struct xpt_fn alloc, outer, copy, launch, query;
static struct xpt_proc train, other;

static int setup(void **state)
{
	struct feed *f = malloc(sizeof(*f));

	alloc = FEED_FN("memAlloc", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	outer = FEED_FN("rtMalloc", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	copy = FEED_FN("copy", COPY, NONE, XPT_ROLE_SIZE, XPT_ROLE_DIR);
	launch = FEED_FN("launch", LAUNCH, NONE, XPT_ROLE_STREAM);
	query = FEED_FN("query", QUERY, NONE, XPT_ROLE_STREAM);
	train = feed_proc(123, "train");
	other = feed_proc(124, "other");
	if (!f)
		return -1;
	feed_begin(f, &xpt_analyzer_totals);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	feed_free(*state);
	free(*state);
	return 0;
}

static uint64_t op(struct feed *f, const char *name, const char *field)
{
	size_t i = feed_row(f, "operations", "operation", name);

	return *(const uint64_t *)feed_value(f, "operations", i, field);
}

static void test_counters(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &launch, .proc = &train, .at = SEC, .took = US);
	feed_counter(f, &launch, &train, XPT_DIR_NONE, 1000, 3, 0, 5 * US);
	feed_counter(f, &launch, &other, XPT_DIR_NONE, 500, 0, 0, 5 * US);
	feed_counter(f, &copy, &train, XPT_DIR_H2D, 10, 1, 9 * MIB, MS);
	feed_counter(f, &copy, &train, XPT_DIR_D2H, 20, 0, 20 * MIB, MS);
	feed_counter(f, &alloc, &train, XPT_DIR_NONE | XPT_SUB_NESTED, 7, 2, 5 * GIB, 100 * US);
	feed_counter(f, &outer, &train, XPT_DIR_NONE | XPT_SUB_OUTER, 7, 2, 5 * GIB, 120 * US);
	feed_errcount(f, &launch, &train, ERR_ILLEGAL, 3);
	feed_errcount(f, &copy, &train, ERR_ILLEGAL, 1);
	feed_errcount(f, &alloc, &train, ERR_MEMORY, 2);
	feed_errcount(f, &outer, &train, ERR_MEMORY, 2);
	feed_end(f, 10 * SEC, true);

	assert_int_equal(feed_rows(f, "summary"), 1);
	assert_int_equal(feed_u64(f, "summary", 0, "duration_ns"), 10 * SEC);
	assert_int_equal(feed_u64(f, "summary", 0, "processes"), 2);
	assert_int_equal(feed_u64(f, "summary", 0, "calls"), 1537);
	assert_int_equal(feed_u64(f, "summary", 0, "nested_calls"), 7);
	assert_int_equal(feed_u64(f, "summary", 0, "failed_calls"), 6);
	assert_int_equal(feed_u64(f, "summary", 0, "call_ns"),
			 1500 * 5 * US + 30 * MS + 7 * 120 * US);
	assert_string_equal(feed_str(f, "summary", 0, "counted"), "in the kernel, exact");
	assert_int_equal(feed_rows(f, "operations"), 4);
	assert_string_equal(feed_str(f, "operations", 0, "operation"), "launch");
	assert_int_equal(op(f, "launch", "calls"), 1500);
	assert_int_equal(op(f, "launch", "failed"), 3);
	assert_int_equal(op(f, "launch", "bytes"), XPT_ABSENT);
	assert_int_equal(op(f, "copy HtoD", "bytes"), 9 * MIB);
	assert_int_equal(op(f, "copy HtoD", "failed"), 1);
	assert_int_equal(op(f, "copy DtoH", "calls"), 20);
	assert_int_equal(op(f, "copy DtoH", "mean_ns"), MS);
	assert_int_equal(op(f, "alloc", "calls"), 7);	/* once, although two layers saw it */
	assert_int_equal(op(f, "alloc", "bytes"), 5 * GIB);
	assert_int_equal(op(f, "alloc", "failed"), 2);
}

static void test_events_stand_in(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &alloc, .proc = &train, .at = 10, .took = 20, .val = { 4096, MIB },
		  .flags = XPT_CALL_NESTED);
	feed_call(f, .fn = &outer, .proc = &train, .at = 5, .took = 30, .val = { 4096, MIB },
		  .flags = XPT_CALL_OUTER);
	feed_call(f, .fn = &alloc, .proc = &train, .at = 50, .took = 20, .ret = ERR_MEMORY,
		  .val = { 0, GIB }, .tid = 99);
	feed_call(f, .fn = &query, .proc = &train, .at = 90, .took = 1, .ret = ERR_NOT_READY);
	feed_call(f, .fn = &copy, .proc = &other, .at = 95, .took = 1,
		  .val = { 4096, XPT_DIR_D2D });
	/* The counters of some functions were written before the cut. */
	feed_counter(f, &outer, &train, XPT_DIR_NONE | XPT_SUB_OUTER, 1, 0, MIB, 30);
	feed_end(f, SEC, false);
	assert_int_equal(feed_u64(f, "summary", 0, "calls"), 4);
	assert_int_equal(feed_u64(f, "summary", 0, "nested_calls"), 1);
	assert_int_equal(feed_u64(f, "summary", 0, "failed_calls"), 1);
	assert_int_equal(feed_u64(f, "summary", 0, "call_ns"), 52);
	assert_int_equal(feed_u64(f, "summary", 0, "processes"), 2);
	assert_int_equal(feed_u64(f, "summary", 0, "threads"), 3);
	assert_non_null(strstr(feed_str(f, "summary", 0, "counted"), "from events"));
	assert_int_equal(op(f, "alloc", "calls"), 2);
	assert_int_equal(op(f, "alloc", "bytes"), MIB);
	assert_int_equal(op(f, "alloc", "failed"), 1);
	assert_int_equal(op(f, "query", "failed"), 0);
	assert_int_equal(op(f, "copy DtoD", "bytes"), 4096);
}

static void test_answers_are_no_failures(void **state)
{
	struct feed *f = *state;

	feed_counter(f, &query, &train, XPT_DIR_NONE, 100, 60, 0, US);
	feed_errcount(f, &query, &train, ERR_NOT_READY, 58);
	feed_errcount(f, &query, &train, ERR_ILLEGAL, 2);
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "summary", 0, "failed_calls"), 2);
	assert_int_equal(feed_u64(f, "summary", 0, "threads"), XPT_ABSENT);	/* no event, no thread */
	assert_int_equal(op(f, "query", "failed"), 2);
}

static void test_empty_trace(void **state)
{
	struct feed *f = *state;

	feed_loss(f, XPT_LOSS_RING_FULL, 12);
	feed_loss(f, XPT_LOSS_CUT_EXIT, 3);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "summary"), 1);
	assert_int_equal(feed_u64(f, "summary", 0, "calls"), 0);
	assert_int_equal(feed_u64(f, "summary", 0, "events_lost"), 12);
	assert_int_equal(feed_u64(f, "summary", 0, "threads"), 0);
	assert_int_equal(feed_rows(f, "operations"), 0);
}

/* Hits of probes are no calls, and no operations; their threads count. */
static void test_points(void **state)
{
	static struct xpt_fn passed = { .id = 90, .name = "spdk:msg_exec", .layer = XPT_LAYER_POINT };
	struct feed *f = *state;

	feed_call(f, .fn = &passed, .proc = &train, .at = 1);
	feed_counter(f, &passed, &train, XPT_DIR_NONE, 7, 0, 0, 0);
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "summary", 0, "points"), 7);
	assert_int_equal(feed_u64(f, "summary", 0, "calls"), 0);
	assert_int_equal(feed_u64(f, "summary", 0, "threads"), 1);
	assert_non_null(strstr(feed_str(f, "summary", 0, "counted"), "exact"));
	assert_int_equal(feed_rows(f, "operations"), 0);
}

/* A class and a direction from a newer version, or from a damaged file. */
static void test_unknown_numbers(void **state)
{
	struct feed *f = *state;

	launch.cls = 200;
	feed_call(f, .fn = &launch, .proc = &train, .at = 1, .took = 1);
	feed_call(f, .fn = &copy, .proc = &train, .at = 1, .took = 1, .val = { 1, 99 });
	feed_counter(f, &launch, NULL, 6, 1, 0, 0, 1);
	feed_end(f, SEC, false);
	assert_int_equal(op(f, "other", "calls"), 1);
	assert_int_equal(op(f, "copy other", "calls"), 1);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_counters), T(test_events_stand_in), T(test_answers_are_no_failures),
		T(test_empty_trace), T(test_unknown_numbers), T(test_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
