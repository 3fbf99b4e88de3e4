/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* base/text_id.h: the test vectors of SipHash's authors, and ids by this process's own key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/hashmap.h"
#include "base/text_id.h"

/* The key is the bytes 0 to 15, the input the bytes 0 to n - 1. */
static void test_vectors(void **state)
{
	static const struct {
		size_t n;
		uint64_t want;
	} v[] = {
		{ 0, 0x726fdb47dd0e0e31 }, { 1, 0x74f839c593dc67fd }, { 7, 0xab0200f58b01d137 },
		{ 8, 0x93f5f5799a932462 }, { 15, 0xa129ca6149be45e5 },
	};
	uint8_t bytes[16];
	uint64_t key[2];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	memcpy(key, bytes, sizeof(key));
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		assert_true(xpt_siphash(key, bytes, v[i].n) == v[i].want);
}

/* The first word of these differs in its highest bit, the second in what xpt_hash() makes of that. */
static void test_no_collision(void **state)
{
	const uint64_t a[2] = { 0x4141414141414141, 0x4141414141414141 };
	const uint64_t b[2] = { a[0] ^ 1ull << 63, a[1] ^ (1ull << 63 | 1ull << 31) };

	(void)state;
	assert_true(xpt_hash(a, sizeof(a)) == xpt_hash(b, sizeof(b)));
	assert_true(xpt_text_id(a, sizeof(a)) != xpt_text_id(b, sizeof(b)));
	assert_true(xpt_text_id(a, sizeof(a)) == xpt_text_id(a, sizeof(a)));
	assert_true(xpt_text_id("", 0) != xpt_text_id("a", 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_no_collision),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
