// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Time that is spent for owners: it runs out, comes back, and is nobody else's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "proc/remote/allowance.h"
#include "wire/user.h"

#define SECOND 1000000000ull
#define START (5 * SECOND)

static struct xpt_allowance *new_allowance(void)
{
	static struct xpt_allowance a;

	a = (struct xpt_allowance){ .most_ns = SECOND / 2, .per_mille = 50 };
	return &a;
}

static void test_runs_out_and_comes_back(void **state)
{
	struct xpt_allowance *a = new_allowance();

	(void)state;
	assert_true(xpt_allowance__has(a, 7, START));
	xpt_allowance__spend(a, 7, SECOND / 2 - 1, START);
	assert_true(xpt_allowance__has(a, 7, START));
	xpt_allowance__spend(a, 7, SECOND / 10, START);
	assert_false(xpt_allowance__has(a, 7, START));
	assert_false(xpt_allowance__has(a, 7, START + SECOND));
	/* A tenth of a second is back after two. */
	assert_true(xpt_allowance__has(a, 7, START + 2 * SECOND));
	/* After a long time there is as much as at first, and not more. */
	xpt_allowance__spend(a, 7, SECOND / 2, START + 1000000 * SECOND);
	assert_false(xpt_allowance__has(a, 7, START + 1000000 * SECOND));
}

static void test_others(void **state)
{
	struct xpt_allowance *a = new_allowance();

	(void)state;
	xpt_allowance__spend(a, 7, SECOND, START);
	assert_false(xpt_allowance__has(a, 7, START));
	assert_true(xpt_allowance__has(a, 8, START));
	xpt_allowance__spend(a, XPT_OWNER_MACHINE, 100 * SECOND, START);
	assert_true(xpt_allowance__has(a, XPT_OWNER_MACHINE, START));
}

/* Who has spent most stays known, however many others come. */
static void test_many_owners(void **state)
{
	struct xpt_allowance *a = new_allowance();

	(void)state;
	xpt_allowance__spend(a, 7, SECOND, START);
	for (uint64_t owner = 100; owner < 1100; owner++)
		xpt_allowance__spend(a, owner, 1000, START);
	assert_false(xpt_allowance__has(a, 7, START));
}

static void test_clock_goes_back(void **state)
{
	struct xpt_allowance *a = new_allowance();

	(void)state;
	xpt_allowance__spend(a, 7, SECOND, START);
	assert_false(xpt_allowance__has(a, 7, START - SECOND));
	assert_false(xpt_allowance__has(a, 7, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs_out_and_comes_back),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_many_owners),
		cmocka_unit_test(test_clock_goes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
