/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pipeline/calls/freed.h: which bytes a call is said to have freed: those of the block that it
 * was for, also for the call of a runtime around it, and where its address was handed
 * out again before it returned.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "unit/feed_model.h"
#include "pipeline/calls/freed.h"

const struct xpt_domain *const xpt_domains[] = { NULL };
const size_t xpt_nr_domains;

static struct xpt_fn alloc, release, rt_release, pin, unpin, launch;
static struct xpt_proc train, other;
static struct xpt_freed *f;

static int setup(void **state)
{
	(void)state;
	alloc = FEED_FN("alloc", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	release = FEED_FN("free", FREE, NONE, XPT_ROLE_ADDR);
	rt_release = FEED_FN("rtFree", FREE, NONE, XPT_ROLE_ADDR);
	pin = FEED_FN("pin", REGISTER, NONE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	unpin = FEED_FN("unpin", DEREGISTER, NONE, XPT_ROLE_ADDR);
	launch = FEED_FN("launch", LAUNCH, NONE, XPT_ROLE_STREAM);
	train = feed_proc(1, "train");
	other = feed_proc(2, "other");
	return xpt_freed__new(&f);
}

static int teardown(void **state)
{
	(void)state;
	xpt_freed__free(f);
	return 0;
}

static uint64_t call_as(const struct xpt_proc *proc, uint32_t tid, uint8_t flags, uint64_t start_ns,
			uint64_t end_ns, const struct xpt_fn *fn, uint64_t a, uint64_t b)
{
	uint64_t val[] = { a, b };
	struct xpt_call c = { .fn = fn, .proc = proc, .tid = tid, .comm = "", .valid = 3, .flags = flags,
			      .nr_vals = fn->nr_caps, .val = val, .start_ns = start_ns,
			      .dur_ns = end_ns - start_ns };

	xpt_freed__call(f, &c);
	return c.freed;
}

static uint64_t call(uint64_t start_ns, uint64_t end_ns, const struct xpt_fn *fn, uint64_t a, uint64_t b)
{
	return call_as(&train, 1, 0, start_ns, end_ns, fn, a, b);
}

static void test_sizes(void **state)
{
	(void)state;
	assert_int_equal(call(1, 2, &alloc, 0x10, 100), 0);
	assert_int_equal(call(3, 4, &pin, 0x10, 300), 0);
	assert_int_equal(call(5, 6, &launch, 0x10, 0), 0);
	assert_int_equal(call_as(&other, 2, 0, 7, 8, &release, 0x10, 0), 0);
	assert_int_equal(call_as(&train, 1, XPT_CALL_FAILED, 9, 10, &release, 0x10, 0), 0);
	assert_int_equal(call(11, 12, &release, 0x10, 0), 100);
	assert_int_equal(call(13, 14, &unpin, 0x10, 0), 300);
	assert_int_equal(call(15, 16, &release, 0x10, 0), 0);	/* its allocation was not seen */
}

/* The runtime's call returns behind the driver's, with the same bytes; a later one does not. */
static void test_runtime(void **state)
{
	(void)state;
	call(1, 2, &alloc, 0x10, 100);
	call(3, 4, &alloc, 0x20, 200);
	assert_int_equal(call_as(&train, 1, XPT_CALL_NESTED, 11, 12, &release, 0x10, 0), 100);
	assert_int_equal(call_as(&train, 2, XPT_CALL_NESTED, 11, 13, &release, 0x20, 0), 200);
	assert_int_equal(call_as(&train, 1, XPT_CALL_OUTER, 10, 14, &rt_release, 0x10, 0), 100);
	assert_int_equal(call_as(&train, 2, XPT_CALL_OUTER, 10, 15, &rt_release, 0x20, 0), 200);
	assert_int_equal(call_as(&train, 1, XPT_CALL_OUTER, 20, 25, &rt_release, 0x10, 0), 0);
}

static void test_late_free(void **state)
{
	(void)state;
	call(1, 2, &alloc, 0x10, 100);
	call(12, 15, &alloc, 0x10, 700);		/* by another thread, while the free goes on */
	assert_int_equal(call(10, 20, &release, 0x10, 0), 100);
	assert_int_equal(call(21, 22, &release, 0x10, 0), 700);
}

static void test_gone(void **state)
{
	(void)state;
	call(1, 2, &alloc, 0x10, 100);
	call_as(&other, 2, 0, 1, 2, &alloc, 0x10, 300);
	xpt_freed__gone(f, &train, 5);
	assert_int_equal(call(6, 7, &release, 0x10, 0), 0);
	other.forgotten = true;
	xpt_freed__forget(f, 8);
	other.forgotten = false;
	assert_int_equal(call_as(&other, 2, 0, 9, 10, &release, 0x10, 0), 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_sizes), T(test_runtime), T(test_late_free), T(test_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
