/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * session/outputs.c: what is said of files that are too large for what reads them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "session/outputs.h"

#define MIB (1ull << 20)

static void test_large_pictures(void **state)
{
	const char *advice = xpt_outputs__advice("a/t.json", 982 * MIB);

	(void)state;
	assert_non_null(advice);
	assert_non_null(strstr(advice, ".pftrace"));
	assert_non_null(strstr(advice, "--around"));
	assert_null(xpt_outputs__advice("a/t.json", 300 * MIB));
	assert_null(xpt_outputs__advice("a/t.pftrace", 982 * MIB));
	assert_null(xpt_outputs__advice("a/t.jsonl", 982 * MIB));
	assert_null(xpt_outputs__advice("json", 982 * MIB));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_large_pictures) };

	return cmocka_run_group_tests_name("outputs", tests, NULL, NULL);
}
