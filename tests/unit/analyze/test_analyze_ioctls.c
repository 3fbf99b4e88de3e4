/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * analyze/ioctls.c: ioctls go to the call around them and on to the next one
 * further out, never to another one; the last failure explains a failed call.
 */
#include "unit/feed.h"

extern const struct xpt_analyzer xpt_analyzer_ioctls;

static struct xpt_fn outer, inner, ask, status;
static struct xpt_proc train;
static struct feed feed;

static int setup(void **state)
{
	outer = FEED_FN("rtMalloc", ALLOC, DEVICE, XPT_ROLE_SIZE);
	inner = FEED_FN("memAlloc", ALLOC, DEVICE, XPT_ROLE_SIZE);
	ask = FEED_FN("ioctl:ASK", IOCTL, NONE, XPT_ROLE_NONE);
	status = FEED_FN("ioctl:ALLOC", IOCTL, NONE, XPT_ROLE_RESULT);
	ask.layer = status.layer = XPT_LAYER_IOCTL;
	train = feed_proc(123, "train");
	feed_begin(&feed, &xpt_analyzer_ioctls);
	*state = &feed;
	return 0;
}

static int teardown(void **state)
{
	feed_free(*state);
	return 0;
}

#define IN XPT_CALL_NESTED

static void test_nested(void **state)
{
	struct feed *f = *state;
	size_t i, o;

	/* rtMalloc { memAlloc { ask, ask } ask }; on another thread only ask; memAlloc alone. */
	feed_call(f, .fn = &ask, .proc = &train, .at = 20, .took = 5, .depth = 2, .flags = IN);
	feed_call(f, .fn = &ask, .proc = &train, .at = 30, .took = 5, .depth = 2, .flags = IN);
	feed_call(f, .fn = &ask, .proc = &train, .tid = 9, .at = 31, .took = 100);
	feed_call(f, .fn = &inner, .proc = &train, .at = 15, .took = 30, .depth = 1, .flags = IN);
	feed_call(f, .fn = &ask, .proc = &train, .at = 50, .took = 7, .depth = 1, .flags = IN);
	feed_call(f, .fn = &outer, .proc = &train, .at = 10, .took = 60);
	feed_call(f, .fn = &inner, .proc = &train, .at = 100, .took = 30);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "ioctl_callers"), 3);
	o = feed_row(f, "ioctl_callers", "function", "rtMalloc");
	assert_int_equal(feed_u64(f, "ioctl_callers", o, "calls"), 1);
	assert_int_equal(feed_u64(f, "ioctl_callers", o, "ioctls"), 3);
	assert_int_equal(feed_u64(f, "ioctl_callers", o, "ioctl_ns"), 17);
	assert_int_equal(feed_u64(f, "ioctl_callers", o, "self_ns"), 43);
	i = feed_row(f, "ioctl_callers", "function", "memAlloc");
	assert_int_equal(feed_u64(f, "ioctl_callers", i, "calls"), 1);
	assert_int_equal(feed_u64(f, "ioctl_callers", i, "ioctls"), 2);
	assert_int_equal(feed_u64(f, "ioctl_callers", i, "time_ns"), 30);
	i = feed_row(f, "ioctl_callers", "function", "(no call)");
	assert_int_equal(feed_u64(f, "ioctl_callers", i, "ioctl_ns"), 100);
	assert_true(feed_u64(f, "ioctl_callers", i, "calls") == XPT_ABSENT);
	assert_int_equal(feed_rows(f, "ioctl_errors"), 0);
}

static void test_errors(void **state)
{
	struct feed *f = *state;

	/* The last failure counts, a call that worked needs none; a status is a failure, too. */
	feed_call(f, .fn = &ask, .proc = &train, .at = 11, .took = 1, .depth = 1, .flags = IN,
		  .ret = ERR_ILLEGAL);
	feed_call(f, .fn = &ask, .proc = &train, .at = 13, .took = 1, .depth = 1, .flags = IN);
	feed_call(f, .fn = &inner, .proc = &train, .at = 10, .took = 10, .ret = ERR_MEMORY);
	feed_call(f, .fn = &ask, .proc = &train, .at = 31, .took = 1, .depth = 1, .flags = IN,
		  .ret = ERR_ILLEGAL);
	feed_call(f, .fn = &inner, .proc = &train, .at = 30, .took = 10);
	feed_call(f, .fn = &status, .proc = &train, .at = 51, .took = 1, .depth = 1, .flags = IN,
		  .val = { 81 });
	feed_call(f, .fn = &outer, .proc = &train, .at = 50, .took = 10, .ret = ERR_MEMORY);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "ioctl_errors"), 2);
	assert_string_equal(feed_str(f, "ioctl_errors", 0, "function"), "memAlloc");
	assert_string_equal(feed_str(f, "ioctl_errors", 0, "result"), "ERR_MEMORY");
	assert_string_equal(feed_str(f, "ioctl_errors", 0, "ioctl"), "ioctl:ASK");
	assert_string_equal(feed_str(f, "ioctl_errors", 0, "error"), "ERR_ILLEGAL");
	assert_int_equal(feed_u64(f, "ioctl_errors", 0, "calls"), 1);
	assert_string_equal(feed_str(f, "ioctl_errors", 1, "function"), "rtMalloc");
	assert_string_equal(feed_str(f, "ioctl_errors", 1, "error"), "81");
}

/* The event of the call around them was lost: the next one must not get them. */
static void test_lost_call(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &ask, .proc = &train, .at = 11, .took = 1, .depth = 1, .flags = IN);
	feed_call(f, .fn = &inner, .proc = &train, .at = 50, .took = 10, .ret = ERR_MEMORY);
	feed_call(f, .fn = &ask, .proc = &train, .at = 80, .took = 1, .depth = 255, .flags = IN);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "ioctl_callers"), 1);	/* that of depth 255 */
	assert_string_equal(feed_str(f, "ioctl_callers", 0, "function"), "(no call)");
	assert_int_equal(feed_rows(f, "ioctl_errors"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nested, setup, teardown),
		cmocka_unit_test_setup_teardown(test_errors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lost_call, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
