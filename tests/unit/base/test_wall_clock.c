/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* base/wall_clock.h: one offset however long a reading takes, and another one when the clock was set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/time.h"
#include "base/wall_clock.h"

#define SECOND 1000000000ull
#define WALL (1790000000 * SECOND)	/* what the monotonic clock's 0 is */

/* A reading at a monotonic time, which takes before + after ns. */
static bool read_at(struct xpt_wall_clock *c, uint64_t ns, uint64_t before, uint64_t after, int64_t step)
{
	struct xpt_wall_reading r = { ns - before, WALL + ns + (uint64_t)step, ns + after };

	return xpt_wall_clock__apply(c, &r);
}

/* A reader that loses its CPU before or after the wall clock gets no other offset. */
static void test_jitter(void **state)
{
	struct xpt_wall_clock c = { 0 };
	int64_t first;

	(void)state;
	assert_true(read_at(&c, 10 * SECOND, 40, 40, 0));
	first = c.offset_ns;
	assert_true(first == (int64_t)WALL);
	assert_false(read_at(&c, 11 * SECOND, 3000000, 0, 0));
	assert_false(read_at(&c, 12 * SECOND, 0, 3 * SECOND, 0));
	assert_true(c.offset_ns == first);
	assert_true(xpt_wall_clock__at(&c, 12 * SECOND) == WALL + 12 * SECOND);
	assert_true(xpt_wall_clock__at(&c, 12 * SECOND + 1) == WALL + 12 * SECOND + 1);
}

static void test_step(void **state)
{
	struct xpt_wall_clock c = { 0 };

	(void)state;
	read_at(&c, 10 * SECOND, 40, 40, 0);
	assert_true(read_at(&c, 11 * SECOND, 40, 40, 3600 * (int64_t)SECOND));
	assert_true(xpt_wall_clock__at(&c, 11 * SECOND) == WALL + 3611 * SECOND);
	assert_true(read_at(&c, 12 * SECOND, 40, 40, -5 * (int64_t)SECOND));
	assert_true(xpt_wall_clock__at(&c, 12 * SECOND) == WALL + 7 * SECOND);
	assert_false(read_at(&c, 13 * SECOND, 40, 40, -5 * (int64_t)SECOND + 1000));	/* too little to be a step */
}

static void test_this_machine(void **state)
{
	struct xpt_wall_clock c = { 0 };
	uint64_t now = xpt_clock_ns(CLOCK_REALTIME), told;
	int64_t first;
	int i;

	(void)state;
	xpt_wall_clock__update(&c);
	first = c.offset_ns;
	for (i = 0; i < 1000; i++)
		xpt_wall_clock__update(&c);
	assert_true(c.offset_ns == first);
	told = xpt_wall_clock__at(&c, xpt_now_ns());
	assert_true(told + SECOND > now && told < now + 60 * SECOND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jitter), cmocka_unit_test(test_step), cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
