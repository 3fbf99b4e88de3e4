/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * session/rdma/deepen.h without a kernel: which functions are wanted after which failures, whose calls they are for,
 * and which failures count until they go; how a list of what is watched takes them, and a call that outlives them.
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
#include "session/rdma/deepen.h"

#define SECOND 1000000000ull

enum { WATCHED, A, B, OTHER_A, NR };	/* OTHER_A: of that name in another module */

static char text[] = "\0watched\0a\0b\0m";
static struct xpt_rdma_module modules[] = { { .name = 13 }, { .name = 11 } };
static struct xpt_rdma_fn fns[NR] = {
	{ .name = 1, .ret = XPT_RDMA_RET_INT }, { .name = 9, .ret = XPT_RDMA_RET_INT }, { .name = 11, .ret = XPT_RDMA_RET_INT },
	{ .name = 9, .module = 1, .ret = XPT_RDMA_RET_INT },
};
static struct xpt_rdma_graph g = { .text = text, .nr_text = sizeof(text), .fns = fns, .nr_fns = NR, .modules = modules,
				   .nr_modules = 2 };
static uint32_t watched[XPT_RDMA_FNS] = { WATCHED };
static struct xpt_rdma_wish wishes[XPT_RDMA_FNS];
static struct xpt_rdma_watchlist list = { .g = &g, .fn = watched, .wish = wishes };
static struct xpt_rdma_deep deep;
static const char *unprobed[XPT_RDMA_TRACE_UNPROBED];
static struct xpt_rdma_trace failed = { .shape = "", .unprobed = unprobed };

static int begin(void **state)
{
	(void)state;
	list.nr = list.nr_plain = 1;
	deep = (struct xpt_rdma_deep){ .list = &list };
	failed.nr_unprobed = 0;
	failed.unprobed_fn = NULL;
	failed.shape = "";
	return 0;
}

static void test_wanted(void **state)
{
	(void)state;
	xpt_rdma_deep__failed(&deep, 3, &failed, false);
	assert_int_equal(deep.wanted, 0);		/* nothing is unexplained */
	unprobed[0] = XPT_RDMA_BY_POINTER;
	unprobed[1] = "absent";
	failed.nr_unprobed = 2;
	xpt_rdma_deep__failed(&deep, 3, &failed, false);
	assert_int_equal(deep.wanted, 0);		/* nor known by name */
	unprobed[1] = "b";
	failed.shape = "INIT>RTR";
	xpt_rdma_deep__failed(&deep, 3, &failed, false);
	assert_true(deep.wanted == 4 && deep.nr_fns == 1 && deep.fns[0] == B);
	assert_string_equal(deep.shape, "INIT>RTR");
	unprobed[1] = "a";
	failed.unprobed_fn = (const uint32_t[]){ XPT_RDMA_NONE, A };
	xpt_rdma_deep__failed(&deep, 5, &failed, false);
	assert_int_equal(deep.wanted, 4);		/* one after the other */
	deep.last_few = B;
	xpt_rdma_deep__failed(&deep, 5, &failed, false);
	assert_true(deep.wanted == 6 && deep.fns[0] == A);	/* unless those were there last, and wait for their time */
	xpt_rdma_deep__failed(&deep, 3, &failed, true);
	assert_true(deep.wanted == 4 && !deep.nr_fns);	/* what the user wants goes before */
	xpt_rdma_deep__failed(&deep, 5, &failed, false);
	assert_int_equal(deep.wanted, 4);
}

/* Two modules have a function of that name. */
static void test_same_name(void **state)
{
	(void)state;
	unprobed[0] = "a";
	failed.nr_unprobed = 1;
	failed.unprobed_fn = (const uint32_t[]){ OTHER_A };
	xpt_rdma_deep__failed(&deep, 3, &failed, false);
	assert_true(deep.wanted == 4 && deep.nr_fns == 1 && deep.fns[0] == OTHER_A);
	deep.wanted = deep.nr_fns = 0;
	failed.unprobed_fn = NULL;			/* a call that was copied: neither is taken at random */
	xpt_rdma_deep__failed(&deep, 3, &failed, false);
	assert_int_equal(deep.wanted, 0);
}

/* What is wanted in the pause after earlier probes is wanted no longer if the failure does not come again. */
static void test_expires(void **state)
{
	uint64_t now;

	(void)state;
	deep.next_ns = UINT64_MAX;		/* the pause goes on */
	xpt_rdma_deep__failed(&deep, 3, &failed, true);
	now = deep.wanted_ns;
	assert_true(now > 0);
	xpt_rdma_deep__step(&deep, now + 29 * SECOND);
	assert_int_equal(deep.wanted, 4);
	deep.wanted_ns = 0;
	xpt_rdma_deep__failed(&deep, 3, &failed, true);		/* it did */
	assert_true(deep.wanted_ns >= now);
	xpt_rdma_deep__step(&deep, deep.wanted_ns + 31 * SECOND);
	assert_int_equal(deep.wanted, 0);
	unprobed[0] = "b";
	failed.nr_unprobed = 1;
	deep.few_ns = UINT64_MAX;
	xpt_rdma_deep__failed(&deep, 3, &failed, false);
	deep.wanted_ns = 0;
	xpt_rdma_deep__failed(&deep, 3, &failed, false);
	assert_true(deep.wanted == 4 && deep.wanted_ns >= now);
	xpt_rdma_deep__step(&deep, deep.wanted_ns + 31 * SECOND);
	assert_int_equal(deep.wanted, 0);
}

/* Failures count of the method and shape that is looked into. */
static void test_left(void **state)
{
	(void)state;
	deep.root = 4;
	deep.is_few = true;
	deep.left = 2;
	snprintf(deep.shape, sizeof(deep.shape), "INIT>RTR");
	deep.since_ns = 100;
	assert_true(xpt_rdma_deep__is_few(&deep, 3, "INIT>RTR", 100));
	assert_false(xpt_rdma_deep__is_few(&deep, 3, "RTR>RTS", 100) || xpt_rdma_deep__is_few(&deep, 3, NULL, 100) ||
		     xpt_rdma_deep__is_few(&deep, 2, "INIT>RTR", 100) || xpt_rdma_deep__is(&deep, 3, 100));
	/* It began before the probes were there, and was read after that. */
	assert_false(xpt_rdma_deep__is_few(&deep, 3, "INIT>RTR", 99));
	xpt_rdma_deep__failed(&deep, 3, &failed, false);
	assert_int_equal(deep.left, 2);
	failed.flags = XPT_RDMA_TRACE_DEEP;
	xpt_rdma_deep__failed(&deep, 3, &failed, false);
	xpt_rdma_deep__failed(&deep, 2, &failed, false);
	assert_int_equal(deep.left, 1);
	xpt_rdma_deep__failed(&deep, 2, &failed, true);	/* a few give way to what the user wants */
	assert_int_equal(deep.left, 0);
	deep.is_few = false;
	deep.left = 1;
	assert_true(xpt_rdma_deep__is(&deep, 3, 100));
	assert_false(xpt_rdma_deep__is(&deep, 3, 99));
	xpt_rdma_deep__failed(&deep, 3, &failed, false);	/* of another shape than the user's */
	assert_int_equal(deep.left, 1);
	xpt_rdma_deep__failed(&deep, 3, &failed, true);
	xpt_rdma_deep__failed(&deep, 3, &failed, true);
	assert_int_equal(deep.left, 0);
}

static void test_list(void **state)
{
	static const uint32_t some[] = { B, WATCHED, NR, A, B, XPT_RDMA_NONE };

	(void)state;
	assert_int_equal(xpt_rdma_watchlist__add_fns(&list, some, sizeof(some) / sizeof(some[0])), 2);
	assert_true(list.nr == 3 && list.fn[1] == B && list.fn[2] == A && list.nr_plain == 1);
	assert_string_equal(list.wish[1].name, "b");
	memset(watched, 0, sizeof(watched));
	list.nr = XPT_RDMA_FNS - 1;
	assert_int_equal(xpt_rdma_watchlist__add_fns(&list, some, 1), 0);	/* no room */
}

static bool all_deep(void *ctx, uint32_t root, const char *shape, uint64_t start_ns)
{
	(void)ctx, (void)root, (void)shape, (void)start_ns;
	return true;
}

/* A call that outlives functions that were watched for a while has returns of them, and others may have their ids. */
static void test_outlived(void **state)
{
	struct xpt_rdma_root root = { .fn = WATCHED };
	static struct xpt_rdma_box box;
	static struct {
		struct xpt_wire_rdma_rec r;
		struct xpt_wire_rdma_exit e[2];
	} rec;

	(void)state;
	g.roots = &root;
	g.nr_roots = 1;
	rec.r = (struct xpt_wire_rdma_rec){ .kind = XPT_RDMA_REC_CALL, .root = 1, .handler = 1, .nr = 2, .start_ns = 1000 };
	rec.e[0] = (struct xpt_wire_rdma_exit){ .fn = 2, .place = 100, .ns = 100 };
	rec.e[1] = (struct xpt_wire_rdma_exit){ .fn = 1, .place = 200, .ns = 200 };
	xpt_rdma_record__trace(&list, &rec.r, 0, &box);
	assert_int_equal(box.t.nr, 1);			/* there is none of that id */
	watched[1] = A;
	list.nr = 2;
	list.nr_stay = 1;
	list.is_deep = all_deep;
	list.more_ns = 1101;
	xpt_rdma_record__trace(&list, &rec.r, 0, &box);
	assert_int_equal(box.t.nr, 1);			/* it was another one then */
	list.more_ns = 1100;
	xpt_rdma_record__trace(&list, &rec.r, 0, &box);
	assert_int_equal(box.t.nr, 2);
	assert_string_equal(box.t.node[1].fn, "a");
	list.nr_stay = 0;
	list.is_deep = NULL;
	g.nr_roots = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_wanted, begin), cmocka_unit_test_setup(test_same_name, begin),
		cmocka_unit_test_setup(test_expires, begin),
		cmocka_unit_test_setup(test_left, begin),
		cmocka_unit_test_setup(test_list, begin), cmocka_unit_test_setup(test_outlived, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
