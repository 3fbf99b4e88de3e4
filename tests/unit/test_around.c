/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * model/picture/around.h: which calls of libraries stood around one of the kernel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "model/picture/around.h"

static const struct xpt_proc one = { .pid = 1 }, other = { .pid = 2 };
static const struct xpt_fn
	kernel = { .name = "modify_qp", .base = "modify_qp", .domain_name = "rdma", .layer = XPT_LAYER_DRIVER },
	verb = { .base = "ibv_modify_qp", .domain_name = "verbs" },
	inner_verb = { .base = "ibv_cmd_modify_qp", .domain_name = "verbs" },
	nccl = { .base = "ncclCommInitRank", .domain_name = "nccl" },
	group = { .base = "ncclGroupEnd", .domain_name = "nccl" },
	ioctl = { .base = "ioctl", .domain_name = "ioctl", .layer = XPT_LAYER_IOCTL };

static struct xpt_around a;

static void begin(void)
{
	struct xpt_call c = { .fn = &kernel, .proc = &one, .tid = 10, .start_ns = 1000, .dur_ns = 100 };

	xpt_around__begin(&a, &c);
}

static bool note(const struct xpt_fn *fn, uint32_t tid, uint64_t from, uint64_t to, bool failed)
{
	struct xpt_call c = { .fn = fn, .proc = &one, .tid = tid, .start_ns = from, .dur_ns = to - from,
			      .failed = failed };

	return xpt_around__note(&a, &c);
}

static void test_one_thread(void **state)
{
	(void)state;
	begin();
	assert_true(note(&inner_verb, 10, 900, 1200, true));
	assert_string_equal(a.caller, "ibv_cmd_modify_qp");
	assert_true(note(&verb, 10, 800, 1300, true));
	assert_string_equal(a.caller, "ibv_modify_qp");	/* what the program called */
	assert_true(note(&nccl, 10, 700, 1400, false));	/* it may have gone on without */
	assert_true(note(&group, 10, 600, 1500, true));
	assert_string_equal(a.caller, "ibv_modify_qp");
	assert_string_equal(a.outer, "ncclGroupEnd");
	assert_false(note(&nccl, 11, 100, 9000, true));	/* its own thread says more */
}

static void test_another_thread(void **state)
{
	(void)state;
	begin();
	assert_false(note(&nccl, 11, 100, 9000, false));	/* it went well: nothing to do with it */
	assert_true(note(&verb, 10, 800, 1300, true));
	assert_false(note(&verb, 11, 100, 9000, true));	/* another thread's own failure of verbs */
	assert_true(note(&nccl, 11, 100, 9000, true));
	assert_string_equal(a.outer, "ncclCommInitRank");
	assert_true(note(&nccl, 10, 500, 9500, true));	/* comes late, and is nearer */
	assert_string_equal(a.outer, "ncclCommInitRank");
	assert_true(a.own);
}

static void test_not_around(void **state)
{
	struct xpt_call c = { .fn = &verb, .proc = &other, .tid = 10, .start_ns = 1, .dur_ns = 9999 };

	(void)state;
	begin();
	assert_false(xpt_around__note(&a, &c));
	assert_false(note(&verb, 10, 1001, 2000, true));
	assert_false(note(&verb, 10, 900, 1099, true));
	assert_false(note(&ioctl, 10, 900, 1200, true));
	assert_string_equal(a.caller, "");
	assert_true(note(&verb, 10, 1000, 1100, true));	/* the very same time */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_thread), cmocka_unit_test(test_another_thread),
		cmocka_unit_test(test_not_around),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
