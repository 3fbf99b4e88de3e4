/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdma/trace/record.h: whose driver a call was about, where the modules have no types and the record cannot tell.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "rdma/trace/record.h"

enum { UVERBS, CM, ONE, OTHER, NR };	/* modules, of which each has one function */

static char text[] = "\0ib_uverbs\0rdma_ucm\0one_ib\0other_ib";
static const uint32_t name_at[NR] = { 1, 11, 20, 27 };
static struct xpt_rdma_module mods[NR];
static struct xpt_rdma_fn fns[NR];
static uint32_t watched[NR] = { UVERBS, CM, ONE, OTHER };
static struct xpt_rdma_graph g = { .text = text, .fns = fns, .modules = mods, .nr_fns = NR, .nr_modules = NR };
static struct xpt_rdma_watchlist list = { .g = &g, .fn = watched, .nr = NR, .nr_plain = NR };
static struct xpt_rdma_box box;
static struct {
	struct xpt_wire_rdma_rec r;
	struct xpt_wire_rdma_exit e[4];
} rec;

static int begin(void **state)
{
	uint32_t i;

	(void)state;
	g.nr_modules = NR;
	for (i = 0; i < NR; i++) {
		mods[i] = (struct xpt_rdma_module){ .name = name_at[i],
						    .vendor = i >= ONE ? XPT_RDMA_DRIVER : XPT_RDMA_CORE_MODULE };
		fns[i] = (struct xpt_rdma_fn){ .name = name_at[i], .module = (uint16_t)i, .ret = XPT_RDMA_RET_INT };
	}
	return 0;
}

/* The driver of a call of a module's function, in which another one returned before; NR: none. */
static const char *driver(uint32_t root, uint32_t callee, const char *known)
{
	rec.r = (struct xpt_wire_rdma_rec){ .kind = XPT_RDMA_REC_CALL, .root = root + 1, .ret = -EIO };
	snprintf(rec.r.module, sizeof(rec.r.module), "%s", known);
	if (callee < NR)
		rec.e[rec.r.nr++] = (struct xpt_wire_rdma_exit){ .fn = callee + 1, .place = 100, .ret = (uint64_t)-EIO };
	rec.e[rec.r.nr++] = (struct xpt_wire_rdma_exit){ .fn = root + 1, .place = 200, .ret = (uint64_t)-EIO };
	xpt_rdma_record__trace(&list, &rec.r, 0, &box);
	return box.t.driver;
}

static void test_by_function(void **state)
{
	(void)state;
	assert_string_equal(driver(UVERBS, OTHER, ""), "other_ib");
	assert_string_equal(driver(UVERBS, ONE, ""), "one_ib");
	assert_string_equal(driver(UVERBS, NR, ""), "");	/* it may be either */
	assert_string_equal(driver(UVERBS, OTHER, "mlx5_ib"), "mlx5_ib");
}

static void test_only_one(void **state)
{
	(void)state;
	g.nr_modules = OTHER;
	assert_string_equal(driver(UVERBS, NR, ""), "one_ib");
	assert_string_equal(driver(CM, NR, ""), "");		/* perhaps about no device */
	mods[UVERBS].btf = 1;					/* then the record would tell */
	assert_string_equal(driver(UVERBS, NR, ""), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_by_function, begin), cmocka_unit_test_setup(test_only_one, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
