/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The analyzers that show single calls: analyze/slowest.c and inflight.c.
 */
#include "unit/feed.h"

extern const struct xpt_analyzer xpt_analyzer_slowest, xpt_analyzer_inflight;

static struct xpt_fn copy, sync_fn;
static struct xpt_proc train, other;
static struct feed feed;

static int setup(void **state)
{
	copy = FEED_FN("copy", COPY, NONE, XPT_ROLE_SIZE, XPT_ROLE_STREAM);
	sync_fn = FEED_FN("sync", SYNC, NONE, XPT_ROLE_STREAM);
	train = feed_proc(123, "train");
	other = feed_proc(124, "other");
	*state = &feed;
	return 0;
}

static int teardown(void **state)
{
	feed_free(*state);
	return 0;
}

static void test_ten_slowest(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_slowest);
	for (uint64_t i = 0; i < 100; i++)	/* durations 1..100, shuffled */
		feed_call(f, .fn = &copy, .proc = &train, .at = i * MS,
			  .took = 1 + i * 37 % 100, .val = { 64, 0 });
	feed_call(f, .fn = &sync_fn, .proc = &other, .tid = 130, .at = SEC, .took = 500,
		  .ret = ERR_ILLEGAL);
	feed_call(f, .fn = &copy, .proc = &train, .at = SEC, .took = 900,
		  .flags = XPT_CALL_NESTED);
	feed_end(f, 2 * SEC, true);
	assert_int_equal(feed_rows(f, "slowest"), 10);
	assert_string_equal(feed_str(f, "slowest", 0, "function"), "sync");
	assert_int_equal(feed_u64(f, "slowest", 0, "at_ns"), SEC);
	assert_int_equal(feed_u64(f, "slowest", 0, "pid"), 124);
	assert_int_equal(feed_u64(f, "slowest", 0, "tid"), 130);
	assert_int_equal(feed_u64(f, "slowest", 0, "size"), XPT_ABSENT);
	assert_string_equal(feed_str(f, "slowest", 0, "result"), "ERR_ILLEGAL");
	for (uint64_t i = 1; i < 10; i++)
		assert_int_equal(feed_u64(f, "slowest", i, "duration_ns"), 101 - i);
	assert_int_equal(feed_u64(f, "slowest", 1, "size"), 64);
}

static void test_few_calls(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_slowest);
	feed_call(f, .fn = &copy, .proc = &train, .at = 5, .took = 7, .val = { 64, 0 });
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "slowest"), 1);
}

static void report(struct feed *f, const struct feed_call *c)
{
	feed_call_as(f, XPT_EV_INFLIGHT, c);
}

static void test_hanging(void **state)
{
	struct feed *f = *state;
	struct feed_call hang = { .fn = &sync_fn, .proc = &train, .at = SEC, .took = 5 * SEC,
				  .val = { 0x55 } };
	struct feed_call back = { .fn = &copy, .proc = &train, .at = 2 * SEC, .took = 5 * SEC,
				  .tid = 125, .val = { 64, 0 } };

	feed_begin(f, &xpt_analyzer_inflight);
	report(f, &hang);
	report(f, &back);
	back.took = 6 * SEC;
	feed_call_as(f, XPT_EV_CALL, &back);	/* it returned after all */
	hang.took = 9 * SEC;
	report(f, &hang);
	feed_end(f, 10 * SEC, true);
	assert_int_equal(feed_rows(f, "inflight"), 1);
	assert_string_equal(feed_str(f, "inflight", 0, "function"), "sync");
	assert_int_equal(feed_u64(f, "inflight", 0, "age_ns"), 9 * SEC);
	assert_int_equal(feed_u64(f, "inflight", 0, "stream"), 0x55);
	assert_int_equal(feed_u64(f, "inflight", 0, "size"), XPT_ABSENT);
	assert_string_equal(feed_str(f, "inflight", 0, "comm"), "train");
	assert_string_equal(feed_str(f, "inflight", 0, "args"), "arg=0x55");
}

/* With its stack: who called, outside of the library. Another one without a stack. */
static void test_hanging_at(void **state)
{
	struct xpt_lib cuda = { .path = "/lib/libcuda.so.1" };
	struct xpt_stack *st = calloc(1, sizeof(*st) + 2 * sizeof(st->frame[0]));
	struct feed *f = *state;

	assert_non_null(st);
	st->nr = 2;
	st->frame[0] = (struct xpt_frame_name){ "libcuda.so.1+0x5", "/lib/libcuda.so.1" };
	st->frame[1] = (struct xpt_frame_name){ "wait_for_peer+0x9", "/bin/train" };
	sync_fn.lib = &cuda;
	feed_begin(f, &xpt_analyzer_inflight);
	report(f, &(struct feed_call){ .fn = &sync_fn, .proc = &train, .at = SEC, .took = 5 * SEC,
				       .val = { 0x55 }, .stack = st });
	report(f, &(struct feed_call){ .fn = &copy, .proc = &train, .at = SEC, .took = 4 * SEC,
				       .tid = 125, .val = { 64, 0 } });
	feed_end(f, 6 * SEC, true);
	sync_fn.lib = NULL;
	free(st);
	assert_string_equal(feed_str(f, "inflight", 0, "at"), "wait_for_peer+0x9");
	assert_null(feed_str(f, "inflight", 1, "at"));
}

/* Reported once, then no more: it left by longjmp. Killed inside: it hung. */
static void test_stale_reports(void **state)
{
	struct feed *f = *state;
	struct feed_call left = { .fn = &sync_fn, .proc = &train, .at = SEC, .took = 5 * SEC };
	struct feed_call killed = { .fn = &copy, .proc = &other, .at = SEC, .took = 5 * SEC };

	feed_begin(f, &xpt_analyzer_inflight);
	report(f, &left);
	report(f, &killed);
	feed_proc_event(f, XPT_EV_EXIT, &other, 7 * SEC, false);
	feed_end(f, 60 * SEC, true);
	assert_int_equal(feed_rows(f, "inflight"), 1);
	assert_string_equal(feed_str(f, "inflight", 0, "function"), "copy");
}

static void test_oldest_first_and_bounded(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_inflight);
	for (uint32_t i = 1; i <= 5000; i++)
		report(f, &(struct feed_call){ .fn = &copy, .proc = &train, .tid = i,
					       .at = SEC - i, .took = SEC + i });
	feed_end(f, 2 * SEC, true);
	assert_int_equal(feed_rows(f, "inflight"), 20);
	assert_int_equal(f->out.lost[XPT_LOSS_TABLE_EVICTED], 5000 - 4096);
	assert_int_equal(feed_u64(f, "inflight", 0, "tid"), 4096);
	assert_int_equal(feed_u64(f, "inflight", 1, "tid"), 4095);
}

static void test_everything_returned(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_inflight);
	feed_call(f, .fn = &copy, .proc = &train, .at = 5, .took = 7);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "inflight"), 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_ten_slowest), T(test_few_calls), T(test_hanging), T(test_hanging_at),
		T(test_stale_reports),
		T(test_oldest_first_and_bounded), T(test_everything_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
