/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Findings about what stopped a program or spoils a trace, from both sides of
 * each threshold: analyze/stopped.c (sticky and fatal errors), inflight.c
 * (hangs), losses.c.
 */
#include "unit/feed.h"

extern const struct xpt_analyzer xpt_analyzer_stopped, xpt_analyzer_inflight;
extern const struct xpt_analyzer xpt_analyzer_losses;

#define EXITED(code) ((code) << 8)

static struct xpt_fn alloc, release, launch, sync_fn;
static struct xpt_proc train, other;
static struct feed feed;

static int setup(void **state)
{
	alloc = FEED_FN("memAlloc", ALLOC, DEVICE, XPT_ROLE_SIZE);
	release = FEED_FN("memFree", FREE, NONE, XPT_ROLE_ADDR);
	launch = FEED_FN("launch", LAUNCH, NONE, XPT_ROLE_STREAM);
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

static void out_of_memory(struct feed *f, uint64_t at)
{
	feed_call(f, .fn = &launch, .proc = &train, .at = MS);
	feed_call(f, .fn = &alloc, .proc = &train, .at = at, .ret = ERR_MEMORY, .val = { GIB });
	feed_call(f, .fn = &release, .proc = &train, .at = at + MS);
}

static void ends(struct feed *f, uint64_t at, int status)
{
	train.exit_status = status;
	feed_proc_event(f, XPT_EV_EXIT, &train, at, false);
	feed_end(f, at + SEC, true);
}

static void assert_silent(struct feed *f)
{
	assert_int_equal(feed_rows(f, "verdict"), 0);
}

static void test_sticky(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_stopped);
	feed_call(f, .fn = &launch, .proc = &train, .at = MS, .kernel = "gemm");
	feed_call(f, .fn = &sync_fn, .proc = &train, .at = SEC, .ret = ERR_ILLEGAL, .val = { 7 });
	for (int i = 0; i < 40; i++)
		feed_call(f, .fn = &launch, .proc = &train, .at = 2 * SEC, .ret = ERR_ILLEGAL);
	feed_end(f, 5 * SEC, true);
	assert_int_equal(feed_rows(f, "verdict"), 1);
	assert_string_equal(feed_str(f, "verdict", 0, "kind"), "sticky_error");
	assert_string_equal(feed_str(f, "verdict", 0, "text"),
			    "In train[123] sync(arg=0x7) returned ERR_ILLEGAL, 1.00 s after the "
			    "start; its context cannot be used since then (40 later calls "
			    "returned the same). The last kernel launched before was gemm.");
	assert_int_equal(feed_u64(f, "verdict", 0, "at_ns"), SEC);
	assert_int_equal(feed_u64(f, "verdict", 0, "pid"), 123);
}

/* Not the doing of a kernel: the advice is that of the result. */
static void test_sticky_from_elsewhere(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_stopped);
	feed_call(f, .fn = &launch, .proc = &train, .at = MS, .kernel = "gemm");
	feed_call(f, .fn = &sync_fn, .proc = &train, .at = SEC, .ret = ERR_REMOTE);
	feed_end(f, 5 * SEC, true);
	assert_string_equal(feed_str(f, "verdict", 0, "advice"), "Another rank failed.");
	assert_null(strstr(feed_str(f, "verdict", 0, "text"), "gemm"));
}

/* Of ranks the first failure is the cause; the others say that they came later. */
static void test_later_rank(void **state)
{
	struct xpt_proc second = feed_proc(200, "train");
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_stopped);
	feed_call(f, .fn = &sync_fn, .proc = &other, .at = MS, .ret = ERR_REMOTE);
	feed_call(f, .fn = &sync_fn, .proc = &train, .at = SEC, .ret = ERR_ILLEGAL);
	feed_call(f, .fn = &sync_fn, .proc = &second, .at = 2 * SEC, .ret = ERR_REMOTE);
	feed_end(f, 5 * SEC, true);
	assert_int_equal(feed_rows(f, "verdict"), 3);
	assert_null(strstr(feed_str(f, "verdict", 0, "text"), "before"));	/* of another name */
	assert_null(strstr(feed_str(f, "verdict", 1, "text"), "before"));
	assert_string_equal(feed_str(f, "verdict", 2, "text"),
			    "In train[200] sync(arg=0x0) returned ERR_REMOTE, 2.00 s after the start; its "
			    "context cannot be used since then. train[123] had failed 1.00 s before.");
}

/* The domain says what is lost. */
static void test_what_is_lost(void **state)
{
	struct xpt_domain collectives = feed_domain;
	struct xpt_fn reduce = sync_fn;
	struct feed *f = *state;

	collectives.sticky_loses = "communicator";
	reduce.domain = &collectives;
	feed_begin(f, &xpt_analyzer_stopped);
	feed_call(f, .fn = &reduce, .proc = &train, .at = SEC, .ret = ERR_REMOTE);
	feed_end(f, 5 * SEC, true);
	assert_true(feed_says(f, "verdict", "; its communicator cannot be used since then."));
}

/* The sticky error is the cause, whatever failed before it. */
static void test_sticky_behind_another(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_stopped);
	out_of_memory(f, SEC);
	feed_call(f, .fn = &sync_fn, .proc = &train, .at = 2 * SEC, .ret = ERR_ILLEGAL);
	ends(f, 3 * SEC, EXITED(1));
	assert_int_equal(feed_rows(f, "verdict"), 1);
	assert_string_equal(feed_str(f, "verdict", 0, "kind"), "sticky_error");
}

static void test_fatal(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_stopped);
	out_of_memory(f, SEC);
	ends(f, 3 * SEC, EXITED(1));
	assert_int_equal(feed_rows(f, "verdict"), 1);
	assert_string_equal(feed_str(f, "verdict", 0, "kind"), "fatal_error");
	assert_string_equal(feed_str(f, "verdict", 0, "text"),
			    "In train[123] memAlloc(arg=1073741824) returned ERR_MEMORY, 1.00 s "
			    "after the start; it did no more work and ended with status 1, "
			    "2.00 s later.");
	assert_non_null(strstr(feed_str(f, "verdict", 0, "advice"), "what was in use"));
}

/* Some programs need what others only try: told as possible, where nothing else is. */
static void test_possible_cause(void **state)
{
	struct xpt_fn probe = FEED_FN("probeMemory", QUERY, NONE, XPT_ROLE_SIZE);
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_stopped);
	feed_call(f, .fn = &launch, .proc = &train, .at = MS);
	feed_call(f, .fn = &probe, .proc = &train, .at = SEC, .ret = ERR_MEMORY, .val = { GIB });
	feed_call(f, .fn = &release, .proc = &train, .at = SEC + MS);
	ends(f, 3 * SEC, EXITED(1));
	assert_int_equal(feed_rows(f, "verdict"), 1);
	assert_string_equal(feed_str(f, "verdict", 0, "kind"), "possible_cause");
	assert_string_equal(feed_str(f, "verdict", 0, "text"),
			    "In train[123] probeMemory(arg=1073741824) returned ERR_MEMORY, 1.00 s after "
			    "the start; it did no more work and ended with status 1, 2.00 s later, "
			    "possibly for this. Mostly such a failure means nothing: Tried to find out "
			    "what there is.");
}

/* What came after the expected failure, and how the process ended: no possible cause. */
static void test_expected_and_no_cause(void **state)
{
	struct xpt_fn probe = FEED_FN("probeMemory", QUERY, NONE, XPT_ROLE_SIZE);
	static const struct { bool work, again; int status; } ways[] = {
		{ true, false, EXITED(1) }, { false, true, EXITED(1) },	/* it went on */
		{ false, false, EXITED(0) }, { false, false, EXITED(139) }, { false, false, 11 },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct feed *f = *state;

		train = feed_proc(123, "train");
		feed_begin(f, &xpt_analyzer_stopped);
		feed_call(f, .fn = &probe, .proc = &train, .at = SEC, .ret = ERR_MEMORY);
		if (ways[i].work)
			feed_call(f, .fn = &alloc, .proc = &train, .at = SEC + MS, .val = { MIB });
		if (ways[i].again)
			feed_call(f, .fn = &probe, .proc = &train, .at = SEC + MS, .flags = XPT_CALL_OUTER);
		ends(f, 3 * SEC, ways[i].status);
		assert_silent(f);
		if (i + 1 < sizeof(ways) / sizeof(ways[0]))
			feed_free(f);
	}
}

static void test_another_cause_than_expected(void **state)
{
	struct xpt_fn probe = FEED_FN("probeMemory", QUERY, NONE, XPT_ROLE_SIZE);
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_stopped);
	out_of_memory(f, SEC);
	feed_call(f, .fn = &probe, .proc = &train, .at = 2 * SEC, .ret = ERR_MEMORY);
	ends(f, 3 * SEC, EXITED(1));
	assert_int_equal(feed_rows(f, "verdict"), 1);
	assert_string_equal(feed_str(f, "verdict", 0, "kind"), "fatal_error");
}

static void test_fatal_by_signal(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_stopped);
	out_of_memory(f, SEC);
	ends(f, 11 * SEC, 6);	/* SIGABRT, 10 s later: still its cause */
	assert_true(feed_says(f, "verdict", "was killed by signal 6, 10.0 s later."));
}

static void test_too_long_before_the_end(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_stopped);
	out_of_memory(f, SEC);
	ends(f, 11 * SEC + 1, 6);
	assert_silent(f);
}

static void test_ended_well(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_stopped);
	out_of_memory(f, SEC);
	ends(f, 3 * SEC, EXITED(0));
	assert_silent(f);
}

static void test_went_on(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_stopped);
	out_of_memory(f, SEC);
	feed_call(f, .fn = &alloc, .proc = &train, .at = 2 * SEC, .val = { MIB });
	ends(f, 3 * SEC, EXITED(1));
	assert_silent(f);
}

/* What another process does is no progress of this one. */
static void test_another_went_on(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_stopped);
	out_of_memory(f, SEC);
	feed_call(f, .fn = &alloc, .proc = &other, .at = 2 * SEC, .val = { MIB });
	ends(f, 3 * SEC, EXITED(1));
	assert_int_equal(feed_rows(f, "verdict"), 1);
}

static void test_user_ended_it(void **state)
{
	static const int asked[] = { 2, 15, EXITED(130), EXITED(143) };

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		train = feed_proc(123, "train");
		feed_begin(*state, &xpt_analyzer_stopped);
		out_of_memory(*state, SEC);
		ends(*state, 3 * SEC, asked[i]);
		assert_silent(*state);
		if (i + 1 < sizeof(asked) / sizeof(asked[0]))
			feed_free(*state);
	}
}

static void test_still_running(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_stopped);
	out_of_memory(f, SEC);
	feed_end(f, 2 * SEC, true);
	assert_silent(f);
}

/* With successful calls left out nobody knows whether it went on. */
static void test_partial(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_stopped);
	feed_meta(f, "partial", "some calls were left out as asked");
	out_of_memory(f, SEC);
	feed_call(f, .fn = &sync_fn, .proc = &other, .at = 2 * SEC, .ret = ERR_ILLEGAL);
	ends(f, 3 * SEC, EXITED(1));
	assert_int_equal(feed_rows(f, "verdict"), 1);
	assert_int_equal(feed_u64(f, "verdict", 0, "pid"), 124);
}

static void test_more_processes_than_room(void **state)
{
	static struct xpt_proc procs[4100];
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_stopped);
	for (uint32_t i = 0; i < 4100; i++) {
		procs[i] = feed_proc(1000 + i, "worker");
		feed_call(f, .fn = &launch, .proc = &procs[i], .at = SEC + i, .ret = ERR_ILLEGAL);
	}
	feed_end(f, 2 * SEC, true);
	assert_int_equal(feed_rows(f, "verdict"), 4096);
	assert_int_equal(feed_u64(f, "verdict", 0, "pid"), 1000);	/* earliest first */
	assert_int_equal(f->out.lost[XPT_LOSS_TABLE_EVICTED], 4);
}

static void waits(struct feed *f, struct xpt_proc *proc, uint32_t tid, uint64_t age)
{
	struct feed_call c = { .fn = &sync_fn, .proc = proc, .tid = tid, .at = SEC, .took = age };

	feed_call_as(f, XPT_EV_INFLIGHT, &c);
}

static void test_hang(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_inflight);
	feed_call(f, .fn = &sync_fn, .proc = &train, .at = 0, .took = 3 * MS);
	waits(f, &train, 125, 10 * SEC);
	waits(f, &train, 126, 10 * SEC - 1);	/* not yet */
	waits(f, &train, 127, 11 * SEC);
	feed_end(f, 12 * SEC, true);
	assert_int_equal(feed_rows(f, "inflight"), 3);
	assert_int_equal(feed_rows(f, "verdict"), 1);
	assert_string_equal(feed_str(f, "verdict", 0, "kind"), "hang");
	assert_string_equal(feed_str(f, "verdict", 0, "text"),
			    "train[123], thread 127, has not returned from sync for 11.0 s; calls "
			    "of it that returned took 3.00 ms at most; 1 more of its threads "
			    "waits too.");
	assert_int_equal(feed_u64(f, "verdict", 0, "lost_ns"), 11 * SEC);
	assert_int_equal(feed_u64(f, "verdict", 0, "at_ns"), SEC);
}

/* The kernel launched last on the stream that is waited for, if all launches were seen. */
static void test_hang_names_the_launch(void **state)
{
	for (int filtered = 0; filtered < 2; filtered++) {
		struct feed *f = *state;

		feed_begin(f, &xpt_analyzer_inflight);
		if (filtered)
			feed_meta(f, "filtered", "only some functions");
		feed_call(f, .fn = &launch, .proc = &train, .at = 1, .val = { 0 },
			  .kernel = "first");
		feed_call(f, .fn = &launch, .proc = &train, .at = 2, .val = { 0 },
			  .kernel = "spin");
		feed_call(f, .fn = &launch, .proc = &train, .at = 3, .val = { 8 },
			  .kernel = "elsewhere");
		waits(f, &train, 125, 11 * SEC);
		feed_end(f, 12 * SEC, true);
		assert_string_equal(feed_str(f, "verdict", 0, "text"), filtered ?
				    "train[123], thread 125, has not returned from sync for 11.0 s." :
				    "train[123], thread 125, has not returned from sync for 11.0 s. "
				    "The last kernel launched before on this stream was spin.");
		if (!filtered)
			feed_free(f);
	}
}

/* Events of calls that returned may have been left out: the counters know the longest. */
static void test_hang_by_counters(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_inflight);
	waits(f, &train, 125, 11 * SEC);
	feed_counter(f, &sync_fn, &train, 0, 1, 0, 0, 2 * SEC);
	feed_end(f, 12 * SEC, true);
	assert_silent(f);
}

static void test_hang_of_two_processes(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_inflight);
	waits(f, &train, 125, 12 * SEC);
	waits(f, &other, 130, 11 * SEC);
	feed_end(f, 13 * SEC, true);
	assert_int_equal(feed_rows(f, "verdict"), 2);
}

static void test_not_yet_a_hang(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_inflight);
	waits(f, &train, 125, 10 * SEC - 1);
	feed_end(f, 11 * SEC, true);
	assert_int_equal(feed_rows(f, "inflight"), 1);
	assert_silent(f);
}

/* Such calls have taken 1.1 s: 10.9 s are not ten times that. */
static void test_long_calls_are_usual(void **state)
{
	struct feed *f = *state;

	feed_begin(f, &xpt_analyzer_inflight);
	feed_call(f, .fn = &sync_fn, .proc = &other, .at = 0, .took = 1100 * MS);
	waits(f, &train, 125, 10900 * MS);
	feed_end(f, 12 * SEC, true);
	assert_silent(f);
}

static void lose(struct feed *f, enum xpt_loss loss, uint64_t count, uint64_t calls)
{
	feed_begin(f, &xpt_analyzer_losses);
	feed_counter(f, &launch, &train, XPT_DIR_NONE, calls, 0, 0, US);
	feed_loss(f, loss, count);
	feed_end(f, SEC, true);
}

static void test_doubt(void **state)
{
	lose(*state, XPT_LOSS_RING_FULL, 1000, 1000000);
	assert_int_equal(feed_rows(*state, "verdict"), 1);
	assert_string_equal(feed_str(*state, "verdict", 0, "kind"), "loss");
	assert_true(feed_says(*state, "verdict", "1,000 calls not sent as events: ring buffer full, "
			      "in a trace of 1,000,000 calls; totals are exact"));
	assert_int_equal(feed_u64(*state, "verdict", 0, "pid"), XPT_ABSENT);
}

static void test_too_few_to_doubt(void **state)
{
	lose(*state, XPT_LOSS_RING_FULL, 999, 1000000);
	assert_int_equal(feed_rows(*state, "losses"), 1);
	assert_silent(*state);
}

static void test_left_out_as_asked(void **state)
{
	lose(*state, XPT_LOSS_FILTERED, 900000, 1000000);
	assert_int_equal(feed_rows(*state, "losses"), 1);
	assert_silent(*state);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_sticky), T(test_sticky_from_elsewhere), T(test_later_rank), T(test_what_is_lost),
		T(test_sticky_behind_another), T(test_fatal),
		T(test_possible_cause), T(test_expected_and_no_cause),
		T(test_another_cause_than_expected), T(test_fatal_by_signal), T(test_too_long_before_the_end), T(test_ended_well),
		T(test_went_on), T(test_another_went_on), T(test_user_ended_it),
		T(test_still_running), T(test_hang_names_the_launch), T(test_hang_by_counters),
		T(test_partial), T(test_more_processes_than_room),
		T(test_hang), T(test_hang_of_two_processes), T(test_not_yet_a_hang),
		T(test_long_calls_are_usual), T(test_doubt), T(test_too_few_to_doubt),
		T(test_left_out_as_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
