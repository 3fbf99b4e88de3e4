/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* session/options/suggest.h: which names are suggested for one that was typed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "session/options/suggest.h"

static const char *const names[] = {
	"cuMemAlloc_v2", "cuMemAlloc", "cuMemAllocHost_v2", "cuMemAllocPitch_v2", "cuMemFree_v2", "cuInit",
};

#define NR_NAMES (sizeof(names) / sizeof(names[0]))

static struct xpt_near near;
static char text[256];

static const char *offer_all(const char *typed)
{
	xpt_near__init(&near, typed);
	for (size_t i = 0; i < NR_NAMES; i++)
		xpt_near__offer(&near, names[i]);
	return xpt_near__text(&near, text, sizeof(text));
}

/* Whoever typed a name has it already: it exists, and something else is wrong. */
static void test_typed_is_no_suggestion(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_NAMES; i++) {
		offer_all(names[i]);
		for (unsigned k = 0; k < near.n; k++)
			assert_string_not_equal(near.name[k], names[i]);
	}
	assert_string_equal(offer_all("cuMemAlloc_v2"), ": did you mean cuMemAlloc, cuMemAllocHost_v2?");
	xpt_near__init(&near, "cuMemAlloc_v2");
	xpt_near__offer(&near, "cuMemAlloc_v2");
	assert_string_equal(xpt_near__text(&near, text, sizeof(text)), "");
}

static void test_nearest_first(void **state)
{
	(void)state;
	assert_string_equal(offer_all("cuMemAloc"), ": did you mean cuMemAlloc?");
	assert_string_equal(offer_all("cuint"), ": did you mean cuInit?");
	assert_string_equal(offer_all("nothing_like_it"), "");
	assert_string_equal(offer_all(""), "");
	offer_all("*mem*");
	assert_int_equal(near.n, XPT_NEAR_MAX);
}

/* A name is suggested once, however often it is offered, and one that is too long never. */
static void test_once(void **state)
{
	char name[2 * XPT_NEAR_LEN];

	(void)state;
	offer_all("cuMemAloc");
	offer_all("cuMemAloc");
	xpt_near__offer(&near, "cuMemAlloc");
	assert_int_equal(near.n, 1);
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	xpt_near__init(&near, "aaa");
	xpt_near__offer(&near, name);
	assert_int_equal(near.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_typed_is_no_suggestion), cmocka_unit_test(test_nearest_first),
		cmocka_unit_test(test_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
