/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which entry a return belongs to, where a program runs at both ends of a function: nested,
 * recursive and jumped to, with returns that were not seen, and more open than are kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "bpf/rdma/rdma_frames.bpf.h"

#define NOWHERE (~0ull)		/* no place in the stack */

static struct xpt_rdma_frames frames;

/* The function of that id begins at a place; its first argument is the place. */
static struct xpt_rdma_frame *enter(uint32_t fn, uint64_t place, uint32_t from)
{
	bool is_jumped = false;
	struct xpt_rdma_frame *f = rdma_frame_add(&frames, fn, place, &is_jumped);

	if (!f)
		return NULL;
	f->arg[0] = place;
	if (!is_jumped)
		f->from = from;
	return f;
}

/* The place of the entry that its return belongs to; 0: there is none. */
static uint64_t leave(uint32_t fn, uint64_t at)
{
	const struct xpt_rdma_frame *f = rdma_frame_take(&frames, fn, at);

	if (f)
		assert_true(f->arg[0] == f->place);
	return f ? f->place : 0;
}

/* The function whose return goes to that place; 0: the topmost frame is another one's. */
static uint32_t leave_at(uint64_t place)
{
	const struct xpt_rdma_frame *f = rdma_frame_take_at(&frames, place);

	return f ? f->cookie : 0;
}

static int clear(void **state)
{
	(void)state;
	memset(&frames, 0, sizeof(frames));
	return 0;
}

static void test_nested(void **state)
{
	(void)state;
	enter(1, 9000, 0);
	enter(2, 8900, 0);
	enter(3, 8800, 0);
	assert_int_equal(leave(3, 8800), 8800);
	enter(4, 8800, 0);
	assert_int_equal(leave(4, 8800), 8800);
	assert_int_equal(leave(2, 8900), 8900);
	assert_int_equal(leave(1, 9000), 9000);
	assert_int_equal(frames.nr, 0);
	assert_int_equal(leave(1, 9000), 0);
}

/* A function that calls itself: by the stack pointer, and where the kernel does not tell that. */
static void test_recursion(void **state)
{
	uint64_t places[] = { 9000, 8900, 8800 };
	unsigned way, i;

	(void)state;
	for (way = 0; way < 2; way++) {
		for (i = 0; i < 3; i++)
			enter(1, places[i], 0);
		for (i = 3; i > 0; i--)
			assert_int_equal(leave(1, way ? NOWHERE : places[i - 1]), places[i - 1]);
	}
}

/* Both functions return to the caller of the first, at one place, the second one first. */
static void test_jump(void **state)
{
	const struct xpt_rdma_frame *f;

	(void)state;
	enter(1, 9000, 0x100);
	enter(2, 8900, 0x200);
	f = enter(3, 8900, 0xbad);
	assert_int_equal(f->from, 0x200);
	f = enter(4, 8900, 0xbad);
	assert_int_equal(f->from, 0x200);
	assert_int_equal(leave(4, 8900), 8900);
	assert_int_equal(leave(3, 8900), 8900);
	assert_int_equal(leave(2, 8900), 8900);
	assert_int_equal(leave(1, 9000), 9000);
}

/* By the place alone: nested, recursive, jumped to. */
static void test_by_place(void **state)
{
	(void)state;
	assert_int_equal(leave_at(9000), 0);
	enter(1, 9000, 0);
	enter(1, 8900, 0);
	enter(2, 8900, 0);
	assert_int_equal(leave_at(9000), 0);
	assert_int_equal(leave_at(8900), 2);
	assert_int_equal(leave_at(8900), 1);
	assert_int_equal(leave_at(9000), 1);
	assert_int_equal(frames.nr, 0);
}

/* Returns that were not seen: their frames go when a function begins, or returns, above them. */
static void test_missed(void **state)
{
	const struct xpt_rdma_frame *f;

	(void)state;
	enter(1, 9000, 0);
	enter(2, 8900, 0);
	enter(3, 8800, 0);
	enter(4, 8950, 0);
	assert_int_equal(frames.nr, 2);
	enter(3, 8800, 0);
	assert_int_equal(leave(1, 9000), 9000);
	assert_int_equal(frames.nr, 0);
	/* The frame of an earlier call, which is deeper than the return, is not taken for it. */
	enter(1, 9000, 0);
	enter(2, 8000, 0);
	assert_int_equal(leave(2, 8900), 0);
	/* The same function at the same place again was not jumped to. */
	enter(5, 7000, 0x500);
	f = enter(5, 7000, 0x600);
	assert_int_equal(f->from, 0x600);
	assert_int_equal(frames.nr, 3);
}

/* Since 6.14 the stack pointer at the return is in the kernel's frame, below the place. */
static void test_below(void **state)
{
	(void)state;
	enter(1, 9000, 0);
	enter(2, 8900, 0);
	assert_int_equal(leave(2, 8900 - 176), 8900);
	assert_int_equal(leave(1, 9000 - 8), 9000);
}

static void test_too_many(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i < XPT_RDMA_OPEN_FNS; i++)
		assert_non_null(enter(i + 1, 9000 - 100 * i, 0));
	assert_null(enter(77, 1000, 0));
	for (i = XPT_RDMA_OPEN_FNS; i > 0; i--)
		assert_int_equal(leave(i, 9000 - 100 * (i - 1)), 9000 - 100 * (i - 1));
	/* Frames of missed returns make room. */
	for (i = 0; i < XPT_RDMA_OPEN_FNS; i++)
		enter(i + 1, 9000 - 100 * i, 0);
	assert_non_null(enter(77, 9500, 0));
	assert_int_equal(frames.nr, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_nested, clear),
		cmocka_unit_test_setup(test_recursion, clear),
		cmocka_unit_test_setup(test_jump, clear),
		cmocka_unit_test_setup(test_by_place, clear),
		cmocka_unit_test_setup(test_missed, clear),
		cmocka_unit_test_setup(test_below, clear),
		cmocka_unit_test_setup(test_too_many, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
