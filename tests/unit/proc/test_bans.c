/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* proc/remote/bans.h: how long an owner is banned, and which entry makes room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "proc/remote/bans.h"
#include "wire/user.h"

#define START 1000000000ull

static uint64_t length(const struct xpt_bans *b, uint64_t owner, uint64_t now)
{
	uint64_t ns = 0;

	while (xpt_bans__has(b, owner, now + ns))
		ns += XPT_BAN_NS / 2;
	return ns;
}

static void test_doubles(void **state)
{
	struct xpt_bans b = { 0 };
	uint64_t now = START, expected = XPT_BAN_NS;

	(void)state;
	assert_false(xpt_bans__has(&b, 1000, now));
	for (int i = 0; i < 10; i++) {
		xpt_bans__add(&b, 1000, now);
		assert_int_equal(length(&b, 1000, now), expected);
		assert_false(xpt_bans__has(&b, 1001, now));
		now += expected + 1;
		expected = expected * 2 < XPT_BAN_MAX_NS ? expected * 2 : XPT_BAN_MAX_NS;
	}
	now += XPT_BAN_FORGET_NS;
	xpt_bans__add(&b, 1000, now);
	assert_int_equal(length(&b, 1000, now), XPT_BAN_NS);
}

static void test_machine(void **state)
{
	struct xpt_bans b = { 0 };
	uint64_t now = START;

	(void)state;
	for (int i = 0; i < 3; i++) {
		xpt_bans__add(&b, XPT_OWNER_MACHINE, now);
		assert_int_equal(length(&b, XPT_OWNER_MACHINE, now), XPT_BAN_NS);
		now += XPT_BAN_NS;
	}
}

/* An owner with a long ban keeps it while many others get short ones. */
static void test_full(void **state)
{
	struct xpt_bans b = { 0 };
	uint64_t now = START;
	unsigned i;

	(void)state;
	for (i = 0; i < 4; i++)
		xpt_bans__add(&b, 1000, now);
	for (i = 0; i < 2 * XPT_BANS; i++)
		xpt_bans__add(&b, 2000 + i, now);
	assert_true(xpt_bans__has(&b, 1000, now + 8 * XPT_BAN_NS - 1));
	assert_true(xpt_bans__has(&b, 2000 + i - 1, now));
	assert_false(xpt_bans__has(&b, 2000, now));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_doubles),
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
