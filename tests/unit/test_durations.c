/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* model/durations.h: slots of the kernel in coarser buckets, and which of them has a quantile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "model/durations.h"

static void test_buckets(void **state)
{
	uint64_t calls[XPT_DURATIONS] = { 0 }, want[XPT_DURATIONS] = { 0 };
	struct xpt_wire_count n = { .calls = 0 };

	(void)state;
	for (unsigned slot = 0; slot < XPT_HIST_SLOTS; slot++) {
		unsigned i = 0;

		n.hist[slot] = slot + 1;
		while (i < XPT_DURATION_BOUNDS && UINT64_C(1) << slot > xpt_durations__bound(i))
			i++;
		want[i] += slot + 1;
	}
	xpt_durations__add(calls, &n);
	assert_memory_equal(calls, want, sizeof(want));
	xpt_durations__add(calls, &n);
	assert_int_equal(calls[0], 2 * want[0]);
	assert_int_equal(xpt_durations__bound(0), 1024);
	assert_int_equal(xpt_durations__bound(XPT_DURATION_BOUNDS - 1), 17179869184);
}

static void test_quantiles(void **state)
{
	uint64_t calls[XPT_DURATIONS] = { 0 };

	(void)state;
	assert_int_equal(xpt_durations__quantile(calls, 50), XPT_DURATIONS);
	calls[3] = 99;
	calls[13] = 1;
	assert_int_equal(xpt_durations__quantile(calls, 50), 3);
	assert_int_equal(xpt_durations__quantile(calls, 99), 3);
	assert_int_equal(xpt_durations__quantile(calls, 100), 13);
	calls[13] = 2;
	assert_int_equal(xpt_durations__quantile(calls, 99), 13);
	calls[13] = UINT64_MAX;
	calls[3] = UINT64_MAX;
	assert_int_equal(xpt_durations__quantile(calls, 99), 13);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_quantiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
