/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * model/missing.c and every finding that rests on calls which are not there:
 * each story gives its finding when all calls are seen, and none when the
 * trace says that calls or functions were left out, or lost many of them.
 */
#include "unit/feed.h"
#include "model/missing.h"

extern const struct xpt_analyzer xpt_analyzer_sync, xpt_analyzer_gaps, xpt_analyzer_launches;
extern const struct xpt_analyzer xpt_analyzer_copies, xpt_analyzer_graphs, xpt_analyzer_churn;
extern const struct xpt_analyzer xpt_analyzer_stopped, xpt_analyzer_totals;

static struct xpt_fn launch, wait, up, make, glaunch, alloc, release, init;
static struct xpt_proc train;

static int setup(void **state)
{
	(void)state;
	launch = FEED_FN("launch", LAUNCH, NONE, XPT_ROLE_STREAM);
	wait = FEED_FN("streamWait", SYNC, NONE, XPT_ROLE_STREAM);
	up = FEED_FN("copyUp", COPY, NONE, XPT_ROLE_DST, XPT_ROLE_SRC, XPT_ROLE_SIZE, XPT_ROLE_DIR);
	make = FEED_FN("instantiate", CREATE, GRAPH, XPT_ROLE_HANDLE, XPT_ROLE_GRAPH);
	glaunch = FEED_FN("graphLaunch", LAUNCH, NONE, XPT_ROLE_GRAPH);
	alloc = FEED_FN("memAlloc", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	release = FEED_FN("memFree", FREE, NONE, XPT_ROLE_ADDR);
	init = FEED_FN("init", INIT, NONE, XPT_ROLE_NONE);
	train = feed_proc(123, "train");
	return 0;
}

/* n rounds: `each` launches, a wait, a pause. Returns the end. */
static uint64_t rounds(struct feed *f, uint64_t n, uint64_t each, uint64_t took, uint64_t pause)
{
	uint64_t at = MS;

	for (uint64_t i = 0; i < n; i++) {
		for (uint64_t k = 0; k < each; k++, at += took)
			feed_call(f, .fn = &launch, .proc = &train, .at = at, .took = took,
				  .val = { 7 }, .kernel = "k");
		feed_call(f, .fn = &wait, .proc = &train, .at = at, .took = US, .val = { 7 });
		at += US + pause;
	}
	return at;
}

static uint64_t waits(struct feed *f)
{
	return rounds(f, 200, 1, 5 * US, 10 * US);
}

static uint64_t pauses(struct feed *f)
{
	return rounds(f, 100, 3, 5 * US, MS);
}

static uint64_t storm(struct feed *f)
{
	return rounds(f, 20, 100, 20 * US, US);
}

static uint64_t copies(struct feed *f, uint64_t n, uint64_t bytes, uint64_t took)
{
	feed_call(f, .fn = &init, .proc = &train, .at = 0, .took = 1);
	for (uint64_t i = 0; i < n; i++)
		feed_call(f, .fn = &up, .proc = &train, .at = i * 2 * took, .took = took,
			  .val = { 0xd000, 0x10000, bytes, XPT_DIR_H2D });
	return n * 2 * took;
}

static uint64_t large(struct feed *f)
{
	return copies(f, 100, MIB, 400 * US);
}

static uint64_t small(struct feed *f)
{
	return copies(f, 2000, 512, 10 * US);
}

static uint64_t graphs(struct feed *f)
{
	for (uint64_t i = 0; i < 40; i++) {
		feed_call(f, .fn = &make, .proc = &train, .at = i * MS, .took = 90 * US,
			  .val = { 100 + i, 1 });
		feed_call(f, .fn = &glaunch, .proc = &train, .at = i * MS + 100 * US, .took = US,
			  .val = { 100 + i });
	}
	return 40 * MS;
}

static uint64_t churn(struct feed *f)
{
	for (uint64_t i = 0; i < 100; i++) {
		feed_call(f, .fn = &alloc, .proc = &train, .at = i * MS, .took = 100 * US,
			  .val = { 4096, MIB });
		feed_call(f, .fn = &release, .proc = &train, .at = i * MS + 500 * US,
			  .took = 100 * US, .val = { 4096 });
	}
	return 100 * MS;
}

static uint64_t fatal(struct feed *f)
{
	feed_call(f, .fn = &alloc, .proc = &train, .at = MS, .ret = ERR_MEMORY, .val = { 0, GIB });
	train.exit_status = 1 << 8;
	feed_proc_event(f, XPT_EV_EXIT, &train, 2 * MS, false);
	return SEC;
}

static const struct story {
	const char *kind;
	const struct xpt_analyzer *a;
	uint64_t (*tell)(struct feed *f);
	bool functions;	/* does -f feign it, too? */
} stories[] = {
	{ "sync_every_launch", &xpt_analyzer_sync, waits, true },
	{ "idle_gaps", &xpt_analyzer_gaps, pauses, true },
	{ "launch_bound", &xpt_analyzer_launches, storm, true },
	{ "pageable_copies", &xpt_analyzer_copies, large, true },
	{ "small_copies", &xpt_analyzer_copies, small, true },
	{ "graph_storm", &xpt_analyzer_graphs, graphs, true },
	{ "churn", &xpt_analyzer_churn, churn, false },
	{ "fatal_error", &xpt_analyzer_stopped, fatal, true },
};

#define NR_STORIES (sizeof(stories) / sizeof(stories[0]))

/* key NULL: nothing is said; lost of 1,000,000 calls. Is the finding there? */
static bool finds(const struct story *s, const char *key, uint64_t lost)
{
	bool found = false;
	struct feed f;
	uint64_t end;

	setup(NULL);
	feed_begin(&f, s->a);
	if (key)
		feed_meta(&f, key, "some reason");
	end = s->tell(&f);
	if (lost) {
		feed_loss(&f, XPT_LOSS_RING_FULL, lost);
		feed_counter(&f, &init, &train, 0, 1000000, 0, 0, 1);
	}
	feed_end(&f, end, true);
	for (size_t i = 0; i < feed_rows(&f, "verdict"); i++)
		found = found || !strcmp(feed_str(&f, "verdict", i, "kind"), s->kind);
	feed_free(&f);
	return found;
}

static void test_each_finding(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_STORIES; i++) {
		const struct story *s = &stories[i];

		print_message("# %s\n", s->kind);
		assert_true(finds(s, NULL, 0));
		assert_true(finds(s, "other", 999));
		assert_false(finds(s, "partial", 0));
		assert_false(finds(s, NULL, 1000));
		assert_int_equal(finds(s, "filtered", 0), !s->functions);
	}
}

/* "Certainly idle" and the average gap need every launch; the latter of traced functions only. */
static void test_tables(void **state)
{
	static const struct {
		const char *key;
		size_t gaps, idle;
	} want[] = { { "other", 1, 1 }, { "filtered", 1, 0 }, { "partial", 0, 0 } };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct feed f;

		feed_begin(&f, &xpt_analyzer_gaps);
		feed_meta(&f, want[i].key, "");
		if (!strcmp(want[i].key, "partial"))
			feed_meta(&f, "partial", "sampled");
		feed_end(&f, pauses(&f), true);
		assert_int_equal(feed_rows(&f, "gaps"), want[i].gaps);
		assert_int_equal(feed_rows(&f, "idle"), want[i].idle);
		feed_free(&f);
	}
}

/* Where copies come from is not guessed if who pinned memory was not looked at. */
static void test_host_unknown(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_copies);
	feed_meta(&f, "filtered", "only some functions");
	feed_end(&f, large(&f), true);
	assert_string_equal(feed_str(&f, "copies", 0, "host"), "-");
	feed_free(&f);
}

static void said(const char *key, const char *value, const char *want)
{
	struct feed f;

	feed_begin(&f, &xpt_analyzer_totals);
	feed_meta(&f, key, value);
	feed_end(&f, waits(&f), true);
	assert_string_equal(feed_str(&f, "summary", 0, "left_out"), want);
	feed_free(&f);
}

static void test_summary_says_it(void **state)
{
	(void)state;
	said("version", "1", "");
	said("partial", "sampled", "sampled");
	said("filtered", "x", "functions that -f does not name");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup(name, setup)
	const struct CMUnitTest tests[] = {
		T(test_each_finding), T(test_tables), T(test_host_unknown),
		T(test_summary_says_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
