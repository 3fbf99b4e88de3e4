/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * model/event.h: what a call says about itself by role. A value that was not
 * read makes an answer unknown; sizes multiply without wrapping around.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "model/domain/domain.h"
#include "model/event.h"

struct value {
	enum xpt_role role;
	uint64_t v;
	bool unread;
};

static struct xpt_fn fn;
static struct xpt_call call;
static uint64_t vals[XPT_MAX_VALS];
static enum xpt_class cls;	/* of the functions that with() makes */

static int forget_class(void **state)
{
	(void)state;
	cls = XPT_CLASS_OTHER;
	return 0;
}

/* A call with these captured values; the first NONE ends them. */
static const struct xpt_call *with(const struct value *v)
{
	unsigned i;

	memset(&fn, 0, sizeof(fn));
	fn.cls = (uint8_t)cls;
	memset(fn.role_idx, -1, sizeof(fn.role_idx));
	call = (struct xpt_call){ .fn = &fn, .val = vals };
	for (i = 0; i < XPT_MAX_VALS && v[i].role != XPT_ROLE_NONE; i++) {
		vals[i] = v[i].v;
		if (!v[i].unread)
			call.valid |= (uint16_t)(1u << i);
		if (fn.role_idx[v[i].role] < 0)
			fn.role_idx[v[i].role] = (int8_t)i;
	}
	fn.nr_caps = (uint8_t)i;
	call.nr_vals = (uint8_t)i;
	return &call;
}

#define CALL(...) with((const struct value[XPT_MAX_VALS + 1]){ __VA_ARGS__ })
#define V(r, v) { XPT_ROLE_##r, v, false }
#define UNREAD(r) { XPT_ROLE_##r, 77, true }

static void test_role(void **state)
{
	uint64_t v = 4711;

	(void)state;
	CALL(V(ADDR, 1), V(SIZE, 2), UNREAD(STREAM), V(SIZE, 3));
	assert_true(xpt_call__role(&call, XPT_ROLE_SIZE, &v));
	assert_int_equal(v, 2);	/* the first of that role */
	assert_false(xpt_call__role(&call, XPT_ROLE_STREAM, &v));
	assert_false(xpt_call__role(&call, XPT_ROLE_GRID_X, &v));
	assert_false(xpt_call__role(&call, XPT_ROLE__MAX, &v));
	assert_int_equal(v, 2);
	call.nr_vals = 1;	/* a record with fewer values than the function says */
	assert_false(xpt_call__role(&call, XPT_ROLE_SIZE, &v));
}

#define BYTES(want, ...) do { \
	uint64_t bytes_ = 4711; \
	assert_true(xpt_call__bytes(CALL(__VA_ARGS__), &bytes_)); \
	assert_true(bytes_ == (want)); \
} while (0)
#define NO_BYTES(...) do { \
	uint64_t bytes_ = 4711; \
	assert_false(xpt_call__bytes(CALL(__VA_ARGS__), &bytes_)); \
	assert_true(bytes_ == 4711); \
} while (0)

static void test_bytes(void **state)
{
	(void)state;
	BYTES(4096, V(SIZE, 4096));
	BYTES(0, V(SIZE, 0));
	BYTES(40, V(SIZE, 4), V(COUNT, 10));
	BYTES(40, V(SIZE, 40), V(WIDTH, 7), V(HEIGHT, 7));
	BYTES(21, V(WIDTH, 7), V(HEIGHT, 3));
	BYTES(42, V(WIDTH, 7), V(HEIGHT, 3), V(DEPTH, 2));
	BYTES(7, V(WIDTH, 7));
	BYTES(14, V(WIDTH, 7), V(DEPTH, 2));
	BYTES(21, V(WIDTH, 7), V(PITCH, 512), V(HEIGHT, 3));
	BYTES(0, V(WIDTH, 7), V(HEIGHT, 0));
	BYTES(0, V(SIZE, 4), V(COUNT, 0));
	NO_BYTES(V(ADDR, 1));
	NO_BYTES(V(HEIGHT, 3), V(DEPTH, 2));
	NO_BYTES(V(COUNT, 3));
}

/* What an allocation takes: whole rows; 1D and 2D arrays have height or depth 0. */
static void test_bytes_of_allocation(void **state)
{
	(void)state;
	cls = XPT_CLASS_ALLOC;
	BYTES(1536, V(WIDTH, 7), V(PITCH, 512), V(HEIGHT, 3));
	BYTES(7, V(WIDTH, 7), V(HEIGHT, 0), V(DEPTH, 0));
	BYTES(21, V(WIDTH, 7), V(HEIGHT, 3), V(DEPTH, 0));
	BYTES(0, V(WIDTH, 0), V(HEIGHT, 3));
	BYTES(0, V(SIZE, 4), V(COUNT, 0));
}

static void test_bytes_unread(void **state)
{
	(void)state;
	NO_BYTES(UNREAD(SIZE));
	NO_BYTES(UNREAD(SIZE), V(WIDTH, 3));
	NO_BYTES(V(SIZE, 4), UNREAD(COUNT));
	NO_BYTES(V(WIDTH, 4), UNREAD(HEIGHT));
	NO_BYTES(V(WIDTH, 4), V(HEIGHT, 4), UNREAD(DEPTH));
	cls = XPT_CLASS_ALLOC;
	NO_BYTES(V(WIDTH, 4), UNREAD(PITCH), V(HEIGHT, 4));
}

static void test_bytes_saturate(void **state)
{
	(void)state;
	BYTES(UINT64_MAX, V(SIZE, 1ull << 33), V(COUNT, 1ull << 31));
	BYTES(UINT64_MAX, V(SIZE, UINT64_MAX), V(COUNT, 2));
	BYTES(UINT64_MAX, V(WIDTH, 1ull << 40), V(HEIGHT, 1ull << 40), V(DEPTH, 1));
	BYTES(1ull << 63, V(SIZE, 1ull << 32), V(COUNT, 1ull << 31));
	BYTES(0, V(WIDTH, UINT64_MAX), V(HEIGHT, UINT64_MAX), V(DEPTH, 0));
}

static void test_dir(void **state)
{
	uint64_t d;

	(void)state;
	for (d = 0; d <= 5; d++)
		assert_int_equal(xpt_call__dir(CALL(V(DIR, d))), d);
	assert_int_equal(xpt_call__dir(CALL(V(DIR, 6))), XPT_DIR_NONE);
	assert_int_equal(xpt_call__dir(CALL(V(DIR, 7))), XPT_DIR_NONE);
	assert_int_equal(xpt_call__dir(CALL(V(DIR, 8))), XPT_DIR_NONE);
	assert_int_equal(xpt_call__dir(CALL(V(DIR, 1ull << 32 | 1))), XPT_DIR_NONE);
	assert_int_equal(xpt_call__dir(CALL(UNREAD(DIR))), XPT_DIR_NONE);
	assert_int_equal(xpt_call__dir(CALL(V(SIZE, 1))), XPT_DIR_NONE);
}

static void test_counts(void **state)
{
	(void)state;
	CALL(V(SIZE, 1));
	assert_true(xpt_call__counts(&call));
	call.flags = XPT_CALL_NESTED | XPT_CALL_FAILED;
	assert_true(xpt_call__counts(&call));
	call.flags |= XPT_CALL_OUTER;
	assert_false(xpt_call__counts(&call));
}

static void test_result_name(void **state)
{
	static const struct xpt_result oom = { 2, "OUT_OF_MEMORY", "no room", false, false, false, false };
	char buf[32];

	(void)state;
	CALL(V(SIZE, 1));
	call.ret = 2;
	fn.ret = XPT_RET_STATUS;
	assert_string_equal(xpt_call__result_name(&call, buf, sizeof(buf)), "2");
	call.result = &oom;
	assert_string_equal(xpt_call__result_name(&call, buf, sizeof(buf)), "OUT_OF_MEMORY");
	call.result = NULL;
	call.ret = INT64_MIN;
	assert_string_equal(xpt_call__result_name(&call, buf, sizeof(buf)), "-9223372036854775808");
	fn.ret = XPT_RET_POINTER;
	call.ret = 0x7f00;
	assert_string_equal(xpt_call__result_name(&call, buf, sizeof(buf)), "0x7f00");
	fn.ret = XPT_RET_NONE;
	assert_string_equal(xpt_call__result_name(&call, buf, sizeof(buf)), "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_role),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test_teardown(test_bytes_of_allocation, forget_class),
		cmocka_unit_test_teardown(test_bytes_unread, forget_class),
		cmocka_unit_test(test_bytes_saturate),
		cmocka_unit_test(test_dir),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_result_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
