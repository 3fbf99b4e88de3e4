/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * analyze/sync.c, gaps.c, graphs.c: time blocked by stream, waits after every
 * launch and those that are not, gaps and certain idle time, graphs made again
 * and again. Each finding with what triggers it and what nearly does.
 */
#include "unit/feed.h"

extern const struct xpt_analyzer xpt_analyzer_sync, xpt_analyzer_gaps, xpt_analyzer_graphs;

static struct xpt_fn launch, wait, wait_all, wait_event, copy, fetch, begin, make, clone, destroy,
	glaunch;
static struct xpt_proc train;

static int setup(void **state)
{
	(void)state;
	launch = FEED_FN("launch", LAUNCH, NONE, XPT_ROLE_STREAM);
	wait = FEED_FN("streamWait", SYNC, NONE, XPT_ROLE_STREAM);
	wait_all = FEED_FN("deviceWait", SYNC, NONE, XPT_ROLE_NONE);
	wait_event = FEED_FN("eventWait", SYNC, NONE, XPT_ROLE_EVENT);
	copy = FEED_FN("copyAsync", COPY, NONE, XPT_ROLE_STREAM, XPT_ROLE_SIZE);
	fetch = FEED_FN("copyBack", COPY, NONE, XPT_ROLE_DIR, XPT_ROLE_SIZE);
	begin = FEED_FN("ctxCreate", INIT, NONE, XPT_ROLE_CONTEXT, XPT_ROLE_DEVICE);
	make = FEED_FN("instantiate", CREATE, GRAPH, XPT_ROLE_HANDLE, XPT_ROLE_GRAPH);
	clone = FEED_FN("create", CREATE, GRAPH, XPT_ROLE_HANDLE);
	destroy = FEED_FN("destroy", DESTROY, GRAPH, XPT_ROLE_HANDLE);
	glaunch = FEED_FN("graphLaunch", LAUNCH, NONE, XPT_ROLE_GRAPH);
	train = feed_proc(123, "train");
	return 0;
}

static bool found(struct feed *f, const char *kind)
{
	for (size_t i = 0; i < feed_rows(f, "verdict"); i++)
		if (strcmp(feed_str(f, "verdict", i, "kind"), kind) == 0)
			return true;
	return false;
}

/* n rounds of `each` launches of 5 us, then a wait of 20 us and a pause. */
static void rounds_of(struct feed *f, const struct xpt_fn *fn, uint64_t n, uint64_t each, uint64_t pause)
{
	uint64_t at = MS;

	for (uint64_t i = 0; i < n; i++) {
		for (uint64_t k = 0; k < each; k++, at += 5 * US)
			feed_call(f, .fn = fn, .proc = &train, .at = at, .took = 5 * US,
				  .val = { 7 }, .kernel = k ? "second" : "first");
		feed_call(f, .fn = &wait, .proc = &train, .at = at, .took = 20 * US, .val = { 7 });
		at += 20 * US + pause;
	}
	feed_end(f, at, true);
}

static void rounds(struct feed *f, uint64_t n, uint64_t each, uint64_t pause)
{
	rounds_of(f, &launch, n, each, pause);
}

static void test_blocked(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_sync);
	for (uint64_t i = 0; i < 10; i++) {
		feed_call(&f, .fn = &wait, .proc = &train, .at = i * MS, .took = i * US,
			  .val = { i % 2 + 1 });
		feed_call(&f, .fn = &wait_all, .proc = &train, .at = i * MS, .took = 10 * US);
		feed_call(&f, .fn = &wait_all, .proc = &train, .at = i * MS, .took = 10 * US,
			  .flags = XPT_CALL_OUTER);
	}
	feed_end(&f, SEC, true);
	assert_int_equal(feed_rows(&f, "sync"), 3);
	assert_string_equal(feed_str(&f, "sync", 0, "function"), "deviceWait");
	assert_int_equal(feed_u64(&f, "sync", 0, "calls"), 10);
	assert_int_equal(feed_u64(&f, "sync", 0, "stream"), XPT_ABSENT);
	assert_int_equal(feed_u64(&f, "sync", 0, "blocked_ns"), 100 * US);
	assert_int_equal((int)(1e6 * feed_f64(&f, "sync", 0, "share") + 0.5), 100);
	assert_int_equal(feed_u64(&f, "sync", 1, "stream"), 2);	/* 1, 3, 5, 7, 9 us */
	assert_int_equal(feed_u64(&f, "sync", 1, "blocked_ns"), 25 * US);
	assert_int_equal(feed_u64(&f, "sync", 1, "mean_ns"), 5 * US);
	assert_int_equal(feed_u64(&f, "sync", 1, "max_ns"), 9 * US);
	assert_int_equal(feed_u64(&f, "sync", 2, "blocked_ns"), 20 * US);
	assert_int_equal(feed_rows(&f, "verdict"), 0);
	feed_free(&f);
}

static void test_rest_of_waits(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_sync);
	for (uint64_t i = 0; i < 5000; i++)
		feed_call(&f, .fn = &wait, .proc = &train, .at = i * MS, .took = US, .val = { i });
	feed_end(&f, 5 * SEC, true);
	assert_int_equal(feed_rows(&f, "sync"), 7);
	assert_string_equal(feed_str(&f, "sync", 6, "function"), "other (over 1018 rows)");
	assert_int_equal(feed_u64(&f, "sync", 6, "calls"), 4994);
	assert_int_equal(f.out.lost[XPT_LOSS_TABLE_EVICTED], 5000 - 1024);
	feed_free(&f);
}

static void test_wait_after_every_launch(void **state)
{
	struct feed f;

	(void)state;
	/* 200 rounds of 35 us, in 15 of which the device has nothing to do. */
	feed_begin(&f, &xpt_analyzer_sync);
	rounds(&f, 200, 1, 10 * US);
	assert_true(found(&f, "sync_every_launch"));
	assert_int_equal(feed_u64(&f, "verdict", 0, "lost_ns"), 199 * 15 * US);
	feed_free(&f);
	feed_begin(&f, &xpt_analyzer_sync);	/* two launches a round */
	rounds(&f, 200, 2, 10 * US);
	assert_int_equal(feed_rows(&f, "verdict"), 0);
	feed_free(&f);
	feed_begin(&f, &xpt_analyzer_sync);	/* a graph is a series */
	rounds_of(&f, &glaunch, 200, 1, 10 * US);
	assert_int_equal(feed_rows(&f, "verdict"), 0);
	feed_free(&f);
	feed_begin(&f, &xpt_analyzer_sync);	/* too few */
	rounds(&f, 99, 1, 10 * US);
	assert_int_equal(feed_rows(&f, "verdict"), 0);
	feed_free(&f);
	feed_begin(&f, &xpt_analyzer_sync);	/* what is between is the program's own work */
	rounds(&f, 200, 1, MS);
	assert_int_equal(feed_rows(&f, "verdict"), 0);
	feed_free(&f);
}

static void test_gaps(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_gaps);
	rounds(&f, 100, 2, 30 * US);
	assert_int_equal(feed_rows(&f, "gaps"), 1);	/* one stream is all streams */
	assert_string_equal(feed_str(&f, "gaps", 0, "streams"), "all");
	assert_int_equal(feed_u64(&f, "gaps", 0, "launches"), 199);
	assert_int_equal(feed_u64(&f, "gaps", 0, "mean_ns"), 99 * 50 * US / 199);
	assert_int_equal(feed_u64(&f, "gaps", 0, "p50_ns"), 0);
	assert_int_equal(feed_u64(&f, "gaps", 0, "max_ns"), 50 * US);
	assert_int_equal(feed_u64(&f, "gaps", 0, "at_ns"), MS + 10 * US);
	assert_string_equal(feed_str(&f, "gaps", 0, "before"), "second");
	assert_string_equal(feed_str(&f, "gaps", 0, "after"), "first");
	assert_int_equal(feed_u64(&f, "idle", 0, "idles"), 99);
	assert_int_equal(feed_u64(&f, "idle", 0, "idle_ns"), 99 * 30 * US);
	assert_int_equal(feed_u64(&f, "idle", 0, "long_idles"), 0);
	assert_false(found(&f, "idle_gaps"));	/* short */
	feed_free(&f);
}

static void test_idle_is_a_finding(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_gaps);
	rounds(&f, 100, 1, 200 * US);
	assert_true(found(&f, "idle_gaps"));
	assert_int_equal(feed_u64(&f, "verdict", 0, "lost_ns"), 99 * 200 * US);
	feed_free(&f);
	feed_begin(&f, &xpt_analyzer_gaps);	/* a few pauses are start-up */
	rounds(&f, 15, 1, 200 * US);
	assert_int_equal(feed_u64(&f, "idle", 0, "long_idles"), 14);
	assert_false(found(&f, "idle_gaps"));
	feed_free(&f);
	feed_begin(&f, &xpt_analyzer_gaps);	/* hardly any of the time */
	rounds(&f, 100, 60, 120 * US);
	assert_int_equal(feed_u64(&f, "idle", 0, "long_idles"), 99);
	assert_false(found(&f, "idle_gaps"));
	feed_free(&f);
}

/* Work on another stream, waits for events, two devices: nothing is certain. */
static void test_not_idle(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_gaps);
	feed_call(&f, .fn = &copy, .proc = &train, .at = 1, .took = 1, .val = { 9, 4096 });
	rounds(&f, 100, 1, 200 * US);
	assert_int_equal(feed_rows(&f, "idle"), 0);
	feed_free(&f);
	feed_begin(&f, &xpt_analyzer_gaps);
	for (uint64_t i = 0; i < 100; i++) {
		feed_call(&f, .fn = &launch, .proc = &train, .at = i * MS, .took = US, .val = { 7 });
		feed_call(&f, .fn = &wait_event, .proc = &train, .at = i * MS + 2 * US, .took = US);
	}
	feed_end(&f, SEC, true);
	assert_int_equal(feed_rows(&f, "idle"), 0);
	feed_free(&f);
	feed_begin(&f, &xpt_analyzer_gaps);
	feed_call(&f, .fn = &begin, .proc = &train, .at = 1, .took = 1, .val = { 11, 0 });
	feed_call(&f, .fn = &begin, .proc = &train, .at = 2, .took = 1, .val = { 12, 1 });
	rounds(&f, 100, 1, 200 * US);
	assert_int_equal(feed_rows(&f, "idle"), 0);
	feed_free(&f);
}

/* A copy to the host that blocks ends what lies on the default stream. */
static void test_copy_back_waits(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_gaps);
	for (uint64_t i = 0; i < 50; i++) {
		feed_call(&f, .fn = &launch, .proc = &train, .at = i * MS, .took = US, .val = { 0 });
		feed_call(&f, .fn = &fetch, .proc = &train, .at = i * MS + US, .took = 99 * US,
			  .val = { XPT_DIR_D2H, 4096 });
	}
	feed_end(&f, SEC, true);
	assert_int_equal(feed_u64(&f, "idle", 0, "idles"), 49);
	assert_int_equal(feed_u64(&f, "idle", 0, "idle_ns"), 49 * 900 * US);
	assert_string_equal(feed_str(&f, "idle", 0, "before"), "copyBack");
	assert_string_equal(feed_str(&f, "idle", 0, "after"), "launch");
	feed_free(&f);
}

/* n graphs of 100 us each, launched `each` times. */
static void graphs(struct feed *f, uint64_t n, uint64_t each)
{
	uint64_t at = 0;

	feed_begin(f, &xpt_analyzer_graphs);
	for (uint64_t i = 1; i <= n; i++, at += MS) {
		feed_call(f, .fn = &clone, .proc = &train, .at = at, .took = US, .val = { 1 });
		feed_call(f, .fn = &make, .proc = &train, .at = at, .took = 90 * US,
			  .val = { 100 + i, 1 });
		for (uint64_t k = 0; k < each; k++)
			feed_call(f, .fn = &glaunch, .proc = &train, .at = at + 100 * US, .took = US,
				  .val = { 100 + i });
		feed_call(f, .fn = &destroy, .proc = &train, .at = at + 200 * US, .took = 10 * US,
			  .val = { 100 + i });
	}
	feed_end(f, at, true);
}

static void test_graphs(void **state)
{
	struct feed f;

	(void)state;
	graphs(&f, 40, 2);
	assert_int_equal(feed_u64(&f, "graphs", 0, "instantiated"), 40);
	assert_int_equal(feed_u64(&f, "graphs", 0, "launches"), 80);
	assert_int_equal(feed_u64(&f, "graphs", 0, "instantiate_ns"), 40 * 90 * US);
	assert_true(found(&f, "graph_storm"));
	assert_int_equal(feed_u64(&f, "verdict", 0, "lost_ns"), 39 * 100 * US);
	feed_free(&f);
	graphs(&f, 40, 4);	/* each is used often enough */
	assert_int_equal(feed_rows(&f, "verdict"), 0);
	feed_free(&f);
	graphs(&f, 19, 1);	/* one for each shape of the input */
	assert_int_equal(feed_rows(&f, "verdict"), 0);
	feed_free(&f);
	graphs(&f, 40, 0);	/* copies of graphs: never launched */
	assert_int_equal(feed_rows(&f, "verdict"), 0);
	assert_int_equal(feed_u64(&f, "graphs", 0, "launched"), 0);
	feed_free(&f);
}

static void test_partial(void **state)
{
	const struct xpt_analyzer *all[] = { &xpt_analyzer_sync, &xpt_analyzer_gaps };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct feed f;

		feed_begin(&f, all[i]);
		feed_meta(&f, "partial", "sampled");
		rounds(&f, 1000, 1, 50 * US + i * MS);
		assert_int_equal(feed_rows(&f, "verdict"), 0);
		feed_free(&f);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup(name, setup)
	const struct CMUnitTest tests[] = {
		T(test_blocked), T(test_rest_of_waits), T(test_wait_after_every_launch),
		T(test_gaps), T(test_idle_is_a_finding), T(test_not_idle), T(test_copy_back_waits),
		T(test_graphs), T(test_partial),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
