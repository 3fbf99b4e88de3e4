/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * model/picture/flood.h: when sums take the place of lines, what they say, when lines go on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "model/picture/flood.h"

#define SECOND 1000000000ull

static const struct xpt_fn launch = { .id = 1, .name = "cuLaunchKernel" }, copy = { .id = 2, .name = "cuMemcpyHtoD_v2" };

/* n calls from ts on, in 0.1 s; how many have a line. */
static unsigned put(struct xpt_flood *f, const struct xpt_fn *fn, uint64_t ts, unsigned n, bool failed)
{
	struct xpt_call c = { .fn = fn, .dur_ns = 1000, .failed = failed };
	unsigned lines = 0;

	for (unsigned i = 0; i < n; i++) {
		xpt_flood__pass(f, ts + i * (SECOND / 10 / n));
		lines += !xpt_flood__add(f, &c);
	}
	return lines;
}

static void test_begins_and_ends(void **state)
{
	struct xpt_flood f = { 0 };

	(void)state;
	assert_int_equal(put(&f, &launch, SECOND, XPT_FLOOD_ABOVE, false), XPT_FLOOD_ABOVE);
	assert_int_equal(put(&f, &launch, 2 * SECOND, XPT_FLOOD_ABOVE, false), XPT_FLOOD_ABOVE);
	/* One more than that in a half second, and all others are in the sums. */
	assert_int_equal(put(&f, &launch, 3 * SECOND, 10 * XPT_FLOOD_ABOVE, false), XPT_FLOOD_ABOVE + 1);
	assert_true(f.on);
	assert_int_equal(f.total, 9 * XPT_FLOOD_ABOVE - 1);
	assert_int_equal(xpt_flood__pass(&f, 3 * SECOND + SECOND / 4), XPT_FLOOD_SAME);
	assert_int_equal(xpt_flood__pass(&f, 3 * SECOND + SECOND / 2), XPT_FLOOD_LOOK);
	/* As many as would not have begun it: it goes on, until half of that. */
	assert_int_equal(put(&f, &launch, 3 * SECOND + SECOND / 2, XPT_FLOOD_ABOVE, false), 0);
	assert_int_equal(xpt_flood__pass(&f, 4 * SECOND), XPT_FLOOD_LOOK);
	assert_int_equal(put(&f, &launch, 4 * SECOND, XPT_FLOOD_ABOVE / 2, false), 0);
	assert_int_equal(xpt_flood__pass(&f, 5 * SECOND), XPT_FLOOD_ENDS);
	assert_int_equal(put(&f, &launch, 5 * SECOND, 10, false), 10);
	xpt_flood__free(&f);
}

static void test_table(void **state)
{
	struct xpt_flood f = { 0 };
	struct xpt_strbuf sb;

	(void)state;
	xpt_strbuf__init(&sb, 1 << 16);
	assert_int_equal(xpt_flood__table(&f, SECOND, 80, false, &sb), 0);
	put(&f, &launch, SECOND, XPT_FLOOD_ABOVE + 1, false);
	put(&f, &copy, SECOND + SECOND / 10, 200, true);
	put(&f, &launch, SECOND + SECOND / 5, 1800, false);
	assert_int_equal(xpt_flood__table(&f, f.since_ns + SECOND / 2, 80, false, &sb), 4);
	assert_string_equal(xpt_strbuf__str(&sb),
		"# 2,000 calls in 500 ms, too many for lines: sums by function\n"
		"FUNCTION                                CALLS  CALLS/S  FAILED     TIME     MEAN\n"
		"cuLaunchKernel                          1,800    3,600       0  1.80 ms  1.00 us\n"
		"cuMemcpyHtoD_v2                           200      400     200   200 us  1.00 us\n");
	/* The next one counts on, and its rates are those since the last. */
	xpt_strbuf__reset(&sb);
	xpt_flood__table(&f, f.since_ns + SECOND, 80, false, &sb);
	assert_non_null(strstr(xpt_strbuf__str(&sb), "          1,800        0       0  1.80 ms  1.00 us\n"));
	xpt_strbuf__free(&sb);
	xpt_flood__free(&f);
}

/* More functions than rows: those with most calls, most first. */
static void test_rows(void **state)
{
	static struct xpt_fn fn[3 * XPT_FLOOD_ROWS];
	static char name[3 * XPT_FLOOD_ROWS][16];
	struct xpt_flood f = { 0 };
	struct xpt_strbuf sb;
	const char *at;

	(void)state;
	xpt_strbuf__init(&sb, 1 << 16);
	put(&f, &launch, SECOND, XPT_FLOOD_ABOVE + 1, false);
	for (unsigned i = 0; i < 3 * XPT_FLOOD_ROWS; i++) {
		snprintf(name[i], sizeof(name[i]), "fn_%02u_", i);
		fn[i] = (struct xpt_fn){ .id = 10 + i * 7 % (3 * XPT_FLOOD_ROWS), .name = name[i] };
		put(&f, &fn[i], SECOND + SECOND / 10, 10 + i, false);
	}
	assert_int_equal(xpt_flood__table(&f, 2 * SECOND, 80, false, &sb), XPT_FLOOD_ROWS + 2);
	at = xpt_strbuf__str(&sb);
	for (unsigned i = 0; i < XPT_FLOOD_ROWS; i++) {
		at = strstr(at, name[3 * XPT_FLOOD_ROWS - 1 - i]);
		assert_non_null(at);
	}
	assert_null(strstr(at, name[3 * XPT_FLOOD_ROWS - 1 - XPT_FLOOD_ROWS]));
	xpt_strbuf__free(&sb);
	xpt_flood__free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begins_and_ends), cmocka_unit_test(test_table), cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
