/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shares of the room for names that owners' files bring. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/libraries/name_shares.h"
#include "wire/user.h"

static struct xpt_name_shares s;

static int setup(void **state)
{
	(void)state;
	s = (struct xpt_name_shares){ 0 };
	return xpt_name_shares__open(&s);
}

static int teardown(void **state)
{
	(void)state;
	xpt_name_shares__close(&s);
	return 0;
}

/* How many of n names get a place. */
static uint32_t take(uint64_t owner, uint32_t n)
{
	uint32_t taken = 0;

	while (n--)
		taken += xpt_name_shares__take(&s, owner);
	return taken;
}

static uint64_t container(uint32_t i)
{
	return XPT_OWNER(0, 1000 + i);
}

/* However many containers there are, half of the room is left to others, and the next container still gets some. */
static void test_containers(void **state)
{
	uint32_t first, all = 0;

	(void)state;
	first = take(container(0), 5000);
	assert_int_equal(first, XPT_NAMES_OF_CONTAINERS / 4);	/* a third of what the others have left */
	all = first + take(container(1), 5000);
	assert_in_range(all, first + first / 2, 2 * first);
	assert_true(take(container(2), 100) == 100);
	for (uint32_t i = 3; i < 5000; i++)
		take(container(i), 5000);
	assert_true(s.of_containers <= XPT_NAMES_OF_CONTAINERS);
	assert_int_equal(take(XPT_OWNER(1000, 0), 200), 200);
	assert_int_equal(take(XPT_OWNER_MACHINE, XPT_NAMES_OF_USERS), XPT_NAMES_OF_USERS);
}

static void test_users(void **state)
{
	(void)state;
	for (uint32_t uid = 1000; uid < 1100; uid++)
		assert_true(take(XPT_OWNER(uid, 0), 5000) <= XPT_NAMES_OF_USER);
	assert_int_equal(s.of_users, XPT_NAMES_OF_USERS);
	assert_int_equal(take(container(0), 100), 100);
	assert_int_equal(take(XPT_OWNER_MACHINE, 5000), XPT_NAMES - XPT_NAMES_OF_USERS - 100);
	assert_false(xpt_name_shares__has(&s, container(1)));
}

/* Processes of which nobody knows whose they were are one owner, and no user. */
static void test_nobody(void **state)
{
	(void)state;
	assert_int_equal(take(XPT_OWNER_NOBODY, 5000), XPT_NAMES_OF_CONTAINERS / 4);
	assert_int_equal(s.of_users, 0);
}

static void test_most_refused(void **state)
{
	(void)state;
	take(XPT_OWNER(1000, 0), XPT_NAMES_OF_USER + 3);
	assert_true(s.most_refused_owner == XPT_OWNER(1000, 0));
	take(container(7), 5000);
	assert_true(s.most_refused_owner == container(7));
	assert_int_equal(s.most_refused, 5000 - XPT_NAMES_OF_CONTAINERS / 4);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = { T(test_containers), T(test_users), T(test_nobody), T(test_most_refused) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
