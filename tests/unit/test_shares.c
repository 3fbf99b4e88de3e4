/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* model/shares.h: an owner gets as many places as are left free; kinds are apart; who has none gives his row to others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "model/shares.h"

enum { A, B };

static struct xpt_shares s;

static int setup(void **state)
{
	static const uint32_t max[] = { 100, 10 };

	(void)state;
	s = (struct xpt_shares){ .rows = NULL };
	return xpt_shares__init(&s, max, 2);
}

static int teardown(void **state)
{
	(void)state;
	xpt_shares__free(&s);
	return 0;
}

static unsigned take_all(uint64_t owner, unsigned kind, uint64_t *ret_share)
{
	unsigned n = 0;

	while (xpt_shares__take(&s, owner, kind, ret_share))
		n++;
	return n;
}

static void test_halves(void **state)
{
	uint64_t share;

	(void)state;
	assert_int_equal(take_all(1, A, &share), 50);
	assert_int_equal(share, 1);
	assert_int_equal(take_all(2, A, NULL), 25);
	assert_int_equal(take_all(1, B, NULL), 5);
	xpt_shares__give_back(&s, 1, A, 50);
	assert_int_equal(s.used[A], 25);
	assert_int_equal(take_all(3, A, NULL), 38);
	xpt_shares__take_freed(&s, 3, A, &share);
	assert_int_equal(share, 3);
	assert_int_equal(s.used[A], 64);
	xpt_shares__give_back(&s, 4, A, 1);
	assert_int_equal(s.used[A], 64);
}

/* Further owners than there are rows have one share together; a row without places is free again. */
static void test_rows(void **state)
{
	uint64_t share;

	(void)state;
	s.max[A] = 1 << 20;
	for (uint64_t owner = 0; owner < XPT_SHARES_OWNERS - 1; owner++) {
		assert_true(xpt_shares__take(&s, owner, A, &share));
		assert_int_equal(share, owner);
	}
	assert_true(xpt_shares__take(&s, 5000, A, &share));
	assert_int_equal(share, UINT64_MAX);
	assert_true(xpt_shares__take(&s, 5001, A, &share));
	assert_int_equal(share, UINT64_MAX);
	xpt_shares__give_back(&s, 7, A, 1);
	assert_true(xpt_shares__take(&s, 5001, A, &share));
	assert_int_equal(share, 5001);
	/* One who gets nothing takes no row either. */
	xpt_shares__give_back(&s, 5001, A, 1);
	s.max[B] = 0;
	assert_false(xpt_shares__take(&s, 5002, B, &share));
	assert_true(xpt_shares__take(&s, 5003, A, &share));
	assert_int_equal(share, 5003);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_halves, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rows, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
