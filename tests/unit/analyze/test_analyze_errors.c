/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * analyze/errors.c: exact counts per function and code, answers that are no
 * failures, failures passed on by an outer call, and the sentence that tells
 * the first failure and its sticky followers.
 */
#include "unit/feed.h"

extern const struct xpt_analyzer xpt_analyzer_errors;

static struct xpt_fn alloc, outer, launch, query;
static struct xpt_proc train, other;

static int setup(void **state)
{
	struct feed *f = malloc(sizeof(*f));

	alloc = FEED_FN("memAlloc", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	alloc.cap[0].op = XPT_CAP_OUT;
	alloc.cap_name[0] = "dptr";
	alloc.cap_name[1] = "bytes";
	outer = FEED_FN("rtMalloc", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	launch = FEED_FN("launch", LAUNCH, NONE, XPT_ROLE_STREAM);
	query = FEED_FN("query", QUERY, NONE, XPT_ROLE_STREAM);
	train = feed_proc(123, "train");
	other = feed_proc(124, "other");
	if (!f)
		return -1;
	feed_begin(f, &xpt_analyzer_errors);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	feed_free(*state);
	free(*state);
	return 0;
}

static void test_first_failure(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &launch, .proc = &train, .at = SEC, .val = { 7 });
	feed_call(f, .fn = &alloc, .proc = &train, .at = 2 * SEC, .took = MS, .ret = ERR_MEMORY,
		  .tid = 125, .val = { 0xdead, GIB });
	feed_call(f, .fn = &alloc, .proc = &train, .at = 3 * SEC, .ret = ERR_MEMORY,
		  .val = { 0, MIB });
	feed_call(f, .fn = &launch, .proc = &train, .at = 4 * SEC, .ret = 12345, .val = { 7 });
	feed_end(f, 5 * SEC, false);
	assert_int_equal(feed_rows(f, "first_failures"), 1);
	assert_string_equal(feed_str(f, "first_failures", 0, "text"),
			    "train[123] failed first 2.00 s after the start: "
			    "memAlloc(bytes=1073741824) returned ERR_MEMORY: The device has no "
			    "memory left. 2 later calls failed, 1 with this error.");
	assert_int_equal(feed_u64(f, "first_failures", 0, "tid"), 125);
	/* A cut trace has no counters: events count. */
	assert_int_equal(feed_rows(f, "errors"), 2);
	assert_int_equal(feed_u64(f, "errors", 0, "calls"), 2);
	assert_string_equal(feed_str(f, "errors", 1, "error"), "12345");
}

/* Forked workers that fail alike: one sentence, all records. Another name, code or function: its own. */
static void test_alike(void **state)
{
	static struct xpt_proc worker[20];
	struct feed *f = *state;

	for (unsigned i = 0; i < 20; i++) {
		worker[i] = feed_proc(200 + i, "worker");
		feed_call(f, .fn = &alloc, .proc = &worker[i], .at = (i + 1) * SEC, .ret = ERR_MEMORY,
			  .val = { 0, i * MIB });
	}
	feed_call(f, .fn = &alloc, .proc = &other, .at = 30 * SEC, .ret = ERR_MEMORY, .val = { 0, MIB });
	feed_call(f, .fn = &launch, .proc = &train, .at = 31 * SEC, .ret = 12345, .val = { 7 });
	feed_end(f, 40 * SEC, false);
	assert_int_equal(feed_rows(f, "first_failures"), 8 + 2);
	assert_string_equal(feed_str(f, "first_failures", 0, "text"),
			    "20 processes (worker[200], worker[201], worker[202], worker[203], worker[204], "
			    "worker[205], ...) failed alike 1.00 s after the start, the first of them: "
			    "memAlloc(bytes=0) returned ERR_MEMORY: The device has no memory left.");
	assert_int_equal(feed_u64(f, "first_failures", 0, "processes"), 20);
	assert_int_equal(feed_u64(f, "first_failures", 0, "repeats"), 0);
	for (unsigned i = 1; i < 8; i++) {
		assert_int_equal(feed_u64(f, "first_failures", i, "repeats"), 1);
		assert_int_equal(feed_u64(f, "first_failures", i, "pid"), 200 + i);
	}
	assert_string_equal(feed_str(f, "first_failures", 8, "comm"), "other");
	assert_int_equal(feed_u64(f, "first_failures", 8, "processes"), 1);
	assert_string_equal(feed_str(f, "first_failures", 9, "function"), "launch");
}

/* A caching allocator at work: what is tried again and finds room then is no first failure. */
static void test_retried(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &alloc, .proc = &train, .at = SEC, .ret = ERR_MEMORY, .val = { 0, GIB });
	feed_call(f, .fn = &alloc, .proc = &train, .at = SEC + MS, .val = { 0, MIB });	/* another size */
	feed_call(f, .fn = &alloc, .proc = &other, .at = SEC, .ret = ERR_MEMORY, .val = { 0, GIB });
	feed_call(f, .fn = &alloc, .proc = &other, .at = SEC + MS, .val = { 0, GIB });
	feed_call(f, .fn = &launch, .proc = &other, .at = 2 * SEC, .ret = 12345, .val = { 7 });
	feed_end(f, 5 * SEC, false);
	assert_int_equal(feed_rows(f, "first_failures"), 2);
	assert_string_equal(feed_str(f, "first_failures", 0, "function"), "memAlloc");
	assert_string_equal(feed_str(f, "first_failures", 1, "function"), "launch");
}

/* Ranks: the one that failed first, and the one that failed for it. */
static void test_later(void **state)
{
	struct xpt_proc second = feed_proc(200, "train");
	struct feed *f = *state;

	feed_call(f, .fn = &launch, .proc = &other, .at = MS, .ret = 12345, .val = { 7 });
	feed_call(f, .fn = &launch, .proc = &train, .at = SEC, .ret = ERR_ILLEGAL, .val = { 7 });
	feed_call(f, .fn = &alloc, .proc = &second, .at = 2 * SEC, .ret = ERR_MEMORY, .val = { 0, MIB });
	feed_end(f, 5 * SEC, false);
	assert_int_equal(feed_u64(f, "first_failures", 0, "later"), 0);
	assert_int_equal(feed_u64(f, "first_failures", 1, "later"), 0);
	assert_int_equal(feed_u64(f, "first_failures", 2, "later"), 1);
	assert_true(feed_says(f, "first_failures",
			      "train[200] failed first 2.00 s after the start, 1.00 s later than train[123]: memAlloc"));
}

static void test_sticky(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &launch, .proc = &train, .at = SEC, .ret = ERR_ILLEGAL, .val = { 7 });
	for (int i = 0; i < 1204; i++)
		feed_call(f, .fn = &launch, .proc = &train, .at = 2 * SEC, .ret = ERR_ILLEGAL);
	feed_call(f, .fn = &launch, .proc = &other, .at = 3 * SEC, .ret = ERR_ILLEGAL);
	feed_end(f, 5 * SEC, true);
	assert_int_equal(feed_rows(f, "first_failures"), 2);
	assert_true(feed_says(f, "first_failures", "launch(arg=0x7) returned ERR_ILLEGAL: A kernel "
			      "used a bad address. 1,204 later calls returned the same sticky "
			      "error: look at this one first."));
	assert_int_equal(feed_u64(f, "first_failures", 1, "later_same"), 0);
	assert_int_equal(feed_u64(f, "errors", 0, "calls"), 1206);
}

/* An early failure that was handled must not hide the cause of the rest. */
static void test_first_sticky_is_told_too(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &alloc, .proc = &train, .at = SEC, .ret = ERR_MEMORY);
	feed_call(f, .fn = &launch, .proc = &train, .at = 2 * SEC, .ret = ERR_ILLEGAL);
	feed_call(f, .fn = &alloc, .proc = &train, .at = 3 * SEC, .ret = ERR_ILLEGAL);
	feed_end(f, 5 * SEC, true);
	assert_int_equal(feed_rows(f, "first_failures"), 2);
	assert_true(feed_says(f, "first_failures", "2 later calls failed, none with this error"));
	assert_true(feed_says(f, "first_failures", "got its first sticky error 2.00 s"));
	assert_true(feed_says(f, "first_failures", "1 later call returned the same sticky"));
}

static void test_answers_are_no_failures(void **state)
{
	struct feed *f = *state;

	for (int i = 0; i < 50; i++)
		feed_call(f, .fn = &query, .proc = &train, .at = SEC, .ret = ERR_NOT_READY);
	feed_counter(f, &query, &train, XPT_DIR_NONE, 50, 50, 0, US);
	feed_errcount(f, &query, &train, ERR_NOT_READY, 50);
	feed_end(f, 5 * SEC, true);
	assert_int_equal(feed_rows(f, "errors"), 0);
	assert_int_equal(feed_rows(f, "first_failures"), 0);
}

/* What everybody tries is neither first nor counted among the errors. */
static void test_expected_errors(void **state)
{
	struct xpt_fn probing = FEED_FN("probeTable", QUERY, NONE, XPT_ROLE_NONE);
	struct feed *f = *state;

	feed_call(f, .fn = &probing, .proc = &train, .at = MS, .ret = ERR_MEMORY);
	feed_call(f, .fn = &probing, .proc = &train, .at = MS, .ret = ERR_MEMORY);
	feed_call(f, .fn = &launch, .proc = &train, .at = SEC, .ret = 12345);
	feed_counter(f, &probing, &train, XPT_DIR_NONE, 2, 2, 0, US);
	feed_errcount(f, &probing, &train, ERR_MEMORY, 2);
	feed_counter(f, &launch, &train, XPT_DIR_NONE, 1, 1, 0, US);
	feed_errcount(f, &launch, &train, 12345, 1);
	feed_end(f, 5 * SEC, true);
	assert_int_equal(feed_rows(f, "errors"), 1);
	assert_string_equal(feed_str(f, "first_failures", 0, "function"), "launch");
	assert_int_equal(feed_u64(f, "first_failures", 0, "later_failures"), 0);
	assert_int_equal(feed_rows(f, "expected_errors"), 1);
	assert_string_equal(feed_str(f, "expected_errors", 0, "function"), "probeTable");
	assert_int_equal(feed_u64(f, "expected_errors", 0, "calls"), 2);
}

static void test_passed_on(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &alloc, .proc = &train, .at = SEC + 10, .took = 10, .ret = ERR_MEMORY,
		  .flags = XPT_CALL_NESTED, .val = { 0, MIB });
	feed_call(f, .fn = &outer, .proc = &train, .at = SEC, .took = 30, .ret = ERR_MEMORY,
		  .flags = XPT_CALL_OUTER, .val = { 0, MIB });
	feed_counter(f, &alloc, &train, XPT_DIR_NONE | XPT_SUB_NESTED, 1, 1, 0, 10);
	feed_counter(f, &outer, &train, XPT_DIR_NONE | XPT_SUB_OUTER, 1, 1, 0, 30);
	feed_errcount(f, &alloc, &train, ERR_MEMORY, 1);
	feed_errcount(f, &outer, &train, ERR_MEMORY, 1);
	feed_end(f, 5 * SEC, true);
	assert_int_equal(feed_rows(f, "errors"), 1);
	assert_string_equal(feed_str(f, "errors", 0, "function"), "memAlloc");
	assert_int_equal(feed_rows(f, "first_failures"), 1);
	assert_true(feed_says(f, "first_failures", "memAlloc(bytes=1048576), called by rtMalloc, "
			      "returned ERR_MEMORY"));
	assert_int_equal(feed_u64(f, "first_failures", 0, "later_failures"), 0);
}

/* What was inside was expected to fail, or did not: the failure is the outer call's own. */
static void test_not_passed_on(void **state)
{
	struct feed *f = *state;

	for (uint64_t i = 0; i < 3; i++)
		feed_call(f, .fn = &outer, .proc = &train, .at = (i + 1) * SEC, .took = 30,
			  .ret = ERR_MEMORY, .flags = XPT_CALL_OUTER, .own_failure = i > 0,
			  .val = { 0, MIB });
	feed_counter(f, &outer, &train, XPT_DIR_NONE | XPT_SUB_OUTER, 3, 3, 0, 90);
	feed_errcount(f, &outer, &train, ERR_MEMORY, 3);
	feed_end(f, 5 * SEC, true);
	assert_int_equal(feed_rows(f, "errors"), 1);
	assert_int_equal(feed_u64(f, "errors", 0, "calls"), 2);
	assert_int_equal(feed_rows(f, "first_failures"), 1);
	assert_int_equal(feed_u64(f, "first_failures", 0, "at_ns"), 2 * SEC + 30);
	assert_int_equal(feed_u64(f, "first_failures", 0, "later_failures"), 1);
}

/* The call around it succeeded: it is counted, but it is not what failed first. */
static void test_handled_inside(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &alloc, .proc = &train, .at = SEC + 10, .took = 10, .ret = ERR_MEMORY,
		  .flags = XPT_CALL_NESTED, .val = { 0, MIB });
	feed_call(f, .fn = &query, .proc = &train, .at = 2 * SEC, .ret = 12345, .tid = 125);
	feed_call(f, .fn = &outer, .proc = &train, .at = SEC, .took = 2 * SEC, .val = { 0, MIB });
	feed_end(f, 5 * SEC, false);
	assert_int_equal(feed_rows(f, "errors"), 2);
	assert_int_equal(feed_rows(f, "first_failures"), 1);
	assert_string_equal(feed_str(f, "first_failures", 0, "function"), "query");
	assert_int_equal(feed_u64(f, "first_failures", 0, "later_failures"), 0);
}

/* A context that is broken stays broken, whatever the call around it says. */
static void test_sticky_is_not_handled(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &launch, .proc = &train, .at = SEC + 10, .took = 10, .ret = ERR_ILLEGAL);
	feed_call(f, .fn = &outer, .proc = &train, .at = SEC, .took = 30, .val = { 0, MIB });
	feed_end(f, 5 * SEC, false);
	assert_int_equal(feed_rows(f, "first_failures"), 1);
}

/* Events were lost; the kernel's counts are exact. */
static void test_counts_are_exact(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &launch, .proc = &train, .at = SEC, .ret = ERR_MEMORY);
	feed_counter(f, &launch, &train, XPT_DIR_NONE, 5000, 901, 0, US);
	feed_errcount(f, &launch, &train, ERR_MEMORY, 900);
	feed_errcount(f, &launch, &train, ERR_NOT_READY, 1);
	feed_end(f, 5 * SEC, true);
	assert_int_equal(feed_rows(f, "errors"), 1);
	assert_int_equal(feed_u64(f, "errors", 0, "calls"), 900);
}

static void test_many(void **state)
{
	static struct xpt_proc procs[20];
	struct feed *f = *state;

	for (uint32_t i = 0; i < 20; i++) {
		procs[i] = feed_proc(1000 + i, "worker");
		feed_call(f, .fn = &launch, .proc = &procs[i], .at = (20 - i) * SEC,
			  .ret = 1000 + i);
	}
	for (uint32_t i = 20; i < 205; i++)
		feed_call(f, .fn = &launch, .proc = &procs[0], .at = 21 * SEC + i, .ret = 1000 + i);
	feed_end(f, 30 * SEC, true);
	assert_int_equal(feed_rows(f, "errors"), 201);
	assert_int_equal(feed_u64(f, "errors", 200, "calls"), 5);
	assert_int_equal(feed_rows(f, "first_failures"), 9);
	assert_int_equal(feed_u64(f, "first_failures", 0, "pid"), 1019);	/* earliest first */
	assert_true(feed_says(f, "first_failures", "12 more processes had failing calls."));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_first_failure), T(test_alike), T(test_later), T(test_retried), T(test_sticky), T(test_first_sticky_is_told_too),
		T(test_answers_are_no_failures), T(test_expected_errors), T(test_passed_on), T(test_not_passed_on),
		T(test_handled_inside), T(test_sticky_is_not_handled),
		T(test_counts_are_exact),
		T(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
