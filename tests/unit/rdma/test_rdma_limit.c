/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is sent and what is left out: good calls by shape, failures by process,
 * function and errno, however fast others come; what repeats is folded in text.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "bpf/rdma/rdma_limit.bpf.h"
#include "rdma/verdict/fold.h"

#define SECOND 1000000000ull

static uint64_t modify(uint32_t mask, uint8_t state)
{
	return XPT_RDMA_MODIFY | (uint64_t)mask << 8 | state;
}

static void test_shapes(void **state)
{
	(void)state;
	assert_int_equal(rdma_shape(0), 0);
	assert_int_equal(rdma_shape(modify(1, 0)), 1);		/* RESET is a state, too */
	assert_int_equal(rdma_shape(modify(0x81, 2)), 3);
	assert_int_equal(rdma_shape(modify(0x80, 2)), XPT_RDMA_SHAPE_ATTRIBUTES);
}

/* A program that connects many queue pairs: each of its three transitions is an example every second. */
static void test_good_by_shape(void **state)
{
	struct xpt_wire_rdma_limit good[4];
	unsigned n[4] = { 0 }, i;
	uint64_t now = SECOND;

	(void)state;
	memset(good, 0, sizeof(good));
	for (i = 0; i < 5000; i++, now += 1000000) {
		uint32_t shape = rdma_shape(modify(1, (uint8_t)(1 + i % 3)));

		assert_in_range(shape, 2, 4);
		n[shape - 1] += rdma_is_due(&good[shape - 1], now, SECOND);
	}
	for (i = 1; i < 4; i++)
		assert_int_equal(n[i], 5);
	assert_false(rdma_is_due(&good[0], now, 0));
}

/* One process fails ten thousand times a second; others fail now and then. */
static void test_flood(void **state)
{
	struct xpt_wire_rdma_limit flood, same, other, other_kind, kind;
	unsigned told = 0, left_out = 0, i;
	uint64_t now = 7 * SECOND;

	(void)state;
	memset(&flood, 0, sizeof(flood));
	same = other = other_kind = kind = flood;
	for (i = 0; i < 100000; i++, now += 100000) {
		if (rdma_may_send(&flood, &kind, now))
			told++;
		else
			left_out++;
		if (i % 20000 == 19999) {	/* once in two seconds: nothing of it is lost */
			assert_true(rdma_may_send(&same, &kind, now));
			assert_true(rdma_may_send(&other, &other_kind, now));
		}
	}
	assert_in_range(told, 64 * 10, 64 * 12);
	assert_int_equal(told + left_out, 100000);
	assert_int_equal(kind.held, left_out);
	assert_int_equal(other_kind.held, 0);
}

/* Many processes, one failure of the same kind each, as a job that starts a thousand ranks. */
static void test_many_processes(void **state)
{
	struct xpt_wire_rdma_limit own[1000], all;
	unsigned i, again = 0;

	(void)state;
	memset(own, 0, sizeof(own));
	memset(&all, 0, sizeof(all));
	for (i = 0; i < 1000; i++)
		assert_true(rdma_may_send(&own[i], &all, SECOND + i));
	for (i = 0; i < 1000; i++)	/* what they repeat at once shares a bucket */
		again += rdma_may_send(&own[i], &all, SECOND + 1000 + i);
	assert_in_range(again, 256, 260);
	assert_int_equal(all.held, 1000 - again);
	/* Without room in the tables each is judged by what there is. */
	assert_true(rdma_may_send(NULL, NULL, SECOND));
	assert_false(rdma_may_send(NULL, &all, SECOND + 2000));
}

static struct xpt_rdma_node nodes[2];
static struct xpt_rdma_trace call = { .method = "reg_mr", .object = "", .shape = "", .device = "rxe0",
				      .pid = 77, .ret = -EFAULT, .nr = 2, .node = nodes };

static struct xpt_rdma_verdict verdict_of(void)
{
	struct xpt_rdma_verdict v = { .failed = true, .chain = { .nr = 2, .node = { 0, 1 } } };

	nodes[0] = (struct xpt_rdma_node){ .fn = "ib_uverbs_ioctl", .module = "ib_uverbs", .ret = -EFAULT };
	nodes[1] = (struct xpt_rdma_node){ .fn = "ib_umem_get", .module = "ib_core", .ret = -EFAULT, .depth = 1 };
	return v;
}

static void test_fold(void **state)
{
	static struct xpt_rdma_folds folds;
	struct xpt_rdma_verdict v = verdict_of();
	struct xpt_strbuf sb;
	uint64_t now = SECOND;
	unsigned i;

	(void)state;
	xpt_strbuf__init(&sb, 4096);
	assert_true(xpt_rdma_folds__is_new(&folds, &call, &v, now, &sb));
	for (i = 0; i < 63; i++)
		assert_false(xpt_rdma_folds__is_new(&folds, &call, &v, now += 1000000, &sb));
	xpt_rdma_folds__tell(&folds, now, false, &sb);
	assert_string_equal(xpt_strbuf__str(&sb), "");
	call.pid = 78;	/* another process */
	assert_true(xpt_rdma_folds__is_new(&folds, &call, &v, now, &sb));
	nodes[1].fn = "pin_user_pages_fast";	/* another origin */
	assert_true(xpt_rdma_folds__is_new(&folds, &call, &v, now, &sb));
	call.pid = 77;
	nodes[1].fn = "ib_umem_get";
	xpt_rdma_folds__tell(&folds, SECOND + SECOND, false, &sb);
	assert_string_equal(xpt_strbuf__str(&sb), "         77      reg_mr                 EFAULT       63 more of ib_umem_get\n");
	xpt_strbuf__reset(&sb);
	xpt_rdma_folds__tell(&folds, 3 * SECOND, true, &sb);	/* nothing is said twice */
	assert_string_equal(xpt_strbuf__str(&sb), "");
	/* After a silence it is news again, and what was not told is told first. */
	assert_false(xpt_rdma_folds__is_new(&folds, &call, &v, 3 * SECOND, &sb));
	assert_true(xpt_rdma_folds__is_new(&folds, &call, &v, 20 * SECOND, &sb));
	assert_non_null(strstr(xpt_strbuf__str(&sb), " 1 more of ib_umem_get\n"));
	xpt_strbuf__free(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes), cmocka_unit_test(test_good_by_shape), cmocka_unit_test(test_flood),
		cmocka_unit_test(test_many_processes), cmocka_unit_test(test_fold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
