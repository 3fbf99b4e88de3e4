/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wire/sched.h and what the pipeline makes of it: times and switches come back
 * as precise as the header says, any word is bounded, and a call has its word
 * behind its values, its stack's id and before its string, or is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "pipeline/decode.h"
#include "wire/sched.h"

static void test_time_is_precise(void **state)
{
	uint64_t ns, got;
	unsigned shift;

	(void)state;
	for (ns = 0; ns < 1u << 18; ns += 7)
		assert_int_equal(xpt_sched_unpack_time(xpt_sched_pack_time(ns)), ns);
	for (shift = 18; shift < 48; shift++) {
		for (int d = -3; d <= 3; d++) {
			ns = (1ull << shift) / 11 * (uint64_t)(11 + d);
			got = xpt_sched_unpack_time(xpt_sched_pack_time(ns));
			assert_true(got <= ns && ns - got <= ns >> 16);
		}
	}
}

static void test_time_saturates(void **state)
{
	uint64_t max = ((1ull << XPT_SCHED_MANTISSA) - 1) << 30;

	(void)state;
	assert_int_equal(xpt_sched_unpack_time(xpt_sched_pack_time(max)), max);
	assert_int_equal(xpt_sched_unpack_time(xpt_sched_pack_time(max + (1ull << 30))), max);
	assert_int_equal(xpt_sched_unpack_time(xpt_sched_pack_time(UINT64_MAX)), max);
	assert_true(xpt_sched_pack_time(UINT64_MAX) < 1u << XPT_SCHED_TIME_BITS);
}

static void test_word(void **state)
{
	struct xpt_wire_sched in = { 123456, 98765, 7, 1023 }, out;

	(void)state;
	out = xpt_sched_unpack(xpt_sched_pack(&in));
	assert_memory_equal(&in, &out, sizeof(in));
	in.voluntary = UINT32_MAX;
	in.involuntary = 1024;
	out = xpt_sched_unpack(xpt_sched_pack(&in));
	assert_int_equal(out.voluntary, XPT_SCHED_SWITCHES_MAX);
	assert_int_equal(out.involuntary, XPT_SCHED_SWITCHES_MAX);
	assert_int_equal(out.runq_ns, in.runq_ns);
	assert_int_equal(out.blocked_ns, in.blocked_ns);
	in = (struct xpt_wire_sched){ 0 };
	assert_int_equal(xpt_sched_pack(&in), 0);
}

static void test_any_word_is_bounded(void **state)
{
	struct xpt_wire_sched s;
	uint64_t word = 1, dur;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		word = word * 6364136223846793005ull + 1442695040888963407ull;
		dur = word >> word % 64;
		s = xpt_sched_unpack(i ? word : UINT64_MAX);
		assert_true(s.runq_ns < 1ull << 48 && s.blocked_ns < 1ull << 48);
		assert_true(s.voluntary <= XPT_SCHED_SWITCHES_MAX);
		assert_true(s.involuntary <= XPT_SCHED_SWITCHES_MAX);
		xpt_sched_clamp(&s, dur);
		assert_true(s.runq_ns <= dur && s.blocked_ns <= dur - s.runq_ns);
	}
}

/* A call of n values with these flags, and how many words and string bytes follow. */
static bool decodes(unsigned n, unsigned flags, size_t words, size_t str, struct xpt_decoded *d)
{
	static uint64_t buf[32];
	struct xpt_rec_call *c = memset(buf, 0, sizeof(buf));

	c->rec.kind = XPT_REC_CALL;
	c->rec.size = (uint16_t)(sizeof(*c) + words * 8 + str);
	c->nr_vals = (uint8_t)n;
	c->flags = (uint8_t)flags;
	c->str_len = str ? 3 : 0;
	memcpy((char *)&c->val[words], "ab", str ? 3 : 0);
	return xpt_decode(c, c->rec.size, d);
}

static void test_decode(void **state)
{
	struct xpt_decoded d;

	(void)state;
	assert_true(decodes(2, XPT_CALL_SCHED, 3, 0, &d));
	assert_false(decodes(2, XPT_CALL_SCHED, 2, 0, &d));
	assert_true(decodes(2, XPT_CALL_SCHED | XPT_CALL_STACK, 4, 8, &d));
	assert_string_equal(d.str[0], "ab");
	assert_false(decodes(2, XPT_CALL_SCHED | XPT_CALL_STACK, 3, 0, &d));
	assert_true(decodes(XPT_MAX_VALS, XPT_CALL_SCHED | XPT_CALL_STACK, XPT_MAX_WORDS, 8, &d));
	assert_string_equal(d.str[0], "ab");
	assert_true(decodes(2, 0, 2, 8, &d));	/* as older recordings have it */
	assert_string_equal(d.str[0], "ab");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_is_precise), cmocka_unit_test(test_time_saturates),
		cmocka_unit_test(test_word), cmocka_unit_test(test_any_word_is_bounded),
		cmocka_unit_test(test_decode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
