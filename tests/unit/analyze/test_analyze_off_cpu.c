/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * analyze/off_cpu.c: time waiting for a CPU, asleep and running by function;
 * exact sums win over events; the finding has both sides of each threshold.
 */
#include "unit/feed.h"

extern const struct xpt_analyzer xpt_analyzer_off_cpu;

static struct xpt_fn outer, inner;
static struct xpt_proc train;
static struct feed feed;

static int setup(void **state)
{
	outer = FEED_FN("cudaMalloc", ALLOC, DEVICE, XPT_ROLE_NONE);
	inner = FEED_FN("cuMemAlloc_v2", ALLOC, DEVICE, XPT_ROLE_NONE);
	train = feed_proc(123, "train");
	feed_begin(&feed, &xpt_analyzer_off_cpu);
	*state = &feed;
	return 0;
}

static int teardown(void **state)
{
	feed_free(*state);
	return 0;
}

static void feed_sched(struct feed *f, const struct xpt_fn *fn, unsigned sub, uint64_t calls,
		       uint64_t runq, uint64_t blocked, uint64_t taken)
{
	struct xpt_rec_sched r = { .key.sub = (__u8)sub, .calls = calls, .runq_ns = runq,
				   .blocked_ns = blocked, .involuntary = taken, .voluntary = 1 };
	struct xpt_event ev = { .kind = XPT_EV_SCHED, .ts_ns = FEED_T0 };

	ev.u.sched.fn = fn;
	ev.u.sched.proc = &train;
	ev.u.sched.rec = &r;
	feed_event(f, &ev);
}

/* A call of which an event tells what the scheduler did. */
static void feed_switched(struct feed *f, const struct xpt_fn *fn, uint64_t at, uint64_t took,
			  struct xpt_wire_sched sched)
{
	struct xpt_event ev = { .kind = XPT_EV_CALL, .ts_ns = FEED_T0 + at + took };

	ev.u.call.fn = fn;
	ev.u.call.proc = &train;
	ev.u.call.tid = 123;
	ev.u.call.start_ns = FEED_T0 + at;
	ev.u.call.dur_ns = took;
	ev.u.call.flags = XPT_CALL_SCHED;
	ev.u.call.sched = sched;
	feed_event(f, &ev);
}

static void test_counters(void **state)
{
	struct feed *f = *state;
	size_t row;

	feed_meta(f, "sched", "yes");
	feed_switched(f, &outer, 0, MS, (struct xpt_wire_sched){ MS, 0, 0, 9 });
	feed_counter(f, &outer, &train, XPT_DIR_NONE, 10, 0, 0, 10 * MS);
	feed_counter(f, &inner, &train, XPT_DIR_NONE | XPT_SUB_NESTED, 10, 0, 0, 5 * MS);
	feed_sched(f, &outer, XPT_DIR_NONE, 4, 30 * MS, 50 * MS, 7);
	feed_sched(f, &inner, XPT_DIR_NONE | XPT_SUB_NESTED, 2, 10 * MS, 20 * MS, 3);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "off_cpu"), 2);
	row = feed_row(f, "off_cpu", "function", "cudaMalloc");
	assert_int_equal(row, 0);
	assert_int_equal(feed_u64(f, "off_cpu", row, "calls"), 10);
	assert_int_equal(feed_u64(f, "off_cpu", row, "switched"), 4);
	assert_int_equal(feed_u64(f, "off_cpu", row, "time_ns"), 100 * MS);
	assert_int_equal(feed_u64(f, "off_cpu", row, "runq_ns"), 30 * MS);
	assert_int_equal(feed_u64(f, "off_cpu", row, "blocked_ns"), 50 * MS);
	assert_int_equal(feed_u64(f, "off_cpu", row, "cpu_ns"), 20 * MS);
	assert_int_equal(feed_u64(f, "off_cpu", row, "involuntary"), 7);
	assert_true(feed_f64(f, "off_cpu", row, "waited") == 0.3);
	assert_int_equal(feed_u64(f, "off_cpu", 1, "runq_ns"), 10 * MS);
}

/* A recording that ends before the sums. */
static void test_events(void **state)
{
	struct feed *f = *state;

	feed_meta(f, "sched", "yes");
	feed_switched(f, &outer, 0, 10 * MS, (struct xpt_wire_sched){ MS, 2 * MS, 1, 0 });
	feed_switched(f, &outer, 20 * MS, 10 * MS, (struct xpt_wire_sched){ 3 * MS, 0, 0, 2 });
	feed_call(f, .fn = &outer, .proc = &train, .at = 40 * MS, .took = 10 * MS);
	feed_call(f, .fn = &inner, .proc = &train, .at = 60 * MS, .took = 10 * MS);
	feed_end(f, SEC, false);
	assert_int_equal(feed_rows(f, "off_cpu"), 1);
	assert_int_equal(feed_u64(f, "off_cpu", 0, "calls"), 3);
	assert_int_equal(feed_u64(f, "off_cpu", 0, "switched"), 2);
	assert_int_equal(feed_u64(f, "off_cpu", 0, "runq_ns"), 4 * MS);
	assert_int_equal(feed_u64(f, "off_cpu", 0, "cpu_ns"), 24 * MS);
}

static void test_nobody_looked(void **state)
{
	struct feed *f = *state;

	feed_counter(f, &outer, &train, XPT_DIR_NONE, 10, 0, 0, 10 * MS);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "off_cpu"), 0);
	assert_int_equal(feed_rows(f, "verdict"), 0);
}

/* One process of one second: so many ms in calls, so many of them waiting, in this many switches. */
static size_t findings(struct feed *f, uint64_t in_calls, uint64_t waited, uint64_t taken)
{
	feed_meta(f, "sched", "yes");
	feed_counter(f, &outer, &train, XPT_DIR_NONE, 1, 0, 0, in_calls * MS);
	feed_sched(f, &outer, XPT_DIR_NONE, 1, waited * MS, 0, taken);
	feed_end(f, SEC, true);
	return feed_rows(f, "verdict");
}

static void test_finding(void **state)
{
	struct feed *f = *state;

	assert_int_equal(findings(f, 500, 100, 19), 1);
	assert_string_equal(feed_str(f, "verdict", 0, "kind"), "cpu_wait");
	assert_int_equal(feed_u64(f, "verdict", 0, "lost_ns"), 100 * MS);
	assert_true(feed_says(f, "verdict", "20.0 % of the time in 1 calls"));
	assert_true(feed_says(f, "verdict", "taken away 19 times"));
}

static void test_too_little_of_the_calls(void **state)
{
	assert_int_equal(findings(*state, 501, 100, 40), 0);
}

static void test_too_little_time(void **state)
{
	assert_int_equal(findings(*state, 200, 99, 40), 0);
}

static void test_too_few_switches(void **state)
{
	assert_int_equal(findings(*state, 500, 400, 18), 0);
}

/* Of ten seconds 400 ms are less than 5 %. */
static void test_too_little_of_the_wall(void **state)
{
	struct feed *f = *state;

	feed_meta(f, "sched", "yes");
	feed_counter(f, &outer, &train, XPT_DIR_NONE, 1, 0, 0, 500 * MS);
	feed_sched(f, &outer, XPT_DIR_NONE, 1, 400 * MS, 0, 40);
	feed_end(f, 10 * SEC, true);
	assert_int_equal(feed_rows(f, "verdict"), 0);
}

/* What lies inside another call is in that call's time already. */
static void test_nested_counts_once(void **state)
{
	struct feed *f = *state;

	feed_meta(f, "sched", "yes");
	feed_counter(f, &outer, &train, XPT_DIR_NONE, 1, 0, 0, 501 * MS);
	feed_counter(f, &inner, &train, XPT_DIR_NONE | XPT_SUB_NESTED, 1, 0, 0, 400 * MS);
	feed_sched(f, &outer, XPT_DIR_NONE, 1, 100 * MS, 0, 40);
	feed_sched(f, &inner, XPT_DIR_NONE | XPT_SUB_NESTED, 1, 100 * MS, 0, 40);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "verdict"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_counters, setup, teardown),
		cmocka_unit_test_setup_teardown(test_events, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nobody_looked, setup, teardown),
		cmocka_unit_test_setup_teardown(test_finding, setup, teardown),
		cmocka_unit_test_setup_teardown(test_too_little_of_the_calls, setup, teardown),
		cmocka_unit_test_setup_teardown(test_too_little_time, setup, teardown),
		cmocka_unit_test_setup_teardown(test_too_few_switches, setup, teardown),
		cmocka_unit_test_setup_teardown(test_too_little_of_the_wall, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nested_counts_once, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
