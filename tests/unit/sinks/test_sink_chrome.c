/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Chrome trace events: the text of a call, times without rounding, calls in
 * flight, arrows and counters, losses, a whole file after every write, the limit.
 */
#include <errno.h>
#include <stdio.h>
#include "unit/sink_feed.h"

extern const struct xpt_sink xpt_sink_chrome;

static const uint64_t vals[XPT_MAX_VALS] = { 0x7f00, 4096, 512 };

static void open_at(struct feed *f, uint64_t begin_ns, uint64_t max_bytes)
{
	struct xpt_sink_cfg cfg = { .path = "x.json", .max_bytes = max_bytes };
	struct xpt_event ev = { .kind = XPT_EV_BEGIN, .ts_ns = begin_ns };

	feed_open(f, &xpt_sink_chrome, &cfg);
	ev.u.begin.realtime_minus_monotonic_ns = 1000;
	assert_int_equal(f->sink->event(f->st, &ev), 0);
}

static void has(const struct feed *f, const char *text)
{
	if (!strstr(f->text, text))
		fail_msg("no %s in\n%s", text, f->text);
}

static void has_not(const struct feed *f, const char *text)
{
	if (strstr(f->text, text))
		fail_msg("%s in\n%s", text, f->text);
}

static bool is_whole(const struct feed *f)
{
	return f->len > 4 && !strcmp(f->text + f->len - 4, "\n]}\n");
}

static void test_calls(void **state)
{
	struct xpt_call early = feed_call(&feed_sync, 999500, 100, &feed_busy, vals);
	struct feed f;

	(void)state;
	early.tid = 2;
	open_at(&f, 1000000, 0);
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_malloc, 1002003, 4050, &feed_ok, vals));
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_malloc, 1009000, 7, &feed_oom, vals));
	feed_put(&f, XPT_EV_CALL, early);
	feed_event(&f, XPT_EV_END, 1010000);
	assert_int_equal(feed_close(&f), 0);
	has(&f, "\"begin_unix_ns\":\"1001000\"");
	has(&f, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":4711,\"tid\":4711,\"args\":{\"name\":\"train\"}}");
	has(&f, "{\"ph\":\"X\",\"name\":\"cuMemAlloc_v2\",\"cat\":\"cuda,alloc\",\"ts\":2.003,\"dur\":4.050,"
		"\"pid\":4711,\"tid\":4711,\"args\":{\"event_id\":1,\"dptr\":\"0x7f00\",\"bytesize\":4096,"
		"\"result\":\"CUDA_SUCCESS\"}}");
	has(&f, "\"cat\":\"cuda,alloc,error\",\"cname\":\"terrible\",\"ts\":9,\"dur\":0.007");
	has(&f, "\"dptr\":null,\"bytesize\":4096,\"result\":\"CUDA_ERROR_OUT_OF_MEMORY\"");
	has(&f, "\"cat\":\"cuda,sync\",\"ts\":-0.500,");
	has(&f, "{\"ph\":\"C\",\"name\":\"live device bytes\",\"ts\":6.053,\"pid\":4711,\"tid\":4711,"
		"\"args\":{\"bytes\":4096}}");
	assert_true(is_whole(&f));
	free(f.text);
}

/* A probe's hit inside a call: an instant, and the call around it stays whole. */
static void test_points(void **state)
{
	static struct xpt_fn passed = { .id = 90, .name = "spdk:msg_exec", .base = "spdk:msg_exec",
					.domain_name = "usdt", .layer = XPT_LAYER_POINT };
	struct xpt_call c = feed_call(&passed, 1002500, 0, &feed_ok, vals);
	struct feed f;

	(void)state;
	c.depth = 1;
	open_at(&f, 1000000, 0);
	feed_put(&f, XPT_EV_CALL, c);
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_malloc, 1002003, 4050, &feed_ok, vals));
	assert_int_equal(feed_close(&f), 0);
	has(&f, "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"spdk:msg_exec\",\"cat\":\"usdt,other\",\"ts\":2.500,"
		"\"pid\":4711,\"tid\":4711,\"args\":{\"event_id\":1}}");
	has(&f, "\"ts\":2.003,\"dur\":4.050");
	has_not(&f, "overlap");
	free(f.text);
}

/* Told while it ran: shown at the end, unless it came back or cannot nest. */
static void test_in_flight(void **state)
{
	struct feed f;
	struct xpt_call c;

	(void)state;
	open_at(&f, 0, 0);
	feed_put(&f, XPT_EV_INFLIGHT, feed_call(&feed_sync, 1000, 50, &feed_ok, vals));
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_sync, 1000, 500, &feed_ok, vals));
	c = feed_call(&feed_sync, 2000, 50, &feed_ok, vals);
	c.tid = 1;
	feed_put(&f, XPT_EV_INFLIGHT, c);
	c.dur_ns = 100;
	feed_put(&f, XPT_EV_INFLIGHT, c);
	assert_int_equal(feed_close(&f), 0);
	has_not(&f, "\"tid\":4711,\"args\":{\"event_id\":1,");
	has_not(&f, "\"event_id\":3,");
	has(&f, "{\"ph\":\"B\",\"name\":\"cuStreamSynchronize\",\"cat\":\"cuda,sync,in_flight\",\"cname\":\"bad\","
		"\"pid\":4711,\"tid\":1,\"args\":{\"event_id\":4,\"hStream\":\"0x7f00\",\"in_flight\":true},\"ts\":2}");
	free(f.text);
}

/* The wait gets an arrow from the last launch only; the counter goes up and down. */
static void test_arrow(void **state)
{
	struct feed f;

	(void)state;
	open_at(&f, 0, 0);
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_launch, 1000, 10, &feed_ok, vals));
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_launch, 2000, 10, &feed_ok, vals));
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_sync, 3000, 10, &feed_ok,
					    (const uint64_t[]){ 0 }));
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_sync, 4000, 10, &feed_ok,
					    (const uint64_t[]){ 0 }));
	feed_event(&f, XPT_EV_END, 5000);
	assert_int_equal(feed_close(&f), 0);
	has(&f, "{\"ph\":\"s\",\"name\":\"waited for\",\"cat\":\"wait\",\"id\":1,\"ts\":2,\"pid\":4711,\"tid\":4711}");
	has(&f, "{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"waited for\",\"cat\":\"wait\",\"id\":1,\"ts\":3,"
		"\"pid\":4711,\"tid\":4711}");
	has_not(&f, "\"id\":2");
	has(&f, "{\"ph\":\"C\",\"name\":\"launches in flight\",\"ts\":2.010,\"pid\":4711,\"tid\":4711,"
		"\"args\":{\"count\":2}}");
	has(&f, "{\"ph\":\"C\",\"name\":\"launches per second\",\"ts\":0,\"pid\":4711,\"tid\":4711,"
		"\"args\":{\"count\":200}}");
	free(f.text);
}

static void test_marks(void **state)
{
	struct xpt_proc p = feed_proc;
	struct feed f;

	(void)state;
	open_at(&f, 0, 0);
	p.comm = "a\"\\\xff\n</script>";
	feed_proc_event(&f, XPT_EV_PROC, &p, false, 0);
	p.exit_status = 9;
	feed_proc_event(&f, XPT_EV_EXIT, &p, false, 0);
	feed_loss(&f, XPT_LOSS_RING_FULL, 3);
	feed_loss(&f, XPT_LOSS_RING_FULL, 3);
	feed_loss(&f, XPT_LOSS_RING_FULL, 10);
	assert_int_equal(feed_close(&f), 0);
	has(&f, "\"args\":{\"name\":\"a\\\"\\\\\xef\xbf\xbd\\n</script>\"}");
	has(&f, "\"s\":\"p\",\"cat\":\"process\",\"name\":\"killed by signal 9\"");
	has(&f, "{\"ph\":\"i\",\"s\":\"g\",\"cat\":\"loss\",\"name\":\"lost: 3 calls not sent as events: ring buffer full\"");
	has(&f, "\"lost: 7 calls not");
	free(f.text);
}

/* What lies there at any time can be opened. */
static void test_always_whole(void **state)
{
	struct feed f;

	(void)state;
	open_at(&f, 0, 0);
	for (unsigned i = 1; i < 2000; i++) {
		feed_put(&f, XPT_EV_CALL, feed_call(&feed_malloc, i * 1000, 10, &feed_ok, vals));
		if (i % 100 == 0) {
			feed_event(&f, XPT_EV_TICK, i * 1000 + 100);
			assert_true(is_whole(&f));
			assert_ptr_equal(strstr(f.text, "\n]}"), f.text + f.len - 4);
		}
	}
	assert_int_equal(feed_close(&f), 0);
	assert_true(is_whole(&f));
	free(f.text);
	feed_open(&f, &xpt_sink_chrome, &(struct xpt_sink_cfg){ .path = "x.json" });
	assert_int_equal(feed_close(&f), 0);
	assert_string_equal(f.text, "{\"traceEvents\":[\n]}\n");
	free(f.text);
}

static void test_limit(void **state)
{
	struct feed f;
	int err = 0, i;

	(void)state;
	open_at(&f, 0, 5000);
	for (i = 1; !err && i < 1000; i++)
		err = feed_put(&f, XPT_EV_CALL,
			       feed_call(&feed_malloc, (uint64_t)i * 1000, 10, &feed_ok, vals));
	assert_int_equal(err, XPT_SINK_FULL);
	assert_in_range(i, 10, 30);
	assert_int_equal(feed_event(&f, XPT_EV_END, 2000000), 0);
	assert_int_equal(feed_close(&f), 0);
	assert_in_range(f.len, 4000, 5000);
	has(&f, "--max-size reached");
	assert_true(is_whole(&f));
	free(f.text);
}

static void test_full_disk(void **state)
{
	struct xpt_sink_cfg cfg = { .file = fopen("/dev/full", "w") };
	struct feed f;

	(void)state;
	setvbuf(cfg.file, NULL, _IONBF, 0);
	feed_open(&f, &xpt_sink_chrome, &cfg);
	feed_begin(&f, 0);
	feed_put(&f, XPT_EV_CALL, feed_call(&feed_malloc, 1, 10, &feed_ok, vals));
	assert_int_equal(feed_event(&f, XPT_EV_TICK, 2000000), -ENOSPC);
	assert_int_equal(feed_close(&f), -ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls), cmocka_unit_test(test_points), cmocka_unit_test(test_in_flight),
		cmocka_unit_test(test_arrow), cmocka_unit_test(test_marks),
		cmocka_unit_test(test_always_whole), cmocka_unit_test(test_limit),
		cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
