/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Findings about ends that are no failed call: analyze/crashes.c (a signal inside a call,
 * no memory) and ignored.c (work that failed and that nobody noticed).
 */
#include "unit/feed.h"

extern const struct xpt_analyzer xpt_analyzer_crashes, xpt_analyzer_ignored;

#define EXITED(code) ((code) << 8)

static struct xpt_fn copy, outer, launch, sync_fn, ask, alloc;
static struct xpt_proc train, other;
static struct feed feed;

static int setup(void **state)
{
	copy = FEED_FN("copy", COPY, NONE, XPT_ROLE_SRC, XPT_ROLE_SIZE);
	outer = FEED_FN("rtCopy", COPY, NONE, XPT_ROLE_SRC, XPT_ROLE_SIZE);
	launch = FEED_FN("launch", LAUNCH, NONE, XPT_ROLE_GRID_X, XPT_ROLE_GRID_Y, XPT_ROLE_GRID_Z,
			 XPT_ROLE_BLOCK_X, XPT_ROLE_BLOCK_Y, XPT_ROLE_BLOCK_Z, XPT_ROLE_SHMEM);
	sync_fn = FEED_FN("sync", SYNC, NONE, XPT_ROLE_STREAM);
	alloc = FEED_FN("alloc", ALLOC, DEVICE, XPT_ROLE_SIZE);
	ask = FEED_FN("errorName", QUERY, NONE, XPT_ROLE_ERROR);
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

static void ends(struct feed *f, struct xpt_proc *p, uint64_t at, int status)
{
	p->exit_status = status;
	feed_proc_event(f, XPT_EV_EXIT, p, at, false);
}

static void inflight(struct feed *f, const struct xpt_fn *fn, uint64_t at, unsigned depth, unsigned sig)
{
	uint64_t val[XPT_MAX_VALS] = { 0x10, 4096 };
	struct xpt_event ev = { .kind = XPT_EV_INFLIGHT, .ts_ns = FEED_T0 + SEC };

	ev.u.call = (struct xpt_call){ .fn = fn, .proc = &train, .tid = 125, .comm = "train",
				       .start_ns = FEED_T0 + at, .dur_ns = SEC - at, .valid = 3,
				       .nr_vals = 2, .val = val, .depth = (uint8_t)depth,
				       .signal = (uint8_t)sig };
	feed_event(f, &ev);
}

static void test_crash_inside(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_crashes);
	inflight(f, &outer, MS, 0, 0);
	inflight(f, &copy, 2 * MS, 1, 11);
	ends(f, &train, SEC + 1, 11);
	feed_end(f, 2 * SEC, true);
	assert_int_equal(feed_rows(f, "verdict"), 1);
	assert_string_equal(feed_str(f, "verdict", 0, "kind"), "crash");
	assert_string_equal(feed_str(f, "verdict", 0, "text"),
			    "train[123] was killed by SIGSEGV inside copy(arg=0x10 arg=4096), called by "
			    "rtCopy, in thread 125, 1.00 s after the start.");
}

static void test_handled_signals(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_crashes);
	inflight(f, &copy, MS, 0, 11);
	ends(f, &train, SEC + 1, EXITED(3));
	feed_end(f, 2 * SEC, true);
	assert_true(feed_says(f, "verdict", "got SIGSEGV and ended with status 3 inside copy"));
}

static void test_no_blame(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_crashes);
	inflight(f, &copy, MS, 0, 0);	/* another thread had the fault */
	ends(f, &train, SEC + 1, 11);
	feed_end(f, 2 * SEC, true);
	assert_int_equal(feed_rows(f, "verdict"), 0);
}

static void test_survived(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_crashes);
	inflight(f, &copy, MS, 0, 11);
	ends(f, &train, SEC + 1, 0);
	feed_end(f, 2 * SEC, true);
	assert_int_equal(feed_rows(f, "verdict"), 0);
}

static void test_out_of_memory(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_crashes);
	train.out_of_memory = true;
	ends(f, &train, SEC, 9);
	ends(f, &other, SEC, 9);
	feed_end(f, 2 * SEC, true);
	assert_int_equal(feed_rows(f, "verdict"), 1);
	assert_true(feed_says(f, "verdict", "train[123] was killed by the kernel because host memory"));
}

static void launches(struct feed *f, unsigned n, uint64_t blocks, uint64_t threads, int64_t ret)
{
	for (unsigned i = 0; i < n; i++)
		feed_call(f, .fn = &launch, .proc = &train, .at = MS, .ret = ret,
			  .val = { blocks, 1, 1, threads, 1, 1, 0 });
}

static void test_nobody_looked(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_ignored);
	feed_call(f, .fn = &alloc, .proc = &train, .ret = ERR_MEMORY, .val = { GIB });
	launches(f, 200, 8, 4096, 1);
	ends(f, &train, SEC, 0);
	feed_end(f, 2 * SEC, true);
	assert_int_equal(feed_rows(f, "verdict"), 1);
	assert_string_equal(feed_str(f, "verdict", 0, "kind"), "ignored_error");
	assert_true(feed_says(f, "verdict", "train[123] went on as if nothing had failed, and ended with "
			      "status 0: 200 of 200 launches failed; first launch("));
	assert_true(feed_says(f, "verdict", "Before that, alloc(arg=1073741824) returned ERR_MEMORY."));
}

static void test_one_of_many(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_ignored);
	launches(f, 5, 8, 64, 0);
	launches(f, 1, 8, 4096, 1);
	launches(f, 5, 8, 64, 0);
	feed_end(f, 2 * SEC, true);	/* it still runs */
	assert_true(feed_says(f, "verdict", "went on as if nothing had failed: 1 of 11 launches failed"));
}

/* Each a reaction, or nothing that needs one. */
static void assert_reaction(struct feed *f, int status)
{
	ends(f, &train, SEC, status);
	feed_end(f, 2 * SEC, true);
	assert_int_equal(feed_rows(f, "verdict"), 0);
}

static void test_asked(void **state)
{
	feed_begin(*state, &xpt_analyzer_ignored);
	launches(*state, 3, 8, 4096, 1);
	feed_call(*state, .fn = &ask, .proc = &train, .at = MS, .val = { 1 });
	assert_reaction(*state, 0);
}

static void test_tried_again(void **state)
{
	feed_begin(*state, &xpt_analyzer_ignored);
	launches(*state, 1, 1, 4096, 1);
	launches(*state, 1, 2, 2048, 1);
	launches(*state, 1, 16, 256, 0);
	feed_call(*state, .fn = &sync_fn, .proc = &train, .at = MS);
	assert_reaction(*state, 0);
}

static void test_ended_with_status(void **state)
{
	feed_begin(*state, &xpt_analyzer_ignored);
	launches(*state, 3, 8, 4096, 1);
	assert_reaction(*state, EXITED(1));
}

/* A question is about what failed before it with that error, and about nothing else. */
static void assert_not_asked(struct feed *f, bool says_so)
{
	ends(f, &train, SEC, 0);
	feed_end(f, 2 * SEC, true);
	assert_int_equal(feed_rows(f, "verdict"), 1);
	assert_string_equal(feed_str(f, "verdict", 0, "kind"), "ignored_error");
	assert_int_equal(feed_says(f, "verdict", "; nobody asked for the error."), says_so);
}

static void test_asked_too_early(void **state)
{
	feed_begin(*state, &xpt_analyzer_ignored);
	launches(*state, 1, 8, 4096, 1);
	feed_call(*state, .fn = &ask, .proc = &train, .at = 2 * MS, .val = { 1 });
	feed_call(*state, .fn = &sync_fn, .proc = &train, .at = 3 * MS, .ret = 1);
	feed_call(*state, .fn = &sync_fn, .proc = &train, .at = 4 * MS, .ret = 1);
	assert_not_asked(*state, true);
	assert_true(feed_says(*state, "verdict", "2 of 2 waits failed; first sync("));
}

static void test_asked_about_another(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_ignored);
	launches(f, 3, 8, 4096, 1);
	feed_call(f, .fn = &sync_fn, .proc = &train, .at = 2 * MS, .ret = 5);
	feed_call(f, .fn = &ask, .proc = &train, .at = 3 * MS, .val = { 5 });
	assert_not_asked(f, false);
	assert_true(feed_says(f, "verdict", "3 of 3 launches failed; first launch("));
}

/* Libraries have names of their own for an error: the call around says which. */
static void test_asked_by_another_number(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_ignored);
	for (int i = 0; i < 3; i++) {
		feed_call(f, .fn = &copy, .proc = &train, .at = MS + 1, .ret = 1, .depth = 1,
			  .flags = XPT_CALL_NESTED);
		feed_call(f, .fn = &outer, .proc = &train, .at = MS, .took = 2, .ret = 9,
			  .flags = XPT_CALL_OUTER);
	}
	feed_call(f, .fn = &ask, .proc = &train, .at = 2 * MS, .val = { 9 });
	assert_reaction(f, 0);
}

/* Whose numbers mean something else, but what failed was inside a call of its own. */
static void test_asked_another_library(void **state)
{
	static const struct xpt_domain collective = { .name = "collective" };

	for (int nested = 0; nested < 2; nested++) {
		struct xpt_fn why = ask;

		why.domain = &collective;
		feed_begin(*state, &xpt_analyzer_ignored);
		for (int i = 0; i < 2; i++)
			feed_call(*state, .fn = &copy, .proc = &train, .at = MS, .ret = 1,
				  .flags = nested ? XPT_CALL_NESTED : 0);
		feed_call(*state, .fn = &why, .proc = &train, .at = 2 * MS, .val = { 1 });
		ends(*state, &train, SEC, 0);
		feed_end(*state, 2 * SEC, true);
		assert_int_equal(feed_rows(*state, "verdict"), !nested);
		if (!nested)
			feed_free(*state);
	}
}

/* The errors of the tries differ; the last one works. */
static void test_tried_with_many_errors(void **state)
{
	feed_begin(*state, &xpt_analyzer_ignored);
	for (int i = 0; i < 6; i++)
		launches(*state, 1, 1u << i, 4096 >> i, 10 + i);
	launches(*state, 1, 64, 64, 0);
	assert_reaction(*state, 0);
}

static void test_no_more_work(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_ignored);
	launches(f, 2, 8, 64, 0);
	feed_call(f, .fn = &copy, .proc = &train, .at = 2 * MS, .ret = 1, .val = { 16, 64 });
	assert_not_asked(f, true);
	assert_string_equal(feed_str(f, "verdict", 0, "text"),
			    "train[123] ended with status 0 as if its last work had been done: 1 of 1 "
			    "copy failed; first copy(arg=0x10 arg=64) returned 1, 2.00 ms after the "
			    "start; nobody asked for the error.");
}

/* It may have told of it in its own way, if it asked about any error behind it. */
static void test_no_more_work_but_asked(void **state)
{
	feed_begin(*state, &xpt_analyzer_ignored);
	launches(*state, 1, 8, 4096, 1);
	feed_call(*state, .fn = &ask, .proc = &train, .at = 2 * MS, .val = { 9 });
	assert_reaction(*state, 0);
}

static void test_no_more_work_in_vain(void **state)
{
	feed_begin(*state, &xpt_analyzer_ignored);
	launches(*state, 1, 8, 4096, 1);
	assert_reaction(*state, EXITED(1));
}

/* What a library that shuts down waits for makes no result. */
static void test_last_wait_failed(void **state)
{
	feed_begin(*state, &xpt_analyzer_ignored);
	launches(*state, 1, 8, 64, 0);
	feed_call(*state, .fn = &sync_fn, .proc = &train, .at = 2 * MS, .ret = 4);
	assert_reaction(*state, 0);
}

static void test_not_ready_is_no_failure(void **state)
{
	feed_begin(*state, &xpt_analyzer_ignored);
	launches(*state, 3, 8, 64, ERR_NOT_READY);
	launches(*state, 3, 8, 64, ERR_ILLEGAL);	/* a finding of its own */
	assert_reaction(*state, 0);
}

static void test_calls_missing(void **state)
{
	feed_begin(*state, &xpt_analyzer_ignored);
	feed_meta(*state, "partial", "as asked");
	launches(*state, 3, 8, 4096, 1);
	assert_reaction(*state, 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_crash_inside), T(test_handled_signals), T(test_no_blame), T(test_survived),
		T(test_out_of_memory), T(test_nobody_looked), T(test_one_of_many), T(test_asked),
		T(test_asked_too_early), T(test_asked_about_another), T(test_asked_by_another_number),
		T(test_asked_another_library), T(test_tried_with_many_errors),
		T(test_no_more_work_but_asked), T(test_no_more_work_in_vain), T(test_last_wait_failed),
		T(test_tried_again), T(test_ended_with_status), T(test_no_more_work),
		T(test_not_ready_is_no_failure), T(test_calls_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
