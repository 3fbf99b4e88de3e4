/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * analyze/objects.c: lives of objects by key, where addresses are used again and where
 * the begin or the end was not told; states with what asked for them; what goes when
 * there are too many.
 */
#include "unit/feed.h"

extern const struct xpt_analyzer xpt_analyzer_objects;

static struct xpt_fn add, link, leave, removed, begin, ask, done, target;
static struct xpt_proc tgt, other;
static struct feed feed;

/* Captures of that role are texts. */
static void is_text(struct xpt_fn *fn, enum xpt_role role)
{
	fn->cap[fn->role_idx[role]].op = XPT_CAP_STR;
}

static int setup(void **state)
{
	add = FEED_FN("add", CREATE, QPAIR, XPT_ROLE_QPAIR, XPT_ROLE_GROUP, XPT_ROLE_STATE);
	link = FEED_FN("link", MODIFY, QPAIR, XPT_ROLE_QPAIR, XPT_ROLE_QID, XPT_ROLE_STATE,
		       XPT_ROLE_SUBSYSTEM, XPT_ROLE_HOST);
	leave = FEED_FN("leave", MODIFY, QPAIR, XPT_ROLE_QPAIR, XPT_ROLE_STATE);
	removed = FEED_FN("removed", DESTROY, QPAIR, XPT_ROLE_QPAIR);
	begin = FEED_FN("begin", CREATE, SUBSYSTEM, XPT_ROLE_SUBSYSTEM);
	ask = FEED_FN("ask", MODIFY, SUBSYSTEM, XPT_ROLE_SUBSYSTEM, XPT_ROLE_ASKED, XPT_ROLE_STATE);
	done = FEED_FN("done", MODIFY, SUBSYSTEM, XPT_ROLE_SUBSYSTEM, XPT_ROLE_ASKED, XPT_ROLE_STATE,
		       XPT_ROLE_STATUS);
	target = FEED_FN("target", MODIFY, TARGET, XPT_ROLE_STATE);
	is_text(&link, XPT_ROLE_SUBSYSTEM);
	is_text(&link, XPT_ROLE_HOST);
	is_text(&begin, XPT_ROLE_SUBSYSTEM);
	is_text(&ask, XPT_ROLE_SUBSYSTEM);
	is_text(&done, XPT_ROLE_SUBSYSTEM);
	tgt = feed_proc(100, "nvmf_tgt");
	other = feed_proc(200, "nvmf_tgt");
	feed_begin(&feed, &xpt_analyzer_objects);
	*state = &feed;
	return 0;
}

static int teardown(void **state)
{
	feed_free(*state);
	return 0;
}

#define NAMES(sub, host) .str = sub "\0" host, .str_len = sizeof(sub "\0" host)
#define NAME(s) .str = s, .str_len = sizeof(s)

static void test_lives(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &add, .proc = &tgt, .at = 10, .val = { 0x1000, 1, 0 });
	feed_call(f, .fn = &link, .proc = &tgt, .at = 20, .val = { 0x1000, 3, 1 },
		  NAMES("nqn.2024-01.io:a", "nqn.2024-01.io:h"));
	feed_call(f, .fn = &leave, .proc = &tgt, .at = 50, .val = { 0x1000, 2 });
	feed_call(f, .fn = &removed, .proc = &tgt, .at = 60, .val = { 0x1000 });
	feed_call(f, .fn = &removed, .proc = &tgt, .at = 65, .val = { 0x1000 });	/* again */
	/* Used again, twice, the second time without a removal between. */
	feed_call(f, .fn = &add, .proc = &tgt, .at = 70, .val = { 0x1000, 2, 0 });
	feed_call(f, .fn = &add, .proc = &tgt, .at = 80, .val = { 0x1000, 1, 0 });
	/* The same address in another process, and one that was there before the trace. */
	feed_call(f, .fn = &link, .proc = &other, .at = 85, .val = { 0x1000, 7, 1 }, NAMES("s", "h"));
	feed_call(f, .fn = &removed, .proc = &other, .at = 86, .val = { 0x2000 });
	feed_end(f, 100, true);
	assert_int_equal(feed_rows(f, "objects"), 4);
	assert_int_equal(feed_u64(f, "objects", 0, "since_ns"), 10);
	assert_int_equal(feed_u64(f, "objects", 0, "until_ns"), 60);
	assert_int_equal(feed_u64(f, "objects", 0, "qid"), 3);
	assert_string_equal(feed_str(f, "objects", 0, "state"), "gone");
	assert_string_equal(feed_str(f, "objects", 0, "subsystem"), "nqn.2024-01.io:a");
	assert_string_equal(feed_str(f, "objects", 0, "where"), "thread 1, qid 3, a, h");
	assert_int_equal(feed_u64(f, "objects", 1, "group"), 2);
	assert_int_equal(feed_u64(f, "objects", 1, "lived_ns"), 10);
	assert_int_equal(feed_u64(f, "objects", 2, "until_ns"), XPT_ABSENT);
	assert_int_equal(feed_u64(f, "objects", 2, "qid"), XPT_ABSENT);
	assert_int_equal(feed_u64(f, "objects", 3, "pid"), 200);
	assert_int_equal(feed_u64(f, "objects", 3, "since_ns"), XPT_ABSENT);
	assert_int_equal(feed_u64(f, "objects", 3, "lived_ns"), 15);
}

static void test_states(void **state)
{
	struct feed *f = *state;
	size_t r;

	feed_meta(f, "states:subsystem", "off,,on,");
	feed_call(f, .fn = &begin, .proc = &tgt, .at = 5, NAME("s"));
	feed_call(f, .fn = &ask, .proc = &tgt, .at = 10, .val = { 0, 2, 0 }, NAME("s"));
	feed_call(f, .fn = &done, .proc = &tgt, .at = 14, .val = { 0, 2, 0, 0 }, NAME("s"));
	feed_call(f, .fn = &ask, .proc = &tgt, .at = 20, .val = { 0, 4, 2 }, NAME("s"));
	feed_call(f, .fn = &done, .proc = &tgt, .at = 21, .val = { 0, 4, 2, 1 }, NAME("s"));	/* fails */
	feed_call(f, .fn = &ask, .proc = &tgt, .at = 50, .val = { 0, UINT64_MAX, 2 }, NAME("s"));
	feed_end(f, 60, true);
	assert_int_equal(feed_rows(f, "objects"), 1);
	assert_string_equal(feed_str(f, "objects", 0, "state"), "to state 32");
	r = feed_row(f, "object_states", "state", "to on");
	assert_int_equal(feed_u64(f, "object_states", r, "total_ns"), 4);
	r = feed_row(f, "object_states", "state", "on");
	assert_int_equal(feed_u64(f, "object_states", r, "times"), 2);
	assert_int_equal(feed_u64(f, "object_states", r, "total_ns"), 6 + 29);
	assert_int_equal(feed_u64(f, "object_states", r, "longest_ns"), 29);
	r = feed_row(f, "object_states", "state", "to state 4");
	assert_int_equal(feed_u64(f, "object_states", r, "total_ns"), 1);
	r = feed_row(f, "object_states", "state", "to state 32");
	assert_int_equal(feed_u64(f, "object_states", r, "total_ns"), 10);
	assert_int_equal(feed_rows(f, "object_states"), 5);
}

static void test_exit(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &target, .proc = &tgt, .at = 0, .val = { 0 });
	feed_call(f, .fn = &target, .proc = &other, .at = 1, .val = { 3 });
	feed_call(f, .fn = &add, .proc = &tgt, .at = 10, .val = { 0x1000, 1, 0 });
	feed_proc_event(f, XPT_EV_EXIT, &tgt, 40, 0);
	tgt.forgotten = true;
	feed_proc_event(f, XPT_EV_FORGET, &tgt, 41, 0);
	tgt = feed_proc(101, "another");	/* in the same memory */
	feed_call(f, .fn = &target, .proc = &tgt, .at = 50, .val = { 4 });
	feed_end(f, 60, true);
	assert_int_equal(feed_rows(f, "objects"), 4);
	assert_int_equal(feed_u64(f, "objects", 0, "since_ns"), 0);
	assert_int_equal(feed_u64(f, "objects", 0, "until_ns"), 40);
	assert_string_equal(feed_str(f, "objects", 0, "state"), "state 0");	/* as it was */
	assert_int_equal(feed_u64(f, "objects", 1, "until_ns"), 40);
	assert_int_equal(feed_u64(f, "objects", 3, "pid"), 101);
}

/* More than there is room for: those that have ended go first, and that is told. */
static void test_many(void **state)
{
	struct feed *f = *state;
	uint64_t i, open = 0;

	for (i = 0; i < 20000; i++) {
		feed_call(f, .fn = &add, .proc = &tgt, .at = i, .val = { 16 * i, 1, 0 });
		if (i % 8)
			feed_call(f, .fn = &removed, .proc = &tgt, .at = i, .val = { 16 * i });
	}
	feed_end(f, 20000, true);
	assert_in_range(feed_rows(f, "objects"), 4096, 8192);
	for (i = 0; i < feed_rows(f, "objects"); i++)
		open += feed_u64(f, "objects", i, "until_ns") == XPT_ABSENT;
	assert_int_equal(open, 2500);
	assert_int_equal(f->out.lost[XPT_LOSS_TABLE_EVICTED], 20000 - feed_rows(f, "objects"));
	assert_int_equal(feed_u64(f, "object_states", 0, "times"), 20000);
}

/* All are there still: new ones find no room. */
static void test_full(void **state)
{
	struct feed *f = *state;

	for (uint64_t i = 0; i < 9000; i++)
		feed_call(f, .fn = &add, .proc = &tgt, .at = i, .val = { 16 * i, 1, 0 });
	feed_end(f, 9000, true);
	assert_int_equal(feed_rows(f, "objects"), 8192);
	assert_int_equal(f->out.lost[XPT_LOSS_TABLE_EVICTED], 9000 - 8192);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_lives), TEST(test_states), TEST(test_exit), TEST(test_many), TEST(test_full),
	};

	return cmocka_run_group_tests_name("analyze_objects", tests, NULL, NULL);
}
