/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bytes of CUDA arrays by their descriptors: dimensions, channels, levels,
 * layers, and what a program may pass that is no array at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "wire/array.h"

static uint64_t bytes(uint32_t w, uint32_t h, uint32_t d, uint32_t format, uint32_t channels,
		      uint32_t flags, uint32_t levels)
{
	struct xpt_array a = { { w, h, d }, format, channels, flags };

	return xpt_array_bytes(&a, levels);
}

static void sides(void **state)
{
	(void)state;
	assert_int_equal(bytes(64, 0, 0, 0x20, 1, 0, 1), 64 * 4);
	assert_int_equal(bytes(64, 32, 0, 0x20, 1, 0, 1), 64 * 32 * 4);
	assert_int_equal(bytes(64, 32, 8, 0x10, 4, 0, 1), 64 * 32 * 8 * 2 * 4);
	assert_int_equal(bytes(64, 0, 8, 0x01, 2, 1, 1), 64 * 8 * 2);	/* eight 1D layers */
}

static void levels(void **state)
{
	(void)state;
	assert_int_equal(bytes(8, 4, 2, 0x08, 1, 0, 3), 8 * 4 * 2 + 4 * 2 * 1 + 2 * 1 * 1);
	assert_int_equal(bytes(8, 4, 6, 0x08, 1, 1, 3), (8 * 4 + 4 * 2 + 2 * 1) * 6);
	assert_int_equal(bytes(8, 8, 6, 0x08, 1, 4, 2), (8 * 8 + 4 * 4) * 6);
}

static void not_known(void **state)
{
	(void)state;
	assert_int_equal(bytes(0, 4, 0, 0x20, 1, 0, 1), 0);
	assert_int_equal(bytes(64, 64, 0, 0x91, 4, 0, 1), 0);	/* BC1: blocks, no channels */
	assert_int_equal(bytes(64, 64, 0, 0x20, 5, 0, 1), 0);
	assert_int_equal(bytes(~0u, 1, 1, 0x20, 1, 0, 1), 0);
	assert_int_equal(bytes(1, XPT_ARRAY_SIDE_MAX + 1, 1, 0x20, 1, 0, 1), 0);
	assert_int_equal(bytes(1, 1, 1, 0x20, 4, 0, ~0u), 16 * XPT_ARRAY_LEVELS_MAX);
	assert_int_equal(bytes(XPT_ARRAY_SIDE_MAX, XPT_ARRAY_SIDE_MAX, XPT_ARRAY_SIDE_MAX, 3, 4, 0, 1),
			 1ull << 58);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sides), cmocka_unit_test(levels), cmocka_unit_test(not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
