// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Missed returns are attributed to the calls that ran when the count grew, also to a long one that
 * is read after others which have ended since.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rdma/trace/misses.h"

static void test_none(void **state)
{
	struct xpt_rdma_misses m = { 0 };

	(void)state;
	xpt_rdma_misses__set(&m, 0, 100);
	assert_false(xpt_rdma_misses__during(&m, 0, 200));
}

static void test_long_call(void **state)
{
	struct xpt_rdma_misses m = { 0 };

	(void)state;
	xpt_rdma_misses__set(&m, 0, 100);
	xpt_rdma_misses__set(&m, 3, 200);
	assert_true(xpt_rdma_misses__during(&m, 150, 160));	/* ran then */
	xpt_rdma_misses__set(&m, 3, 500);
	assert_true(xpt_rdma_misses__during(&m, 150, 450));	/* began then, and is read later */
	assert_false(xpt_rdma_misses__during(&m, 210, 450));
	assert_false(xpt_rdma_misses__during(&m, 10, 90));
}

static void test_count_begins_anew(void **state)
{
	struct xpt_rdma_misses m = { 0 };

	(void)state;
	xpt_rdma_misses__set(&m, 7, 100);
	xpt_rdma_misses__set(&m, 0, 200);	/* other programs */
	assert_false(xpt_rdma_misses__during(&m, 150, 250));
	xpt_rdma_misses__set(&m, 1, 300);
	assert_true(xpt_rdma_misses__during(&m, 250, 260));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none), cmocka_unit_test(test_long_call),
		cmocka_unit_test(test_count_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
