/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * analyze/scheduler.c: requests to a device's scheduler are told from other
 * calls by their class, in whatever layer; counters win over events.
 */
#include "unit/feed.h"

extern const struct xpt_analyzer xpt_analyzer_scheduler;

static struct xpt_fn preempt, schedule, other;
static struct xpt_proc train;
static struct feed feed;

static int setup(void **state)
{
	preempt = FEED_FN("ioctl:RM_CONTROL:PREEMPT", SCHED, NONE, XPT_ROLE_NONE);
	preempt.layer = XPT_LAYER_IOCTL;
	schedule = FEED_FN("schedule", SCHED, NONE, XPT_ROLE_NONE);
	schedule.layer = XPT_LAYER_DRIVER;
	other = FEED_FN("ioctl:RM_ALLOC", IOCTL, NONE, XPT_ROLE_NONE);
	other.layer = XPT_LAYER_IOCTL;
	train = feed_proc(123, "train");
	feed_begin(&feed, &xpt_analyzer_scheduler);
	*state = &feed;
	return 0;
}

static int teardown(void **state)
{
	feed_free(*state);
	return 0;
}

static void test_events(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &preempt, .proc = &train, .took = US);
	feed_call(f, .fn = &preempt, .proc = &train, .took = 3 * US, .ret = ERR_MEMORY);
	feed_call(f, .fn = &schedule, .proc = &train, .took = 5 * US);
	feed_call(f, .fn = &other, .proc = &train, .took = 100 * US);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "scheduler"), 2);
	assert_string_equal(feed_str(f, "scheduler", 0, "request"), "schedule");
	assert_string_equal(feed_str(f, "scheduler", 1, "request"), "PREEMPT");
	assert_string_equal(feed_str(f, "scheduler", 1, "function"), "ioctl:RM_CONTROL:PREEMPT");
	assert_int_equal(feed_u64(f, "scheduler", 1, "calls"), 2);
	assert_int_equal(feed_u64(f, "scheduler", 1, "failed"), 1);
	assert_int_equal(feed_u64(f, "scheduler", 1, "time_ns"), 4 * US);
	assert_int_equal(feed_u64(f, "scheduler", 1, "mean_ns"), 2 * US);
	assert_int_equal(feed_u64(f, "scheduler", 1, "max_ns"), 3 * US);
}

static void test_counters(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &preempt, .proc = &train, .took = US);
	feed_counter(f, &preempt, &train, XPT_DIR_NONE, 7, 2, 0, US);
	feed_counter(f, &preempt, NULL, XPT_DIR_NONE, 1, 0, 0, US);
	feed_counter(f, &other, &train, XPT_DIR_NONE, 5, 0, 0, US);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "scheduler"), 1);
	assert_int_equal(feed_u64(f, "scheduler", 0, "calls"), 8);
	assert_int_equal(feed_u64(f, "scheduler", 0, "failed"), 2);
	assert_int_equal(feed_u64(f, "scheduler", 0, "time_ns"), 8 * US);
}

/* Refused by errno or by a status in an argument, by name where that is known. */
static void test_refused(void **state)
{
	struct xpt_fn asked = FEED_FN("ioctl:RM_CONTROL:BIND", SCHED, NONE, XPT_ROLE_RESULT);
	struct feed *f = *state;

	feed_call(f, .fn = &asked, .proc = &train, .took = US, .val = { 0 });
	for (int i = 0; i < 3; i++)
		feed_call(f, .fn = &asked, .proc = &train, .took = US, .val = { 64 });
	feed_call(f, .fn = &preempt, .proc = &train, .took = US, .ret = ERR_MEMORY);
	feed_call(f, .fn = &other, .proc = &train, .took = US, .ret = ERR_MEMORY);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "scheduler_errors"), 2);
	assert_string_equal(feed_str(f, "scheduler_errors", 0, "request"), "BIND");
	assert_string_equal(feed_str(f, "scheduler_errors", 0, "error"), "64");
	assert_int_equal(feed_u64(f, "scheduler_errors", 0, "calls"), 3);
	assert_string_equal(feed_str(f, "scheduler_errors", 1, "request"), "PREEMPT");
	assert_string_equal(feed_str(f, "scheduler_errors", 1, "error"), "ERR_MEMORY");
}

static void test_none(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &other, .proc = &train, .took = US);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "scheduler"), 0);
	assert_int_equal(feed_rows(f, "scheduler_errors"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_events, setup, teardown),
		cmocka_unit_test_setup_teardown(test_counters, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_none, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
