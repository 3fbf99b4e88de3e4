/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Folded stacks: the text of frames, time without the time of inner calls,
 * bytes, counts, calls told while they ran, and what finds no room.
 */
#include <stdio.h>
#include "unit/sink_feed.h"

extern const struct xpt_sink xpt_sink_folded;

#define STACK(name, cut, ...)                                                                      \
	static struct {                                                                            \
		struct xpt_stack st;                                                               \
		struct xpt_frame_name frame[4];                                                    \
	} name = { { .nr = 0, .truncated = cut }, { __VA_ARGS__ } }

STACK(plain, false, { "step+0x1a", "/bin/train" }, { "main+0x2", "/bin/train" });
STACK(twin, false, { "step+0x99", "/bin/train" }, { "main+0x2", "/bin/train" });
STACK(odd, true, { "a::f<b;c>(int) [clone +0x]+0x7", "/x/liba.so" }, { "liba.so+0x12", "/x/liba.so" },
      { "0x7f00", "[anon]" }, { "0x55", "" });

static void open_as(struct feed *f, const char *path)
{
	struct xpt_sink_cfg cfg = { .path = path };

	plain.st.nr = twin.st.nr = 2;
	odd.st.nr = 4;
	feed_open(f, &xpt_sink_folded, &cfg);
}

static struct xpt_call call(const struct xpt_fn *fn, const struct xpt_stack *st, uint64_t start_us,
			    uint64_t us)
{
	static const uint64_t vals[XPT_MAX_VALS] = { 0x1000, 4096, 512 };
	struct xpt_call c = feed_call(fn, start_us * 1000, us * 1000, &feed_ok, vals);

	c.stack = st;
	return c;
}

static void expect(struct feed *f, const char *want)
{
	assert_int_equal(feed_close(f), 0);
	assert_string_equal(f->text, want);
	free(f->text);
}

/* Offsets go, so two places in one function are one box; sorted; without a stack too. */
static void test_time(void **state)
{
	struct feed f;

	(void)state;
	open_as(&f, "x.folded");
	feed_put(&f, XPT_EV_CALL, call(&feed_sync, &plain.st, 1, 30));
	feed_put(&f, XPT_EV_CALL, call(&feed_sync, &twin.st, 50, 12));
	feed_put(&f, XPT_EV_CALL, call(&feed_malloc, &plain.st, 70, 5));
	feed_put(&f, XPT_EV_CALL, call(&feed_free, NULL, 80, 7));
	feed_put(&f, XPT_EV_CALL, call(&feed_copy, &odd.st, 90, 9));
	feed_put(&f, XPT_EV_CALL, call(&feed_peer_fn, &plain.st, 95, 0));
	expect(&f, "train;[truncated];[unknown];[anon];[liba.so];a::f<b:c>(int) [clone +0x];"
		   "cuMemcpyHtoDAsync_v2 9\n"
		   "train;main;step;cuMemAlloc_v2 5\n"
		   "train;main;step;cuStreamSynchronize 42\n"
		   "train;train;cuMemFree_v2 7\n");
}

/* An outer call's line is what it took beside the inner ones. */
static void test_nested(void **state)
{
	struct feed f;

	(void)state;
	open_as(&f, "x.folded");
	for (int i = 0; i < 2; i++) {
		feed_nested(&f, call(&feed_free, &plain.st, 2, 3), 2, 0);
		feed_nested(&f, call(&feed_malloc, &plain.st, 1, 10), 1, 0);
		feed_nested(&f, call(&feed_sync, &plain.st, 20, 5), 1, 0);
		feed_nested(&f, call(&feed_rt_malloc, &plain.st, 0, 100), 0, XPT_CALL_OUTER);
	}
	feed_put(&f, XPT_EV_CALL, call(&feed_rt_malloc, &plain.st, 200, 1));
	expect(&f, "train;main;step;cuMemAlloc_v2 14\n"
		   "train;main;step;cuMemFree_v2 6\n"
		   "train;main;step;cuStreamSynchronize 10\n"
		   "train;main;step;cudaMalloc 171\n");
}

/* Without stacks: the thread, and the traced functions around a call. */
static void test_without_stacks(void **state)
{
	struct feed f;
	struct xpt_call other;

	(void)state;
	open_as(&f, "x.folded");
	for (int i = 0; i < 2; i++) {
		feed_nested(&f, call(&feed_free, NULL, 2, 3), 2, 0);
		feed_nested(&f, call(&feed_free, NULL, 6, 1), 2, 0);
		feed_nested(&f, call(&feed_malloc, NULL, 1, 10), 1, 0);
		feed_nested(&f, call(&feed_sync, NULL, 20, 5), 1, 0);
		other = call(&feed_sync, NULL, 30, 4);
		other.tid = 9;
		other.comm = "w;orker";
		feed_nested(&f, other, 0, 0);
		feed_nested(&f, call(&feed_rt_malloc, NULL, 0, 100), 0, XPT_CALL_OUTER);
	}
	feed_nested(&f, call(&feed_sync, NULL, 300, 5), 1, 0);	/* the outer one is lost */
	expect(&f, "train;train;cuStreamSynchronize 5\n"
		   "train;train;cudaMalloc 170\n"
		   "train;train;cudaMalloc;cuMemAlloc_v2 12\n"
		   "train;train;cudaMalloc;cuMemAlloc_v2;cuMemFree_v2 8\n"
		   "train;train;cudaMalloc;cuStreamSynchronize 10\n"
		   "train;w:orker;cuStreamSynchronize 8\n");
}

static void test_bytes_and_counts(void **state)
{
	struct feed f;

	(void)state;
	for (int count = 0; count < 2; count++) {
		open_as(&f, count ? "dir/x.count.folded" : "x.bytes.folded");
		feed_nested(&f, call(&feed_malloc, &plain.st, 1, 10), 1, 0);
		feed_nested(&f, call(&feed_rt_malloc, &plain.st, 0, 100), 0, XPT_CALL_OUTER);
		feed_put(&f, XPT_EV_CALL, call(&feed_copy, &plain.st, 200, 1));
		feed_put(&f, XPT_EV_CALL, call(&feed_copy, &plain.st, 300, 1));
		feed_put(&f, XPT_EV_CALL, call(&feed_sync, &plain.st, 400, 1));
		expect(&f, count ? "train;main;step;cuMemAlloc_v2 1\n"
				   "train;main;step;cuMemcpyHtoDAsync_v2 2\n"
				   "train;main;step;cuStreamSynchronize 1\n"
				   "train;main;step;cudaMalloc 1\n"
				 : "train;main;step;cuMemAlloc_v2 4096\n"
				   "train;main;step;cuMemcpyHtoDAsync_v2 1024\n");
	}
}

/* A hang that was told twice and returned at last: its time once. */
static void test_in_flight(void **state)
{
	struct feed f;

	(void)state;
	open_as(&f, "x.folded");
	feed_put(&f, XPT_EV_INFLIGHT, call(&feed_sync, &plain.st, 1, 100));
	feed_put(&f, XPT_EV_INFLIGHT, call(&feed_sync, &plain.st, 1, 250));
	feed_put(&f, XPT_EV_CALL, call(&feed_sync, &plain.st, 1, 300));
	feed_put(&f, XPT_EV_CALL, call(&feed_sync, &plain.st, 400, 7));
	expect(&f, "train;main;step;cuStreamSynchronize 307\n");
	open_as(&f, "x.count.folded");
	feed_put(&f, XPT_EV_INFLIGHT, call(&feed_sync, &plain.st, 1, 100));
	feed_put(&f, XPT_EV_INFLIGHT, call(&feed_sync, &plain.st, 1, 250));
	feed_put(&f, XPT_EV_CALL, call(&feed_sync, &plain.st, 1, 300));
	expect(&f, "train;main;step;cuStreamSynchronize 1\n");
}

/* More lines than are kept: nothing is lost from the sum. */
static void test_bounded(void **state)
{
	static char names[70000][8];
	unsigned long long sum = 0, lines = 0, other = 0;
	struct feed f;

	(void)state;
	open_as(&f, "x.folded");
	for (unsigned i = 0; i < 70000; i++) {
		struct xpt_proc p = feed_proc;
		struct xpt_call c = call(&feed_sync, NULL, i * 10, 2);

		snprintf(names[i], sizeof(names[i]), "p%u", i);
		p.comm = names[i];
		c.proc = &p;
		feed_put(&f, XPT_EV_CALL, c);
	}
	assert_int_equal(feed_close(&f), 0);
	for (char *at = f.text; *at; at = strchr(at, '\n') + 1, lines++) {
		unsigned long long v = 0;

		assert_int_equal(sscanf(at, "%*s %llu", &v), 1);
		other = strncmp(at, "[other] ", 8) ? other : v;
		sum += v;
	}
	assert_int_equal(sum, 140000);
	assert_int_equal(lines, 65537);
	assert_int_equal(other, 2 * (70000 - 65536));
	free(f.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time), cmocka_unit_test(test_nested),
		cmocka_unit_test(test_without_stacks),
		cmocka_unit_test(test_bytes_and_counts), cmocka_unit_test(test_in_flight),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
