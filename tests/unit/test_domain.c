/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * model/domain/domain.h on a small domain of its own: which row an exported name
 * takes, base names, what is traced at all, results, the wire form of rows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "model/domain/domain.h"

static const struct xpt_fn_row rows[] = {	/* sorted by symbol, as rows must be */
	XPT_FN("aAlloc", ALLOC, XPT_OUT(0, 8, ADDR, "p"), XPT_VAL(1, 8, SIZE, "n")),
	XPT_FN("aCopy", COPY, XPT_VAL(0, 8, DST, "d"), XPT_VAL(2, 8, SIZE, "n"),
	       XPT_VAL(9, 8, SIZE, "again"), XPT_DIRECTION(H2D)),
	XPT_FN("aLaunch", LAUNCH, XPT_VAL(0, 8, FUNC, "f"), XPT_VAL(10, 8, STREAM, "s"),
	       XPT_VAL(6, 4, SHMEM, "m")),
	XPT_FN("aSync", SYNC),
	XPT_FN("aSync_v2", SYNC, XPT_VAL(0, 8, CONTEXT, "c")),
	XPT_FN("aThread_ptsz", SYNC),
	XPT_FN("a_v", QUERY),
	{ .sym = "aaFull", .cls = XPT_CLASS_OTHER, .ret = XPT_RET_VALUE, .cap = {
		XPT_VAL(0, 8, VALUE, "0"), XPT_VAL(1, 8, VALUE, "1"), XPT_VAL(2, 8, VALUE, "2"),
		XPT_VAL(3, 8, VALUE, "3"), XPT_VAL(4, 8, VALUE, "4"), XPT_VAL(5, 8, VALUE, "5"),
		XPT_VAL(6, 8, VALUE, "6"), XPT_VAL(7, 8, VALUE, "7"), XPT_VAL(8, 8, VALUE, "8"),
		XPT_VAL(9, 8, VALUE, "9"), XPT_VAL(10, 8, VALUE, "10"), XPT_VAL(11, 8, SIZE, "11"),
	} },
};

static const struct xpt_result results[] = {
	{ -7, "MINUS_SEVEN", "m", false, false, false, false },
	{ 0, "FINE", "m", false, false, false, false },
	{ 1, "ONE", "m", true, false, false, false },
	{ 999, "LAST", "m", false, true, false, false },
};

static const char *const catch_all[] = { "a[0]", "aX*", NULL };

static const struct xpt_domain domain = {
	.name = "test", .catch_all = catch_all, .catch_all_ret = XPT_RET_NEGATIVE,
	.rows = rows, .nr_rows = sizeof(rows) / sizeof(rows[0]),
	.results = results, .nr_results = sizeof(results) / sizeof(results[0]),
};

static const struct xpt_domain empty = { .name = "empty" };

/* "" stands for no row. */
static void takes(const char *sym, const char *row)
{
	const struct xpt_fn_row *got = xpt_domain__row(&domain, sym);

	assert_string_equal(got ? got->sym : "", row);
}

static void test_suffix_rule(void **state)
{
	(void)state;
	takes("aAlloc", "aAlloc");
	takes("aAlloc_v2", "aAlloc");
	takes("aAlloc_v12", "aAlloc");
	takes("aAlloc_ptsz", "aAlloc");
	takes("aAlloc_ptds", "aAlloc");
	takes("aAlloc_v3_ptds", "aAlloc");
	takes("aSync", "aSync");
	takes("aSync_ptsz", "aSync");
	takes("aSync_v2", "aSync_v2");		/* a row of its own wins */
	takes("aSync_v2_ptsz", "aSync_v2");
	takes("aSync_v3", "aSync");
	takes("aThread_ptsz", "aThread_ptsz");
	takes("aThread", "");			/* never the other way round */
	takes("aAlloc_ptsz_v2", "");		/* only in this order */
	takes("aAlloc_v2_v3", "");		/* only once */
	takes("aAllo", "");
	takes("aAllocX", "");
	takes("aAlloc_v", "");
	takes("aAlloc_vx2", "");
	takes("a_v", "a_v");
	takes("a_v2", "");
	takes("_v2", "");
	takes("_ptsz", "");
	takes("v2", "");
	takes("2", "");
	takes("", "");
	assert_null(xpt_domain__row(&empty, "aAlloc"));
}

static void base_is(const char *sym, const char *base)
{
	char buf[64];

	assert_string_equal(xpt_fn_base_name(sym, buf, sizeof(buf)), base);
}

static void test_base_name(void **state)
{
	char buf[4];

	(void)state;
	base_is("cuMemAlloc_v2", "cuMemAlloc");
	base_is("cuMemcpyHtoDAsync_v2_ptsz", "cuMemcpyHtoDAsync");
	base_is("cuLaunchKernel_ptds", "cuLaunchKernel");
	base_is("cuInit", "cuInit");
	base_is("cuD3D10", "cuD3D10");
	base_is("x_v12000", "x");
	base_is("x_v", "x_v");
	base_is("_v2", "_v2");
	base_is("_ptsz", "_ptsz");
	base_is("", "");
	assert_string_equal(xpt_fn_base_name("cuMemAlloc_v2", buf, sizeof(buf)), "cuM");
}

static void test_traces(void **state)
{
	(void)state;
	assert_true(xpt_domain__traces(&domain, "aAlloc_v2"));
	assert_true(xpt_domain__traces(&domain, "aXyz"));
	assert_true(xpt_domain__traces(&domain, "a[0]"));
	assert_false(xpt_domain__traces(&domain, "aY"));
	assert_false(xpt_domain__traces(&domain, "a0"));
	assert_false(xpt_domain__traces(&empty, "aXyz"));
}

static void test_results(void **state)
{
	(void)state;
	assert_string_equal(xpt_domain__result(&domain, 0)->name, "FINE");
	assert_string_equal(xpt_domain__result(&domain, -7)->name, "MINUS_SEVEN");
	assert_string_equal(xpt_domain__result(&domain, 999)->name, "LAST");
	assert_null(xpt_domain__result(&domain, 2));
	assert_null(xpt_domain__result(&domain, INT64_MIN));
	assert_null(xpt_domain__result(&domain, INT64_MAX));
	assert_null(xpt_domain__result(&domain, 1ll << 32));	/* not cut to 32 bits */
	assert_null(xpt_domain__result(&empty, 0));
}

static void test_spec(void **state)
{
	struct xpt_wire_fn spec;

	(void)state;
	xpt_domain__spec(&domain, xpt_domain__row(&domain, "aAlloc"), &spec);
	assert_int_equal(spec.cls, XPT_CLASS_ALLOC);
	assert_int_equal(spec.ret, XPT_RET_STATUS);
	assert_int_equal(spec.nr_caps, 2);
	assert_int_equal(spec.nr_stack, 0);
	assert_int_equal(spec.size_cap, 1);
	assert_int_equal(spec.dir_cap, 0xff);
	assert_int_not_equal(spec.out_mask, 0);
	assert_int_equal(spec.cap[0].op, XPT_CAP_OUT);
	assert_int_equal(spec.cap[1].role, XPT_ROLE_SIZE);

	xpt_domain__spec(&domain, xpt_domain__row(&domain, "aCopy_v2"), &spec);
	assert_int_equal(spec.nr_caps, 4);
	assert_int_equal(spec.size_cap, 1);	/* the first of two */
	assert_int_equal(spec.dir_cap, 3);
	assert_int_equal(spec.nr_stack, 4);	/* argument 9: words 6, 7, 8, 9 */
	assert_int_equal(spec.out_mask, 0);

	xpt_domain__spec(&domain, xpt_domain__row(&domain, "aLaunch"), &spec);
	assert_int_equal(spec.nr_stack, 5);	/* 10 comes before 6 in the row */
}

static void test_spec_without_row(void **state)
{
	struct xpt_wire_fn spec, zero = { .ret = XPT_RET_NEGATIVE, .size_cap = 0xff, .dir_cap = 0xff };

	(void)state;
	memset(&spec, 0xaa, sizeof(spec));
	xpt_domain__spec(&domain, NULL, &spec);
	assert_memory_equal(&spec, &zero, sizeof(spec));	/* every byte is written */
}

static void test_spec_full(void **state)
{
	struct xpt_wire_fn spec;

	(void)state;
	xpt_domain__spec(&domain, xpt_domain__row(&domain, "aaFull"), &spec);
	assert_int_equal(spec.nr_caps, XPT_MAX_VALS);
	assert_int_equal(spec.size_cap, 11);
	assert_int_equal(spec.nr_stack, 6);
	assert_int_equal(spec.ret, XPT_RET_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_suffix_rule),
		cmocka_unit_test(test_base_name),
		cmocka_unit_test(test_traces),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_spec),
		cmocka_unit_test(test_spec_without_row),
		cmocka_unit_test(test_spec_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
