/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SPDK's releases: found in the bytes of a program, wherever they are cut; the
 * states of each release where they changed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "model/domain/domain.h"
#include "model/domain/states.h"

static void test_find(void **state)
{
	static const char text[] = "SPDK v\0SPDK vx\0SPDK v2.01\0SPDK v24.0\0SPDK v24.01-pre git sha1";

	(void)state;
	assert_int_equal(xpt_release__find("SPDK v", text, sizeof(text)), 2401);
	assert_int_equal(xpt_release__find("SPDK v", "", 0), 0);
	for (size_t n = 0; n < sizeof("SPDK v26.05") - 1; n++) {
		char *copy = malloc(n + 1);

		memcpy(copy, "SPDK v26.05", n);
		assert_int_equal(xpt_release__find("SPDK v", copy, n), 0);
		free(copy);
	}
	assert_int_equal(xpt_release__find("SPDK v", "SPDK v26.05", 11), 2605);
	assert_int_equal(xpt_release__parse("22.01"), 2201);
	assert_int_equal(xpt_release__parse("v21.07.1"), 2107);
	assert_int_equal(xpt_release__parse("2.1"), 0);
	assert_int_equal(xpt_release__parse(""), 0);
}

static const char *const *target(unsigned release)
{
	return xpt_states__names(xpt_domain__find("spdk"), XPT_KIND_TARGET, release);
}

static unsigned number(const char *const *names)
{
	unsigned n = 0;

	while (names[n])
		n++;
	return n;
}

static void test_states(void **state)
{
	(void)state;
	assert_int_equal(number(target(2107)), 10);
	assert_int_equal(number(target(2201)), 11);
	assert_int_equal(number(target(2401)), 11);
	assert_int_equal(number(target(2405)), 12);
	assert_int_equal(number(target(2601)), 12);
	assert_string_equal(target(2110)[7], "FINI_FREE_RESOURCES");
	assert_string_equal(target(2509)[5], "FINI_STOP_LISTEN");
	assert_string_equal(target(2601)[5], "FINI_STOP_SUBSYSTEMS");
	assert_ptr_equal(target(0), target(2605));
	assert_string_equal(target(2405)[4], "RUNNING");
	assert_int_equal(number(xpt_states__names(xpt_domain__find("spdk"), XPT_KIND_SUBSYSTEM, 0)), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_find), cmocka_unit_test(test_states) };

	return cmocka_run_group_tests_name("spdk_release", tests, NULL, NULL);
}
