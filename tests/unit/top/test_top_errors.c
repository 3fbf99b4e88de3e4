/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * top/ and metrics/ count the same failures: answers that are no failures hide none, wherever calls were made.
 */
#include "unit/feed.h"
#include "metrics/metrics.h"
#include "snapshot/collector.h"
#include "top/rates.h"

#define NOT_READY 600
#define INVALID 1

static struct xpt_fn query;
static struct xpt_proc train;
static struct xpt_metrics *m;
static struct xpt_collector *c;
static char metrics_state[256], snapshot_state[256];
static struct xpt_snapshot *old, *now;
static struct xpt_top_rates *rates;

static int setup(void **state)
{
	struct xpt_sink_cfg with = { .ctx = NULL };

	(void)state;
	query = FEED_FN("cuEventQuery", SYNC, NONE, XPT_ROLE_STREAM);
	train = feed_proc(123, "train");
	assert_true(xpt_metrics_sink.state_size <= sizeof(metrics_state));
	assert_true(xpt_snapshot_sink.state_size <= sizeof(snapshot_state));
	if (xpt_metrics__new(&m) || xpt_collector__new(&c))
		return -1;
	with.ctx = m;
	xpt_metrics_sink.open(metrics_state, &with);
	with.ctx = c;
	return xpt_snapshot_sink.open(snapshot_state, &with);
}

static int teardown(void **state)
{
	(void)state;
	xpt_top_rates__free(rates);
	xpt_snapshot__free(old);
	xpt_snapshot__free(now);
	xpt_metrics__free(m);
	xpt_collector__free(c);
	rates = NULL;
	old = now = NULL;
	return 0;
}

static void send(struct xpt_event *ev)
{
	ev->ts_ns = SEC;
	xpt_metrics_sink.event(metrics_state, ev);
	xpt_snapshot_sink.event(snapshot_state, ev);
}

/* Calls until now that returned errors; the kernel does not know which answers are no failures. */
static void count_calls(bool nested, uint64_t errors)
{
	const struct xpt_wire_count n = { .calls = 100, .errors = errors };
	struct xpt_event ev = { .kind = XPT_EV_COUNTER_NOW };

	ev.u.counter.fn = &query;
	ev.u.counter.proc = &train;
	ev.u.counter.nested = nested;
	ev.u.counter.count = &n;
	send(&ev);
}

static void count_errors(int64_t code, uint64_t calls)
{
	struct xpt_event ev = { .kind = XPT_EV_ERRCOUNT_NOW };

	ev.u.errcount.fn = &query;
	ev.u.errcount.proc = &train;
	ev.u.errcount.code = code;
	ev.u.errcount.calls = calls;
	ev.u.errcount.failed = code != NOT_READY;
	send(&ev);
}

/* The value of the only line of errors that a page has. */
static uint64_t count_in_page(void)
{
	const struct xpt_metrics_self self = { .version = "1", .kernel = "6", .host = "h" };
	struct xpt_strbuf sb;
	const char *line;
	uint64_t n;

	xpt_strbuf__init(&sb, XPT_METRICS_BYTES);
	assert_int_equal(xpt_metrics__print(m, &self, &sb), 0);
	line = strstr(xpt_strbuf__str(&sb), "\nxputrace_call_errors_total{");
	assert_non_null(line);
	assert_null(strstr(line + 1, "\nxputrace_call_errors_total{"));
	n = strtoull(strstr(line, "} ") + 2, NULL, 10);
	xpt_strbuf__free(&sb);
	return n;
}

/* The process as `top` shows it after that many seconds. */
static const struct xpt_top_process *look(uint64_t seconds)
{
	const struct xpt_snapshot_self self = { "1", 9, seconds * SEC, seconds * SEC, 1 };
	struct xpt_strbuf sb;

	xpt_top_rates__free(rates);
	xpt_snapshot__free(old);
	old = now;
	xpt_strbuf__init(&sb, XPT_SNAPSHOT_BYTES);
	assert_int_equal(xpt_collector__print(c, &self, &sb), 0);
	assert_int_equal(xpt_snapshot__parse(sb.s, sb.len, &now), 0);
	xpt_strbuf__free(&sb);
	assert_int_equal(xpt_top_rates__new(old, now, &rates), 0);
	assert_int_equal(rates->nr_processes, 1);
	return &rates->process[0];
}

/* A runtime polls, and its inner calls get such answers; the program's own call fails. */
static void test_nested_answers(void **state)
{
	const struct xpt_top_process *p;

	(void)state;
	count_calls(false, 3);
	count_calls(true, 30);
	count_errors(INVALID, 3);
	count_errors(NOT_READY, 30);
	p = look(2);
	assert_int_equal(count_in_page(), 3);
	assert_int_equal(p->all_errors, 3);
	count_calls(true, 90);
	count_errors(NOT_READY, 90);
	assert_int_equal(look(3)->errors, 0);
	count_calls(false, 5);
	count_calls(true, 120);
	count_errors(INVALID, 5);
	count_errors(NOT_READY, 120);
	p = look(4);
	assert_int_equal(p->errors, 2);
	assert_int_equal(p->all_errors, 5);
	assert_int_equal(count_in_page(), 5);
}

/* Errors inside other calls stay what they were: a page has them, and the process' own calls have not failed. */
static void test_nested_errors(void **state)
{
	(void)state;
	count_calls(false, 0);
	count_calls(true, 7);
	count_errors(INVALID, 7);
	assert_int_equal(look(2)->all_errors, 0);
	assert_int_equal(count_in_page(), 7);
}

/* The program polls itself. */
static void test_own_answers(void **state)
{
	(void)state;
	count_calls(false, 30);
	count_errors(NOT_READY, 30);
	assert_int_equal(look(2)->all_errors, 0);
	count_calls(false, 31);
	count_errors(INVALID, 1);
	assert_int_equal(look(3)->errors, 1);
	assert_int_equal(count_in_page(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nested_answers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nested_errors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_own_answers, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
