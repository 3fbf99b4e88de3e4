/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file that is tried again and again: each place without a probe counts once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "engine/attach/counted.h"
#include "engine/priv.h"

static struct xpt_engine *e;

static int setup(void **state)
{
	(void)state;
	e = calloc(1, sizeof(*e));
	e->stats.nr_failed = 1000;	/* of other files */
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(e);
	return 0;
}

/* One try that leaves so many places without a probe, and so many functions without a name. */
static void try_file(struct xpt_counted *file, uint32_t failed, uint32_t unnamed)
{
	struct xpt_counted before = xpt_counted__now(e);

	e->stats.nr_failed += failed;
	e->stats.nr_unnamed += unnamed;
	e->lost[XPT_LOSS_NAMES_FULL] += unnamed;
	xpt_counted__once(e, &before, file);
}

static void test_tried_again(void **state)
{
	struct xpt_counted file = { 0 }, other = { 0 };

	(void)state;
	for (int i = 0; i < 10; i++)
		try_file(&file, 7, 3);
	assert_int_equal(e->stats.nr_failed, 1007);
	assert_int_equal(e->stats.nr_unnamed, 3);
	assert_int_equal(e->lost[XPT_LOSS_NAMES_FULL], 3);
	try_file(&other, 5, 0);
	assert_int_equal(e->stats.nr_failed, 1012);
	try_file(&file, 9, 0);		/* two more than before */
	try_file(&file, 0, 0);		/* all of them have their probes */
	try_file(&file, 9, 4);
	assert_int_equal(e->stats.nr_failed, 1014);
	assert_int_equal(e->lost[XPT_LOSS_NAMES_FULL], 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_tried_again, setup, teardown),
	};

	return cmocka_run_group_tests_name("counted", tests, NULL, NULL);
}
