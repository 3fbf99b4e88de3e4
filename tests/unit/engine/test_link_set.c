// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sets of places that a kernel refuses because of some of them. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "engine/attach/link_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define PLACES 1000

struct kernel {
	bool bad[PLACES];	/* that it refuses, with all sets that have one */
	int err;
	unsigned linked[PLACES], refused[PLACES], requests;
	uint64_t place_ns, clock_ns;	/* that it takes for each place; until now */
};

static int link_places(void *ctx, uint32_t from, uint32_t n)
{
	struct kernel *k = ctx;
	uint32_t i;

	k->requests++;
	k->clock_ns += k->place_ns * n;
	for (i = from; i < from + n; i++)
		if (k->bad[i])
			return k->err;
	for (i = from; i < from + n; i++)
		k->linked[i]++;
	return 0;
}

static void on_refused(void *ctx, uint32_t from, uint32_t n, int err)
{
	struct kernel *k = ctx;
	uint32_t i;

	assert_true(err == k->err || err == -EDQUOT);
	for (i = from; i < from + n; i++)
		k->refused[i]++;
}

static uint32_t attach(struct kernel *k, uint32_t from, uint32_t n, bool one_file)
{
	struct xpt_link_set set = { link_places, on_refused, k, one_file, NULL };

	return xpt_link_set__attach(&set, from, n);
}

static void test_good(void **state)
{
	struct kernel k = { .err = -EINVAL };

	(void)state;
	assert_int_equal(attach(&k, 0, 0, false), 0);
	assert_int_equal(k.requests, 0);
	assert_int_equal(attach(&k, 10, 500, false), 500);
	assert_int_equal(k.requests, 1);
	assert_int_equal(k.linked[9] + k.linked[510], 0);
	assert_int_equal(k.linked[10] + k.linked[509], 2);
}

/* Who has made a file of which each second place is refused gets no more requests than there are for him. */
static void test_limit(void **state)
{
	struct kernel k = { .err = -EINVAL };
	struct xpt_link_allowance left = { 50, UINT64_MAX, NULL };
	uint32_t i, linked;
	struct xpt_link_set set = { link_places, on_refused, &k, false, &left };

	(void)state;
	for (i = 0; i < PLACES; i += 2)
		k.bad[i] = true;
	linked = xpt_link_set__attach(&set, 0, PLACES);
	assert_int_equal(k.requests, 50);
	for (i = 0; i < PLACES; i++) {
		assert_int_equal(k.linked[i] + k.refused[i], 1);
		linked -= k.linked[i];
	}
	assert_int_equal(linked, 0);
}

/* A file of a healthy size is linked with a few requests, one that is slow for each place until the time is used up. */
static void test_time(void **state)
{
	struct kernel k = { .err = -EINVAL, .place_ns = 1000 };
	struct xpt_link_allowance left = { 50, 1000000000, &k.clock_ns };
	struct xpt_link_set set = { link_places, on_refused, &k, true, &left };

	(void)state;
	assert_int_equal(xpt_link_set__attach(&set, 0, PLACES), PLACES);
	assert_in_range(k.requests, 2, 5);
	assert_in_range(left.ns, 1, 999999999);
	k = (struct kernel){ .err = -EINVAL, .place_ns = 20000000 };
	left = (struct xpt_link_allowance){ 50, 100000000, &k.clock_ns };
	assert_in_range(xpt_link_set__attach(&set, 0, PLACES), 1, 40);
	assert_int_equal(left.ns, 0);
	for (uint32_t i = 0; i < PLACES; i++)
		assert_int_equal(k.linked[i] + k.refused[i], 1);
}

/* Each place is linked once or refused once, and the refused ones are the bad ones. */
static void test_some_are_bad(void **state)
{
	static const uint32_t bad[] = { 0, 1, 333, 500, 998, 999 };
	struct kernel k = { .err = -EINVAL };
	uint32_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		k.bad[bad[i]] = true;
	assert_int_equal(attach(&k, 0, PLACES, false), PLACES - 6);
	for (i = 0; i < PLACES; i++) {
		assert_int_equal(k.linked[i], !k.bad[i]);
		assert_int_equal(k.refused[i], k.bad[i]);
	}
	assert_true(k.requests < 6 * 2 * 10 + 1);
}

/* What concerns the whole file ends the search, where the places are in one. */
static void test_about_the_file(void **state)
{
	struct kernel k = { .err = -EPERM };
	uint32_t i;

	(void)state;
	k.bad[7] = true;
	assert_int_equal(attach(&k, 0, PLACES, true), 0);
	assert_int_equal(k.requests, 1);
	for (i = 0; i < PLACES; i++)
		assert_int_equal(k.refused[i], 1);
	memset(&k, 0, sizeof(k));
	k.err = -EPERM;
	k.bad[7] = true;
	assert_int_equal(attach(&k, 0, PLACES, false), PLACES - 1);
}

/* Without a file descriptor smaller sets would be refused as well: they are not tried. */
static void test_no_descriptors(void **state)
{
	struct kernel k = { .err = -EMFILE };

	(void)state;
	k.bad[7] = true;
	assert_int_equal(attach(&k, 0, 500, false), 0);
	assert_int_equal(k.requests, 1);
	assert_int_equal(k.refused[499], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_no_descriptors),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_some_are_bad),
		cmocka_unit_test(test_about_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
