/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pipeline/calls/capturing.h: which work goes into a graph: on the stream that is captured, on
 * those that join it by events, on a thread's default stream; and what ends that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "unit/feed_model.h"
#include "pipeline/calls/capturing.h"

const struct xpt_domain *const xpt_domains[] = { NULL };
const size_t xpt_nr_domains;

static struct xpt_fn begin, end, launch, copy, record, wait, sync_stream, destroy, modify;
static struct xpt_proc train, other;
static struct xpt_capturing *s;
static uint64_t evicted, start_ns, dur_ns;

enum { A = 0x100, B = 0x200, EVENT = 0x300, GRAPH = 0x400 };

static int setup(void **state)
{
	(void)state;
	begin = FEED_FN("begin", MODIFY, GRAPH, XPT_ROLE_STREAM);
	end = FEED_FN("end", CREATE, GRAPH, XPT_ROLE_STREAM, XPT_ROLE_HANDLE);
	launch = FEED_FN("launch", LAUNCH, NONE, XPT_ROLE_STREAM);
	copy = FEED_FN("copy", COPY, NONE, XPT_ROLE_STREAM);
	record = FEED_FN("record", RECORD, NONE, XPT_ROLE_STREAM, XPT_ROLE_EVENT);
	wait = FEED_FN("wait", OTHER, NONE, XPT_ROLE_STREAM, XPT_ROLE_EVENT);
	sync_stream = FEED_FN("sync", SYNC, NONE, XPT_ROLE_STREAM);
	destroy = FEED_FN("destroy", DESTROY, NONE, XPT_ROLE_HANDLE);
	modify = FEED_FN("modify", MODIFY, NONE, XPT_ROLE_STREAM);
	train = feed_proc(1, "train");
	other = feed_proc(2, "other");
	start_ns = dur_ns = 0;
	return xpt_capturing__new(&evicted, &s);
}

static int teardown(void **state)
{
	(void)state;
	xpt_capturing__free(s);
	return 0;
}

static bool call_as(const struct xpt_proc *proc, uint32_t tid, int64_t ret, const struct xpt_fn *fn,
		    uint64_t a, uint64_t b)
{
	uint64_t val[] = { a, b };
	struct xpt_call c = { .fn = fn, .proc = proc, .tid = tid, .comm = "", .ret = ret, .valid = 3,
			      .flags = ret ? XPT_CALL_FAILED : 0, .nr_vals = fn->nr_caps, .val = val,
			      .start_ns = start_ns, .dur_ns = dur_ns };

	return xpt_capturing__call(s, xpt_capturing__act(fn), &c);
}

static bool call(const struct xpt_fn *fn, uint64_t a, uint64_t b)
{
	return call_as(&train, 1, 0, fn, a, b);
}

static void test_stream(void **state)
{
	(void)state;
	assert_false(call(&launch, A, 0));
	assert_false(call(&begin, A, 0));
	assert_false(call(&begin, A, 0));	/* the runtime's, around the driver's */
	assert_true(call(&launch, A, 0));
	assert_true(call(&copy, A, 0));
	assert_true(call_as(&train, 7, 0, &launch, A, 0));	/* any thread */
	assert_false(call(&launch, B, 0));
	assert_false(call_as(&other, 1, 0, &launch, A, 0));
	assert_false(call_as(&train, 1, 1, &launch, A, 0));	/* failed: in no graph */
	assert_false(call(&modify, B, 0));
	assert_false(call(&launch, B, 0));
	call(&end, A, GRAPH);
	assert_false(call(&launch, A, 0));
}

static void test_join(void **state)
{
	(void)state;
	call(&record, B, EVENT);		/* before: means nothing */
	call(&begin, A, 0);
	call(&wait, B, EVENT);
	assert_false(call(&launch, B, 0));
	assert_true(call(&record, A, EVENT));
	call(&wait, B, EVENT);
	assert_true(call(&launch, B, 0));
	call(&end, A, GRAPH);
	assert_false(call(&launch, B, 0));
	call(&begin, A, 0);
	call(&wait, B, EVENT);		/* of the capture before */
	assert_false(call(&launch, B, 0));
}

static void test_two_captures(void **state)
{
	(void)state;
	call(&begin, A, 0);
	call(&begin, B, 0);
	call(&end, A, GRAPH);
	assert_false(call(&launch, A, 0));
	assert_true(call(&launch, B, 0));
}

static void test_default_stream_of_thread(void **state)
{
	(void)state;
	call(&begin, 2, 0);
	assert_true(call(&launch, 0, 0));
	assert_false(call_as(&train, 7, 0, &launch, 0, 0));
	call(&end, 0, GRAPH);
	assert_false(call(&launch, 2, 0));
}

static void test_ends(void **state)
{
	(void)state;
	call_as(&train, 1, 1, &begin, A, 0);		/* it failed */
	assert_false(call(&launch, A, 0));
	call(&begin, A, 0);
	call_as(&train, 1, 901, &end, A, 0);		/* what was captured is no graph */
	assert_false(call(&launch, A, 0));
	call(&begin, A, 0);
	call_as(&train, 1, 900, &sync_stream, A, 0);	/* not allowed while it is captured */
	assert_true(call(&launch, A, 0));
	call(&sync_stream, A, 0);			/* allowed: the end was not seen */
	assert_false(call(&launch, A, 0));
	call(&begin, A, 0);
	call(&destroy, A, 0);
	assert_false(call(&launch, A, 0));
	call(&begin, A, 0);
	call_as(&other, 2, 0, &begin, A, 0);
	xpt_capturing__forget(s, &train);
	assert_false(call(&launch, A, 0));
	assert_true(call_as(&other, 2, 0, &launch, A, 0));
}

static bool call_at(uint64_t start, uint64_t end_ns, const struct xpt_fn *fn, uint64_t a, uint64_t b)
{
	start_ns = start;
	dur_ns = end_ns - start;
	return call(fn, a, b);
}

/* A handle is made anew by another thread before the call that destroyed it has returned. */
static void test_late_destroy(void **state)
{
	(void)state;
	call_at(10, 20, &begin, A, 0);
	call_at(40, 50, &begin, A, 0);		/* another stream of that address */
	call_at(30, 90, &destroy, A, 0);
	assert_true(call_at(91, 92, &launch, A, 0));
	call_at(60, 70, &record, A, EVENT);
	call_at(55, 95, &destroy, EVENT, 0);	/* the event before that one */
	call_at(96, 97, &wait, B, EVENT);
	assert_true(call_at(98, 99, &launch, B, 0));
	call_at(100, 110, &destroy, A, 0);
	assert_false(call_at(111, 112, &launch, A, 0));
	call_at(100, 110, &destroy, B, 0);
	assert_false(call_at(111, 112, &launch, B, 0));
}

static void test_full(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 4097; i++)
		call(&begin, 0x1000 + i, 0);
	assert_int_equal(evicted, 1);
	assert_true(call(&launch, 0x1000, 0));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_stream), T(test_join), T(test_two_captures),
		T(test_default_stream_of_thread), T(test_ends), T(test_late_destroy),
		T(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
