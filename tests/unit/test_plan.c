/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sites/plan.c: which functions the patterns of -f choose.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "sites/plan.h"

static void test_all(void **state)
{
	const char *none[] = { NULL };

	(void)state;
	assert_true(xpt_plan__wants(NULL, "cuInit"));
	assert_true(xpt_plan__wants(none, "cuInit"));
}

static void test_chosen(void **state)
{
	const char *globs[] = { "cuMem*", "cuInit", NULL };

	(void)state;
	assert_true(xpt_plan__wants(globs, "cuMemAlloc_v2"));
	assert_true(xpt_plan__wants(globs, "cuInit"));
	assert_false(xpt_plan__wants(globs, "cuLaunchKernel"));
}

/* A pattern behind ! leaves functions out of all, or out of those that others choose. */
static void test_excluded(void **state)
{
	const char *but[] = { "!cuMemAlloc", "!cuInit", NULL };
	const char *of[] = { "cuMem*", "!cuMemcpy*", NULL };

	(void)state;
	assert_false(xpt_plan__wants(but, "cuMemAlloc_v2"));
	assert_false(xpt_plan__wants(but, "cuInit"));
	assert_true(xpt_plan__wants(but, "cuMemFree_v2"));
	assert_true(xpt_plan__wants(of, "cuMemAlloc_v2"));
	assert_false(xpt_plan__wants(of, "cuMemcpyHtoD_v2"));
	assert_false(xpt_plan__wants(of, "cuInit"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_chosen),
		cmocka_unit_test(test_excluded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
