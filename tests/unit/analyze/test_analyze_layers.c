/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * analyze/layers.c: a call's time goes to its layer, without the calls inside
 * it; one layer alone is not worth a table.
 */
#include "unit/feed.h"

extern const struct xpt_analyzer xpt_analyzer_layers;

static struct xpt_fn outer, inner, ask, driver;
static struct xpt_proc train;
static struct feed feed;

static int setup(void **state)
{
	outer = FEED_FN("rtMalloc", ALLOC, DEVICE, XPT_ROLE_SIZE);
	inner = FEED_FN("memAlloc", ALLOC, DEVICE, XPT_ROLE_SIZE);
	ask = FEED_FN("ioctl:ASK", IOCTL, NONE, XPT_ROLE_NONE);
	driver = FEED_FN("drv_ioctl", IOCTL, NONE, XPT_ROLE_NONE);
	ask.layer = XPT_LAYER_IOCTL;
	driver.layer = XPT_LAYER_DRIVER;
	train = feed_proc(123, "train");
	feed_begin(&feed, &xpt_analyzer_layers);
	*state = &feed;
	return 0;
}

static int teardown(void **state)
{
	feed_free(*state);
	return 0;
}

static uint64_t own(struct feed *f, const char *layer, const char *field)
{
	return feed_u64(f, "layers", feed_row(f, "layers", "layer", layer), field);
}

static void test_nested(void **state)
{
	struct feed *f = *state;

	/* rtMalloc { memAlloc { ask { drv } ask } }, then memAlloc without anything inside. */
	feed_call(f, .fn = &driver, .proc = &train, .at = 22, .took = 3, .depth = 3,
		  .ret = ERR_ILLEGAL);
	feed_call(f, .fn = &ask, .proc = &train, .at = 20, .took = 10, .depth = 2);
	feed_call(f, .fn = &ask, .proc = &train, .at = 40, .took = 5, .depth = 2);
	feed_call(f, .fn = &inner, .proc = &train, .at = 15, .took = 40, .depth = 1);
	feed_call(f, .fn = &outer, .proc = &train, .at = 10, .took = 60);
	feed_call(f, .fn = &inner, .proc = &train, .at = 100, .took = 7);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "layers"), 3);
	assert_int_equal(own(f, "api", "calls"), 3);
	assert_int_equal(own(f, "api", "self_ns"), 20 + 25 + 7);
	assert_int_equal(own(f, "ioctl", "calls"), 2);
	assert_int_equal(own(f, "ioctl", "self_ns"), 7 + 5);
	assert_int_equal(own(f, "driver", "self_ns"), 3);
	assert_int_equal(own(f, "driver", "failed"), 1);
	assert_int_equal(own(f, "api", "failed"), 0);
}

/* What was inside a call whose event was lost is not taken from the next one. */
static void test_lost(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &ask, .proc = &train, .at = 20, .took = 10, .depth = 1);
	feed_call(f, .fn = &outer, .proc = &train, .at = 100, .took = 60);
	feed_end(f, SEC, true);
	assert_int_equal(own(f, "api", "self_ns"), 60);
	assert_int_equal(own(f, "ioctl", "self_ns"), 10);
}

static void test_one_layer(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &inner, .proc = &train, .at = 20, .took = 10, .depth = 1);
	feed_call(f, .fn = &outer, .proc = &train, .at = 10, .took = 60);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "layers"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nested, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lost, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_layer, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
