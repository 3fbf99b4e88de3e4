/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * analyze/launches.c: launches per kernel, nested ones once, the most used
 * grid and block, graphs, the row of the rest, and no table without a launch.
 */
#include "unit/feed.h"

extern const struct xpt_analyzer xpt_analyzer_launches;

static struct xpt_fn launch, graph, bare, sync;
static struct xpt_proc train;

static int setup(void **state)
{
	struct feed *f = malloc(sizeof(*f));

	launch = FEED_FN("launch", LAUNCH, NONE, XPT_ROLE_FUNC, XPT_ROLE_GRID_X, XPT_ROLE_GRID_Y,
			 XPT_ROLE_GRID_Z, XPT_ROLE_BLOCK_X, XPT_ROLE_BLOCK_Y, XPT_ROLE_BLOCK_Z);
	graph = FEED_FN("graph", LAUNCH, NONE, XPT_ROLE_GRAPH);
	bare = FEED_FN("bare", LAUNCH, NONE, XPT_ROLE_STREAM);
	sync = FEED_FN("sync", SYNC, NONE, XPT_ROLE_NONE);
	train = feed_proc(123, "train");
	if (!f)
		return -1;
	feed_begin(f, &xpt_analyzer_launches);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	feed_free(*state);
	free(*state);
	return 0;
}

static void start(struct feed *f, const char *kernel, uint64_t grid, uint64_t block, uint8_t flags,
		  int64_t ret)
{
	feed_call(f, .fn = &launch, .proc = &train, .at = 1, .took = 100, .kernel = kernel,
		  .flags = flags, .ret = ret, .val = { 0xf0, grid, 1, 1, block, 8, 1 });
}

static void test_rows(void **state)
{
	struct feed *f = *state;

	for (int i = 0; i < 6; i++)
		start(f, "gemm", i < 4 ? 64 : 32, 16, 0, 0);
	start(f, "gemm", 1, 1, XPT_CALL_OUTER, 0);	/* the call inside it is the launch */
	start(f, "unknown(0xf0)", 1, 1, 0, 0);
	start(f, "unknown(0xf0)", 1, 1, 0, ERR_ILLEGAL);
	feed_call(f, .fn = &graph, .proc = &train, .at = 1, .took = 700);
	feed_call(f, .fn = &bare, .proc = &train, .at = 1, .took = 1);
	feed_call(f, .fn = &sync, .proc = &train, .at = 1, .took = 1);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "launches"), 4);
	assert_string_equal(feed_str(f, "launches", 0, "kernel"), "gemm");
	assert_int_equal(feed_u64(f, "launches", 0, "launches"), 6);
	assert_int_equal(feed_u64(f, "launches", 0, "time_ns"), 600);
	assert_int_equal(feed_u64(f, "launches", 0, "mean_ns"), 100);
	assert_string_equal(feed_str(f, "launches", 0, "shape"), "<<<64,16x8>>>");
	assert_string_equal(feed_str(f, "launches", 1, "kernel"), "unknown(0xf0)");
	assert_int_equal(feed_u64(f, "launches", 1, "failed"), 1);
	assert_string_equal(feed_str(f, "launches", 2, "kernel"), "(graphs)");
	assert_int_equal(feed_u64(f, "launches", 2, "time_ns"), 700);
	assert_string_equal(feed_str(f, "launches", 2, "shape"), "-");
	assert_string_equal(feed_str(f, "launches", 3, "kernel"), "unknown");
}

/* More shapes than are counted: the one that is used most stays. */
static void test_many_shapes(void **state)
{
	struct feed *f = *state;

	for (uint64_t i = 0; i < 1000; i++) {
		start(f, "k", 7, 7, 0, 0);
		start(f, "k", 100 + i, 7, 0, 0);
	}
	feed_end(f, SEC, true);
	assert_string_equal(feed_str(f, "launches", 0, "shape"), "<<<7,7x8>>>");
}

static void test_rest_is_one_row(void **state)
{
	struct feed *f = *state;
	uint64_t launches = 0;
	char name[300];

	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "kernel%d", i);
		for (int k = 0; k < (i < 20 ? 20 - i : 1); k++)
			start(f, name, 1, 1, 0, 0);
	}
	memset(name, 'x', sizeof(name));	/* longer than what is kept */
	name[299] = '\0';
	start(f, name, 1, 1, 0, 0);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "launches"), 11);
	assert_string_equal(feed_str(f, "launches", 0, "kernel"), "kernel0");
	assert_string_equal(feed_str(f, "launches", 9, "kernel"), "kernel9");
	assert_string_equal(feed_str(f, "launches", 10, "kernel"), "other (over 4086 kernels)");
	for (size_t i = 0; i < 11; i++)
		launches += feed_u64(f, "launches", i, "launches");
	assert_int_equal(launches, 20 * 21 / 2 + 4980 + 1);
	assert_int_equal(f->out.lost[XPT_LOSS_TABLE_EVICTED], 5001 - 4096);
}

static void test_nothing(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &sync, .proc = &train, .at = 1, .took = 1);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "launches"), 0);
}

/* 1,200 launches of 10 us, a short wait behind each `series` of them. */
static bool is_launch_bound(struct feed *f, unsigned series)
{
	for (uint64_t i = 0; i < 1200; i++) {
		feed_call(f, .fn = &launch, .proc = &train, .at = i * 15 * US, .took = 10 * US);
		if (i % series == series - 1)
			feed_call(f, .fn = &sync, .proc = &train, .at = i * 15 * US + 11 * US,
				  .took = US / 2);
	}
	feed_end(f, SEC, true);
	return feed_says(f, "verdict", "in launch calls");
}

static void test_launch_bound(void **state)
{
	assert_true(is_launch_bound(*state, 2));
}

/* There is no series for a graph, and sync_every_launch tells of it. */
static void test_each_launch_waited_for(void **state)
{
	assert_false(is_launch_bound(*state, 1));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_rows), T(test_many_shapes), T(test_rest_is_one_row), T(test_nothing),
		T(test_launch_bound), T(test_each_launch_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
