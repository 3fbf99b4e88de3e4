/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* session/agent/snapshot_page.h: snapshots that take long are made less often. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>
#include "base/time.h"
#include "session/agent/rest.h"
#include "session/agent/snapshot_page.h"

#define MS 1000000ull

struct reader {
	unsigned nr;
	uint64_t takes_ns;
};

static void take(void *ctx, const struct xpt_strbuf *document)
{
	struct reader *r = ctx;
	uint64_t end_ns = xpt_now_ns() + r->takes_ns;

	(void)document;
	r->nr++;
	while (xpt_now_ns() < end_ns)
		;
}

static void test_rest(void **state)
{
	struct reader r = { .takes_ns = 10 * MS };
	struct xpt_snapshot_page p = { .take = take, .take_ctx = &r };
	uint64_t began_ns;

	(void)state;
	assert_int_equal(xpt_snapshot_page__open(&p, 1, NULL, NULL), 0);
	p.period_ns = 0;		/* the counts come with metrics */
	began_ns = xpt_now_ns();
	while (xpt_now_ns() - began_ns < 150 * MS)
		xpt_snapshot_page__step(&p, NULL, xpt_now_ns(), true);
	assert_int_equal(r.nr, 1);
	while (r.nr < 2 && xpt_now_ns() - began_ns < 10000 * MS)
		xpt_snapshot_page__step(&p, NULL, xpt_now_ns(), true);
	assert_int_equal(r.nr, 2);
	assert_true(xpt_now_ns() - began_ns >= 200 * MS);
	xpt_snapshot_page__close(&p);
}

static void test_times(void **state)
{
	(void)state;
	assert_int_equal(xpt_rest_ns(5 * MS), 100 * MS);
	assert_int_equal(xpt_rest_ns(0), 0);
	assert_int_equal(xpt_rest_ns(2000 * MS), 30000 * MS);	/* a page is not much older than that */
	assert_int_equal(xpt_rest_ns(UINT64_MAX), 30000 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rest),
		cmocka_unit_test(test_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
