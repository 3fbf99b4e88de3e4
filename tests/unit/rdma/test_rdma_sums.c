// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sums of a watch before and since it was begun anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rdma/verdict/sums.h"

static struct xpt_rdma_code codes_a[] = { { -22, 3 }, { -12, 1 } }, codes_b[] = { { -5, 7 }, { -22, 4 } };
static struct xpt_rdma_sum methods_a[] = {
	{ .method = "reg_mr", .object = "", .calls = 10, .failed = 4, .slow = 1, .held = 2, .ns = 100, .expected = 1 },
	{ .method = "CREATE", .object = "QP", .calls = 1 },
}, methods_b[] = {
	{ .method = "CREATE", .object = "CQ", .calls = 5 },
	{ .method = "reg_mr", .object = "", .calls = 3, .failed = 1, .slow = 1, .held = 1, .ns = 11, .expected = 1 },
};
static struct xpt_rdma_fn_sum fns_a[] = { { "pin", "ib_uverbs", 8, 4, codes_a, 2 }, { "old", "gone", 1, 0, NULL, 0 } },
			      fns_b[] = { { "new", "come", 2, 0, NULL, 0 }, { "pin", "ib_uverbs", 20, 11, codes_b, 2 } };

static struct xpt_rdma_sums sums_a(void)
{
	struct xpt_rdma_sums s = { .method = methods_a, .nr_methods = 2, .fn = fns_a, .nr_fns = 2, .nr_passed = 1,
				   .nr_held = 1, .held_others = 1, .stats = { .nr = 100, .missed = 2 } };

	s.passed[0] = (struct xpt_rdma_passed){ "post_send", 50 };
	s.held[0] = (struct xpt_rdma_held){ .method = "reg_mr", .function = "pin", .error = 22, .n = 3 };
	s.stats.lost[XPT_RDMA_LOST_RING] = 6;
	return s;
}

static struct xpt_rdma_sums sums_b(void)
{
	struct xpt_rdma_sums s = { .method = methods_b, .nr_methods = 2, .fn = fns_b, .nr_fns = 2, .nr_passed = 2,
				   .nr_held = 2, .held_others = 1, .stats = { .nr = 90, .missed = 1 } };

	s.passed[0] = (struct xpt_rdma_passed){ "poll_cq", 5 };
	s.passed[1] = (struct xpt_rdma_passed){ "post_send", 1 };
	s.held[0] = (struct xpt_rdma_held){ .method = "reg_mr", .function = "pin", .error = 12, .n = 7 };
	s.held[1] = (struct xpt_rdma_held){ .method = "reg_mr", .function = "pin", .error = 22, .n = 6 };
	s.stats.lost[XPT_RDMA_LOST_RING] = 1;
	return s;
}

static void test_merge(void **state)
{
	const struct xpt_rdma_sums a = sums_a(), b = sums_b();
	struct xpt_rdma_sums s;

	(void)state;
	assert_int_equal(xpt_rdma_sums__merge(&a, &b, &s), 0);
	assert_int_equal(s.nr_methods, 3);
	assert_string_equal(s.method[0].method, "reg_mr");
	assert_int_equal(s.method[0].calls, 13);
	assert_int_equal(s.method[0].failed, 5);
	assert_int_equal(s.method[0].slow, 2);
	assert_int_equal(s.method[0].held, 3);
	assert_int_equal(s.method[0].ns, 111);
	assert_int_equal(s.method[0].expected, 2);
	assert_string_equal(s.method[1].object, "QP");
	assert_string_equal(s.method[2].object, "CQ");
	assert_int_equal(s.nr_passed, 2);
	assert_int_equal(s.passed[0].calls, 51);
	assert_int_equal(s.nr_held, 2);		/* the most first */
	assert_int_equal(s.held[0].n, 9);
	assert_int_equal(s.held[0].error, 22);
	assert_int_equal(s.held_others, 2);
	assert_int_equal(s.stats.nr, 90);	/* of what is watched now */
	assert_int_equal(s.stats.lost[XPT_RDMA_LOST_RING], 7);
	assert_int_equal(s.stats.missed, 3);
	xpt_rdma_sums__free(&s);
}

static void test_functions(void **state)
{
	const struct xpt_rdma_sums a = sums_a(), b = sums_b();
	struct xpt_rdma_sums s;

	(void)state;
	assert_int_equal(xpt_rdma_sums__merge(&a, &b, &s), 0);
	assert_int_equal(s.nr_fns, 3);
	assert_string_equal(s.fn[0].function, "pin");
	assert_int_equal(s.fn[0].calls, 28);
	assert_int_equal(s.fn[0].errors, 15);
	assert_int_equal(s.fn[0].nr_codes, 3);
	assert_int_equal(s.fn[0].code[0].code, -22);
	assert_int_equal(s.fn[0].code[0].n, 7);
	assert_int_equal(s.fn[0].code[2].code, -5);
	assert_int_equal(s.fn[0].code[2].n, 7);
	assert_string_equal(s.fn[1].module, "gone");
	assert_string_equal(s.fn[2].module, "come");
	xpt_rdma_sums__free(&s);
}

/* More kinds than there is room for are counted together. */
static void test_held(void **state)
{
	struct xpt_rdma_sums a = sums_a(), b = sums_b(), s;
	unsigned i;

	(void)state;
	for (i = 0; i < XPT_RDMA_HELD; i++) {
		a.held[i] = (struct xpt_rdma_held){ .method = "a", .function = "", .error = (int)i, .n = 1 };
		b.held[i] = (struct xpt_rdma_held){ .method = "b", .function = "", .error = (int)i, .n = 2 };
	}
	a.nr_held = b.nr_held = XPT_RDMA_HELD;
	assert_int_equal(xpt_rdma_sums__merge(&a, &b, &s), 0);
	assert_int_equal(s.nr_held, XPT_RDMA_HELD);
	assert_int_equal(s.held_others, 2 + 2 * XPT_RDMA_HELD);
	xpt_rdma_sums__free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge), cmocka_unit_test(test_functions), cmocka_unit_test(test_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
