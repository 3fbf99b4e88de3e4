/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdma/trace/evidence/hang.h: stacks as the kernel writes them, and what of them tells why a call does not return.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "rdma/trace/evidence/hang.h"

static void take(struct xpt_rdma_hang *h, const char *text)
{
	memset(h, 0, sizeof(*h));
	h->nr = xpt_rdma_hang__frames(text, h->frame, XPT_RDMA_FRAMES);
}

static void test_frames(void **state)
{
	struct xpt_rdma_hang h;

	(void)state;
	take(&h, "[<0>] handle_userfault+0x3f1/0x8b0\n"
		 "[<0>] ib_umem_get.part.0+0x1a3/0x2f0 [ib_uverbs]\n"
		 "[<ffffffffc0a1b2c3>] rxe_mr_init_user+0x20/0x40 [rdma_rxe]\n");
	assert_int_equal(h.nr, 3);
	assert_string_equal(h.frame[0].function, "handle_userfault");
	assert_string_equal(h.frame[0].module, "");
	assert_string_equal(h.frame[1].function, "ib_umem_get");
	assert_string_equal(h.frame[1].module, "ib_uverbs");
	assert_string_equal(h.frame[2].function, "rxe_mr_init_user");
	assert_string_equal(h.frame[2].module, "rdma_rxe");
	/* Ours, and what has no name. */
	take(&h, "[<0>] bpf_trampoline_6442553617+0x1/0x2\n[<0>] arch_rethook_trampoline+0x0/0x60\n"
		 "[<0>] 0xffffffffc0201000\n[<0>] ib_uverbs_reg_mr+0x1/0x2 [ib_uverbs]\n");
	assert_int_equal(h.nr, 1);
	assert_string_equal(h.frame[0].function, "ib_uverbs_reg_mr");
}

/* What is no line of a stack, is cut, or is too long, harms nothing. */
static void test_odd_text(void **state)
{
	char many[4096] = "", long_name[512];
	struct xpt_rdma_hang h;
	unsigned i;

	(void)state;
	take(&h, "");
	assert_int_equal(h.nr, 0);
	take(&h, "\n\nnothing\n[<0>]\n[<0>] \n[<0>] last");
	assert_int_equal(h.nr, 1);
	assert_string_equal(h.frame[0].function, "last");
	for (i = 0; i < XPT_RDMA_FRAMES + 10; i++)
		memcpy(many + i * 20, "[<0>] a+0x1/0x2 [b]\n", 20);
	take(&h, many);
	assert_int_equal(h.nr, XPT_RDMA_FRAMES);
	memset(long_name, 'x', sizeof(long_name) - 1);
	memcpy(long_name, "[<0>] ", 6);
	long_name[sizeof(long_name) - 1] = '\0';
	take(&h, long_name);
	assert_int_equal(h.nr, 1);
	assert_int_equal(strlen(h.frame[0].function), sizeof(h.frame[0].function) - 1);
}

/* The innermost function that is known decides. */
static void test_why(void **state)
{
	struct xpt_rdma_hang h;

	(void)state;
	take(&h, "[<0>] handle_userfault+0x1/0x2\n[<0>] __mutex_lock+0x1/0x2\n");
	assert_non_null(strstr(xpt_rdma_hang__waits_for(&h), "userfaultfd"));
	take(&h, "[<0>] __mutex_lock.constprop.0+0x1/0x2\n[<0>] mlx5_cmd_exec+0x1/0x2 [mlx5_core]\n");
	assert_non_null(strstr(xpt_rdma_hang__waits_for(&h), "a lock"));
	take(&h, "[<0>] cmd_exec+0x1/0x2 [mlx5_core]\n[<0>] mlx5_cmd_exec+0x1/0x2 [mlx5_core]\n");
	assert_non_null(strstr(xpt_rdma_hang__waits_for(&h), "firmware"));
	take(&h, "[<0>] some_driver_wait+0x1/0x2 [some]\n");
	assert_null(xpt_rdma_hang__waits_for(&h));
	take(&h, "");
	assert_null(xpt_rdma_hang__waits_for(&h));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_odd_text),
		cmocka_unit_test(test_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
