/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tree of a call from the places and return addresses of its functions, where a word is all
 * that lies between a function and the one that it calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "rdma/graph/graph.h"
#include "rdma/trace/rebuild.h"

#define TEXT 0x1000u
#define SIZE 0x100u

/* Functions 1 to 15 lie one after the other; each reaches those above it, by calls that are known. */
static uint32_t function_of(void *ctx, uint32_t id)
{
	(void)ctx;
	return id;
}

static uint32_t owner_of(void *ctx, uint32_t from)
{
	(void)ctx;
	return from < TEXT || from >= TEXT + 16 * SIZE ? XPT_RDMA_NONE : (from - TEXT) / SIZE;
}

static bool calls(void *ctx, uint32_t caller, uint32_t callee)
{
	(void)ctx;
	return callee == caller + 1;
}

static enum xpt_rdma_may reaches(void *ctx, uint32_t caller, uint32_t callee)
{
	(void)ctx;
	return callee > caller ? XPT_RDMA_MAY : XPT_RDMA_MAY_NOT;
}

static const struct xpt_rdma_code_facts facts = {
	.function = function_of, .owner = owner_of, .calls = calls, .reaches = reaches,
};

/* Each call is at a place of its own in the code of the caller. */
static struct xpt_wire_rdma_exit returned(uint32_t fn, uint16_t place, uint32_t caller)
{
	return (struct xpt_wire_rdma_exit){ .fn = fn, .place = place, .from = TEXT + caller * SIZE + 0x10 + fn };
}

static void check(const struct xpt_wire_rdma_exit *e, uint32_t n, const uint16_t *depth)
{
	uint16_t order[XPT_RDMA_EXITS], got[XPT_RDMA_EXITS];
	uint32_t i;

	xpt_rdma_rebuild(e, n, &facts, order, got);
	for (i = 0; i < n; i++)
		assert_int_equal(got[i], depth[i]);
}

/* A function without a frame of its own: its callee's return address is the word below its own. */
static void test_one_word(void **state)
{
	const struct xpt_wire_rdma_exit e[] = {
		returned(3, 8900, 2), returned(2, 8908, 1), returned(1, 9000, 0),
	};

	(void)state;
	check(e, 3, (const uint16_t[]){ 0, 1, 2 });
}

/* Two calls of one function at one place, and two probes that see a place differently by a word. */
static void test_siblings(void **state)
{
	const struct xpt_wire_rdma_exit e[] = {
		returned(3, 8900, 1), returned(2, 8900, 1), returned(4, 8900, 1), returned(5, 8908, 1), returned(1, 9000, 0),
	};

	(void)state;
	check(e, 5, (const uint16_t[]){ 0, 1, 1, 1, 1 });
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_one_word), cmocka_unit_test(test_siblings) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
