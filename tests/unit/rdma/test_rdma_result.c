/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdma/graph/result.h on a few bytes of x86-64 code each: whether what a call returned is read on
 * some way from there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "rdma/graph/result.h"

#define CALL 0xe8, 0, 0, 0, 0
#define TEST 0x85, 0xc0			/* test eax, eax */
#define CLEAR 0x31, 0xc0		/* xor eax, eax */
#define LOAD 0x48, 0x8b, 0x07		/* mov rax, [rdi] */
#define KEEP 0x89, 0xc3			/* mov ebx, eax */
#define RET 0xc3
#define NOP 0x90

static struct xpt_code *code;

static int make(void **state)
{
	(void)state;
	return xpt_code__new(&code);
}

static int unmake(void **state)
{
	(void)state;
	xpt_code__free(code);
	return 0;
}

/* Jumps within the bytes are the function's own, others lead to its cold part. */
static bool reads(const uint8_t *bytes, uint32_t n, bool returns_void)
{
	struct xpt_flow_call calls[64] = { { 0 } };
	struct xpt_flow f = { .calls = calls };
	uint32_t i;

	assert_int_equal(xpt_code__read(code, bytes, n, 0, &f.insns, &f.nr), 0);
	for (i = 0; i < f.nr; i++) {
		switch (f.insns[i].op) {
		case XPT_CODE_CALL:
			calls[i].to = XPT_TO_FUNCTION;
			break;
		case XPT_CODE_JUMP:
		case XPT_CODE_BRANCH:
			calls[i].to = f.insns[i].target < n ? XPT_TO_SELF : XPT_TO_NOTHING;
			break;
		case XPT_CODE_RETURN:
			calls[i].to = XPT_TO_CALLER;
		}
	}
	return xpt_rdma_result__is_read(&f, 0, returns_void);
}

#define READS(is_void, ...) reads((const uint8_t[]){ __VA_ARGS__ }, \
				  sizeof((const uint8_t[]){ __VA_ARGS__ }), is_void)

static void test_straight(void **state)
{
	(void)state;
	assert_true(READS(false, CALL, TEST, RET));
	assert_true(READS(false, CALL, NOP, KEEP, CLEAR, RET));
	assert_false(READS(false, CALL, CLEAR, RET));
	assert_false(READS(false, CALL, LOAD, TEST, RET));
	assert_false(READS(false, CALL, CALL, TEST, RET));	/* the second one's result */
}

/* What is in the register at the end is the function's own result, if it has one. */
static void test_returned(void **state)
{
	(void)state;
	assert_true(READS(false, CALL, RET));
	assert_false(READS(true, CALL, RET));
	assert_true(READS(true, CALL, TEST, RET));
}

static void test_branches(void **state)
{
	(void)state;
	/* je over the clearing: there it is kept */
	assert_true(READS(true, CALL, 0x74, 2, CLEAR, KEEP, RET));
	/* both ways clear it */
	assert_false(READS(false, CALL, 0x74, 3, CLEAR, RET, CLEAR, RET));
	/* a loop back to the call, without an end */
	assert_false(READS(false, CALL, 0xeb, 0xf9));
	/* out of these bytes: nobody knows */
	assert_true(READS(true, CALL, 0x74, 0x40, CLEAR, RET));
	assert_true(READS(true, CALL, 0xeb, 0x40));
	/* the end of the bytes without a return */
	assert_true(READS(true, CALL));
	assert_true(READS(true, CALL, NOP));
}

static bool is_void(void *ctx, uint32_t fn)
{
	(void)ctx;
	return fn == 1;
}

/* callee: of all calls and tail jumps; 1 has no result. */
static bool unset(const uint8_t *bytes, uint32_t n, uint32_t callee)
{
	struct xpt_flow_call calls[64] = { { 0 } };
	struct xpt_flow f = { .calls = calls };
	uint32_t i;

	assert_int_equal(xpt_code__read(code, bytes, n, 0, &f.insns, &f.nr), 0);
	for (i = 0; i < f.nr; i++) {
		calls[i].fn = callee;
		if (f.insns[i].op == XPT_CODE_RETURN)
			calls[i].to = XPT_TO_CALLER;
		else if (f.insns[i].op == XPT_CODE_CALL)
			calls[i].to = XPT_TO_FUNCTION;
		else if (f.insns[i].op == XPT_CODE_JUMP || f.insns[i].op == XPT_CODE_BRANCH)
			calls[i].to = f.insns[i].target < n ? XPT_TO_SELF : XPT_TO_FUNCTION;
	}
	return xpt_rdma_result__is_unset(&f, is_void, NULL);
}

#define UNSET(callee, ...) unset((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }), callee)

/* A function has no result where it comes to its end with nothing in the register. */
static void test_unset(void **state)
{
	(void)state;
	assert_true(UNSET(0, NOP, RET));
	assert_false(UNSET(0, CLEAR, RET));
	assert_false(UNSET(0, LOAD, RET));
	assert_false(UNSET(0, CALL, RET));		/* the callee's */
	assert_true(UNSET(1, CALL, RET));		/* which has none */
	assert_false(UNSET(1, CALL, CLEAR, RET));
	assert_true(UNSET(1, CLEAR, CALL, RET));	/* what was there is gone */
	assert_true(UNSET(0, 0x74, 2, CLEAR, RET));	/* on one way */
	assert_false(UNSET(0, 0x74, 3, CLEAR, RET, CLEAR, RET));
	assert_false(UNSET(0, 0xe9, 0x40, 0, 0, 0));	/* a jump to another function: its result */
	assert_true(UNSET(1, 0xe9, 0x40, 0, 0, 0));
	assert_false(UNSET(0, 0xeb, 0xfe));		/* no end at all */
	assert_false(UNSET(0, NOP));			/* these bytes have none */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_straight), cmocka_unit_test(test_returned),
		cmocka_unit_test(test_branches), cmocka_unit_test(test_unset),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
