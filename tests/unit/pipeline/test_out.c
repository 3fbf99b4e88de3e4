/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Analyzers and sinks behind pipeline/pipeline.h: order of calls, records on
 * their way, sinks that fail, reach their limit or do not open.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "event_log.h"
#include "pipeline/recording/file_share.h"

#define SEC 1000000000ull

struct fake {	/* state of the sink below */
	unsigned events, calls, records;
};

static struct {
	int open_err, event_err, record_err, close_err;
	unsigned fail_at;	/* the event that fails, from 1; 0: none */
	unsigned events, calls, records, opened, closed;
} fake;

static int fake_open(void *st, const struct xpt_sink_cfg *cfg)
{
	(void)cfg;
	assert_int_equal(((struct fake *)st)->events, 0);
	fake.opened++;
	return fake.open_err;
}

static int fake_event(void *st, const struct xpt_event *ev)
{
	struct fake *f = st;

	fake.events = ++f->events;
	if (ev->kind == XPT_EV_CALL)
		fake.calls = ++f->calls;
	return f->events == fake.fail_at ? fake.event_err : 0;
}

static int fake_record(void *st, const struct xpt_schema *schema, const void *rec)
{
	struct fake *f = st;

	fake.records = ++f->records;
	if (schema == &xpt_verdict_schema)
		return fake.record_err;
	assert_string_equal(schema->name, "numbers");
	assert_int_equal(*(const int *)rec, 42);
	return fake.record_err;
}

#define CALL_BYTES 100

static uint64_t fake_bytes(const void *st)
{
	return CALL_BYTES * (uint64_t)((const struct fake *)st)->calls;
}

static int fake_close(void *st)
{
	(void)st;
	fake.closed++;
	return fake.close_err;
}

static const struct xpt_sink fake_sink = {
	.name = "fake", .state_size = sizeof(struct fake), .open = fake_open,
	.event = fake_event, .record = fake_record, .bytes = fake_bytes, .close = fake_close,
};

static const struct xpt_schema numbers = { .name = "numbers", .size = sizeof(int) };

static void emit_at_end(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	int v = 42;

	(void)st;
	if (ev->kind == XPT_EV_END) {
		xpt_out__emit(out, &numbers, &v);
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, 5);
		xpt_out__lost(out, XPT_LOSS__MAX, 5);
	}
}

/* Reports a finding at the end, and one more with each call. */
static void find(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct xpt_finding f = { .kind = "churn", .weight = XPT_WEIGHT_SLOW, .lost_ns = SEC / 4,
				 .text = "It is slow.", .advice = "" };

	(void)st;
	if (ev->kind == XPT_EV_CALL || ev->kind == XPT_EV_END)
		xpt_out__finding(out, &f);
}

static const struct xpt_analyzer finder = { .name = "find", .event = find };

static const struct xpt_schema *const emits_numbers[] = { &numbers, NULL };
static const struct xpt_analyzer emitter = {
	.name = "emit", .emits = emits_numbers, .event = emit_at_end,
};

static FILE *messages;
static int old_stderr;

static int sink_setup(void **state)
{
	memset(&fake, 0, sizeof(fake));
	setup(state);
	messages = tmpfile();
	assert_non_null(messages);
	old_stderr = dup(STDERR_FILENO);
	dup2(fileno(messages), STDERR_FILENO);
	return 0;
}

/* What was printed to stderr since sink_setup(). */
static const char *printed(void)
{
	static char text[1024];
	ssize_t n;

	fflush(stderr);
	n = pread(fileno(messages), text, sizeof(text) - 1, 0);
	text[n < 0 ? 0 : n] = '\0';
	return text;
}

static int sink_teardown(void **state)
{
	dup2(old_stderr, STDERR_FILENO);
	close(old_stderr);
	fclose(messages);
	return teardown(state);
}

/* Runs 10 calls (and the events around them) through the fake sink and another. */
static int run_sinks(uint64_t max_bytes)
{
	struct xpt_sink_cfg cfg = { .max_bytes = max_bytes };
	unsigned i;

	assert_int_equal(xpt_pipeline__add_analyzer(p, &emitter), 0);
	assert_int_equal(xpt_pipeline__add_sink(p, &fake_sink, "out.test", &cfg), 0);
	w_bare_fn(&s, 1, "f");
	w_proc(&s, 5, SEC, "main", "", "");	/* events: BEGIN, PROC */
	for (i = 0; i < 10; i++)
		call(5, 5, SEC);
	w_end(&s, SEC, SEC);
	feed();
	return xpt_pipeline__finish(p);
}

static void test_sink(void **state)
{
	(void)state;
	assert_int_equal(run_sinks(0), 0);
	assert_int_equal(fake.events, 13);
	assert_int_equal(fake.calls, 10);
	assert_int_equal(fake.records, 1);
	assert_int_equal(fake.closed, 1);
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_TABLE_EVICTED), 5);
	assert_string_equal(printed(), "");
}

/* Findings come when every analyzer has seen the end: five and how many more. */
static void test_findings(void **state)
{
	(void)state;
	assert_int_equal(xpt_pipeline__add_analyzer(p, &finder), 0);
	assert_int_equal(run_sinks(0), 0);
	assert_int_equal(fake.records, 1 + XPT_MAX_FINDINGS + 1);
	assert_int_equal(fake.events, 13);
}

static void test_sink_fails(void **state)
{
	(void)state;
	fake.fail_at = 5;
	fake.event_err = -EIO;
	assert_int_equal(run_sinks(0), -EIO);
	assert_int_equal(fake.events, 5);
	assert_int_equal(fake.records, 0);
	assert_int_equal(fake.closed, 1);
	/* The failed one, the seven calls left, the record, the losses and the end. */
	assert_in_range(xpt_pipeline__lost(p, XPT_LOSS_SINK_FAILED), 10, 12);
	assert_string_equal(printed(),
			    "xputrace: cannot write out.test: Input/output error\n");
}

static void test_sink_limit(void **state)
{
	(void)state;
	fake.fail_at = 5;
	fake.event_err = XPT_SINK_FULL;
	assert_int_equal(run_sinks(1 << 20), 0);
	assert_int_equal(fake.calls, 3);
	assert_int_equal(fake.records, 1);
	assert_int_equal(fake.events, 7);	/* LOSS and END still came */
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_FILE_LIMIT), 8);
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_SINK_FAILED), 0);
	assert_non_null(strstr(printed(), "out.test has reached its limit of 1.0 MiB"));
	assert_ptr_equal(strchr(printed(), '\n'), strrchr(printed(), '\n'));
}

static uint64_t owner_of(void *ctx, uint32_t tgid)
{
	(void)ctx;
	return tgid;
}

/* Three quarters of the file are one owner's at most, then another one's calls still come. */
static void test_sink_shares(void **state)
{
	struct xpt_sink_cfg cfg = { .max_bytes = 10 * CALL_BYTES };
	uint64_t owner, cut;
	uint32_t others;
	unsigned i;

	(void)state;
	assert_int_equal(xpt_file_share__new(cfg.max_bytes, owner_of, NULL, &cfg.share), 0);
	assert_int_equal(xpt_pipeline__add_sink(p, &fake_sink, "out.test", &cfg), 0);
	w_bare_fn(&s, 1, "f");
	w_proc(&s, 5, SEC, "main", "", "");
	w_proc(&s, 6, SEC, "other", "", "");
	for (i = 0; i < 20; i++)
		call(5, 5, SEC);
	call(6, 6, SEC);
	w_end(&s, SEC, SEC);
	feed();
	assert_int_equal(xpt_pipeline__finish(p), 0);
	assert_int_equal(fake.calls, 8 + 1);
	assert_int_equal(xpt_pipeline__lost(p, XPT_LOSS_FILE_LIMIT), 12);
	assert_true(xpt_file_share__most_cut(cfg.share, &owner, &cut, &others));
	assert_int_equal(owner, 5);
	assert_int_equal(cut, 12);
	assert_int_equal(others, 0);
	xpt_file_share__free(cfg.share);
}

/* A full disk is not the limit, with one set or not; it may come behind it. */
static void test_sink_disk_full(void **state)
{
	(void)state;
	fake.fail_at = 5;
	fake.event_err = -ENOSPC;
	assert_int_equal(run_sinks(1 << 20), -ENOSPC);
	assert_int_equal(fake.events, 5);
	assert_string_equal(printed(),
			    "xputrace: cannot write out.test: No space left on device\n");
}

static void test_sink_limit_then_full(void **state)
{
	(void)state;
	fake.fail_at = 5;
	fake.event_err = XPT_SINK_FULL;
	fake.record_err = -ENOSPC;
	assert_int_equal(run_sinks(1 << 20), -ENOSPC);
	assert_int_equal(fake.records, 1);
	assert_non_null(strstr(printed(), "cannot write out.test: No space left on device"));
}

/* The reader of a pipe has seen enough. */
static void test_sink_pipe_closed(void **state)
{
	(void)state;
	fake.fail_at = 5;
	fake.event_err = -EPIPE;
	assert_int_equal(run_sinks(0), -EPIPE);
	assert_int_equal(fake.events, 5);
	assert_string_equal(printed(), "");
}

static void test_sink_close_fails(void **state)
{
	(void)state;
	fake.close_err = -EDQUOT;
	assert_int_equal(run_sinks(0), -EDQUOT);
	assert_non_null(strstr(printed(), "cannot write out.test: "));
}

static int failing_open(void *st)
{
	*(int *)st = 1;
	return -ENOTSUP;
}

static void close_after_open(void *st)
{
	assert_int_equal(*(int *)st, 1);
	fake.closed++;
}

static void test_open_fails(void **state)
{
	const struct xpt_analyzer a = { .name = "a", .emits = no_schemas, .event = log_event,
					.state_size = sizeof(int), .open = failing_open,
					.close = close_after_open };
	struct xpt_sink_cfg cfg = { 0 };
	unsigned i;

	(void)state;
	assert_int_equal(xpt_pipeline__add_analyzer(p, &a), -ENOTSUP);
	assert_int_equal(fake.closed, 1);
	fake.open_err = -ENOTTY;
	assert_int_equal(xpt_pipeline__add_sink(p, &fake_sink, "x", &cfg), -ENOTTY);
	assert_int_equal(fake.closed, 2);
	fake.open_err = 0;
	for (i = 0; i < 64; i++)
		assert_int_equal(xpt_pipeline__add_sink(p, &fake_sink, "x", &cfg), 0);
	assert_int_equal(xpt_pipeline__add_sink(p, &fake_sink, "x", &cfg), -E2BIG);
	w_meta(&s, "key", "value");
	feed();
	assert_int_equal(xpt_pipeline__add_sink(p, &fake_sink, "x", &cfg), -EBUSY);
	assert_int_equal(xpt_pipeline__add_analyzer(p, &emitter), -EBUSY);
}

int main(void)
{
#define S(f) cmocka_unit_test_setup_teardown(f, sink_setup, sink_teardown)
	const struct CMUnitTest tests[] = {
		S(test_sink), S(test_findings), S(test_sink_fails), S(test_sink_limit), S(test_sink_shares),
		S(test_sink_disk_full), S(test_sink_limit_then_full),
		S(test_sink_close_fails), S(test_sink_pipe_closed), S(test_open_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
