/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * base/hashmap.h against a plain array under random inserts, look-ups and
 * deletes; its maximum; iteration, also while it deletes; entries that come
 * and go for long without growing it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "base/hashmap.h"

static uint64_t rng = 88172645463325252ull;

static uint64_t next_random(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

static struct xpt_hashmap *new_map(size_t key_size, size_t val_size, size_t max)
{
	struct xpt_hashmap *map = NULL;

	assert_int_equal(xpt_hashmap__new(key_size, val_size, max, &map), 0);
	return map;
}

static void test_bad_arguments(void **state)
{
	struct xpt_hashmap *map = NULL;

	(void)state;
	assert_int_equal(xpt_hashmap__new(0, 8, 10, &map), -EINVAL);
	assert_int_equal(xpt_hashmap__new(8, 8, 0, &map), -EINVAL);
	assert_int_equal(xpt_hashmap__new(8, 8, SIZE_MAX, &map), -EINVAL);
	assert_int_equal(xpt_hashmap__new(SIZE_MAX, 8, 10, &map), -EINVAL);
	assert_null(map);
	xpt_hashmap__free(NULL);
}

static void test_empty(void **state)
{
	struct xpt_hashmap *map = new_map(4, 8, 10);
	uint32_t key = 7;
	size_t pos = 0;

	(void)state;
	assert_null(xpt_hashmap__find(map, &key));
	assert_false(xpt_hashmap__del(map, &key));
	assert_false(xpt_hashmap__next(map, &pos, NULL, NULL));
	assert_int_equal(xpt_hashmap__len(map), 0);
	xpt_hashmap__clear(map);
	xpt_hashmap__free(map);
}

/* Keys of 0..KEYS-1; what[k] is its value, 0 if absent. */
enum { KEYS = 3000, MAX = 2000, STEPS = 300000 };

static void compare_all(const struct xpt_hashmap *map, const uint64_t *what)
{
	static bool seen[KEYS];
	const void *key;
	void *val;
	size_t pos = 0, nr = 0;
	uint32_t k;

	memset(seen, 0, sizeof(seen));
	while (xpt_hashmap__next(map, &pos, &key, &val)) {
		k = *(const uint32_t *)key;
		assert_true(k < KEYS && !seen[k]);
		assert_true(what[k] && *(uint64_t *)val == what[k]);
		seen[k] = true;
		nr++;
	}
	assert_int_equal(nr, xpt_hashmap__len(map));
	assert_false(xpt_hashmap__next(map, &pos, &key, &val));
	for (k = 0; k < KEYS; k++)
		assert_int_equal(!!xpt_hashmap__find(map, &k), !!what[k]);
}

static void step(struct xpt_hashmap *map, uint64_t *what, size_t *len, uint32_t k, unsigned op)
{
	uint64_t *val;
	bool is_new = false;

	if (op < 4) {
		val = xpt_hashmap__get(map, &k, &is_new);
		if (!what[k] && *len == MAX) {
			assert_null(val);
			return;
		}
		assert_non_null(val);
		assert_int_equal(is_new, !what[k]);
		assert_true(*val == what[k]);	/* zeroed if new */
		*len += !what[k];
		*val = what[k] = next_random() | 1;
	} else if (op < 7) {
		assert_int_equal(xpt_hashmap__del(map, &k), !!what[k]);
		*len -= !!what[k];
		what[k] = 0;
	} else {
		val = xpt_hashmap__find(map, &k);
		assert_int_equal(!!val, !!what[k]);
		if (val)
			assert_true(*val == what[k]);
	}
}

static void test_random_operations(void **state)
{
	static uint64_t what[KEYS];
	struct xpt_hashmap *map = new_map(sizeof(uint32_t), sizeof(uint64_t), MAX);
	size_t len = 0, i;
	unsigned bias;

	(void)state;
	for (i = 0; i < STEPS; i++) {
		/* Phases that fill to the maximum and phases that empty. */
		bias = i / 20000 % 2;
		step(map, what, &len, (uint32_t)(next_random() % KEYS),
		     bias ? 4 + (unsigned)(next_random() % 6) : (unsigned)(next_random() % 10) % 8 / 2);
		assert_int_equal(xpt_hashmap__len(map), len);
		if (i % 10000 == 9999)
			compare_all(map, what);
	}
	xpt_hashmap__clear(map);
	memset(what, 0, sizeof(what));
	compare_all(map, what);
	xpt_hashmap__free(map);
}

static void test_maximum(void **state)
{
	struct xpt_hashmap *map = new_map(sizeof(uint64_t), 0, 100);
	uint64_t k;
	bool is_new;

	(void)state;
	for (k = 0; k < 100; k++)
		assert_non_null(xpt_hashmap__get(map, &k, NULL));
	assert_null(xpt_hashmap__get(map, &k, &is_new));
	k = 50;	/* what is there is still found by get */
	assert_non_null(xpt_hashmap__get(map, &k, &is_new));
	assert_false(is_new);
	assert_true(xpt_hashmap__del(map, &k));
	k = 1000;
	assert_non_null(xpt_hashmap__get(map, &k, &is_new));
	assert_true(is_new);
	assert_int_equal(xpt_hashmap__len(map), 100);
	xpt_hashmap__free(map);
}

/* Deletes some entries while walking: every entry is shown at least once,
 * those that were kept are still there. */
static void test_delete_while_iterating(void **state)
{
	enum { NR = 1000 };
	static unsigned shown[NR];
	struct xpt_hashmap *map = new_map(sizeof(uint32_t), sizeof(uint32_t), NR);
	const void *key;
	uint32_t k, round;
	size_t pos;

	(void)state;
	for (round = 1; round <= 5; round++) {
		memset(shown, 0, sizeof(shown));
		for (k = 0; k < NR; k++)
			assert_non_null(xpt_hashmap__get(map, &k, NULL));
		for (pos = 0; xpt_hashmap__next(map, &pos, &key, NULL);) {
			k = *(const uint32_t *)key;
			shown[k]++;
			if (k % round == 0)
				assert_true(xpt_hashmap__del(map, &k));
		}
		for (k = 0; k < NR; k++) {
			assert_true(shown[k] >= 1);
			assert_int_equal(!!xpt_hashmap__find(map, &k), k % round != 0);
		}
	}
	xpt_hashmap__free(map);
}

/* Few live entries, very many that came and went: still found, still len 10. */
static void test_churn(void **state)
{
	struct xpt_hashmap *map = new_map(sizeof(uint64_t), sizeof(uint64_t), 1000000);
	uint64_t k, old, *val;

	(void)state;
	for (k = 0; k < 1000000; k++) {
		val = xpt_hashmap__get(map, &k, NULL);
		assert_non_null(val);
		*val = ~k;
		if (k >= 10) {
			old = k - 10;
			val = xpt_hashmap__find(map, &old);
			assert_true(val && *val == ~old);
			assert_true(xpt_hashmap__del(map, &old));
		}
	}
	assert_int_equal(xpt_hashmap__len(map), 10);
	xpt_hashmap__free(map);
}

struct odd_key { char c[13]; };
struct odd_val { char c[5]; };

static void test_odd_sizes(void **state)
{
	struct xpt_hashmap *map = new_map(sizeof(struct odd_key), sizeof(struct odd_val), 500);
	struct odd_key key;
	struct odd_val *val;
	unsigned i;

	(void)state;
	for (i = 0; i < 500; i++) {
		memset(&key, 0, sizeof(key));
		memcpy(key.c + 9, &i, sizeof(i));
		val = xpt_hashmap__get(map, &key, NULL);
		assert_non_null(val);
		assert_int_equal((uintptr_t)val % 8, 0);
		memcpy(val->c, &i, sizeof(i));
		val->c[4] = 'x';
	}
	for (i = 0; i < 500; i++) {
		memset(&key, 0, sizeof(key));
		memcpy(key.c + 9, &i, sizeof(i));
		val = xpt_hashmap__find(map, &key);
		assert_non_null(val);
		assert_memory_equal(val->c, &i, sizeof(i));
	}
	xpt_hashmap__free(map);
}

/* Addresses that differ in high or low bits only spread over the low bits. */
static void test_hash_spreads(void **state)
{
	enum { BUCKETS = 1024, PER = 16 };
	unsigned shift, i, worst, nr[BUCKETS];
	uint64_t key;

	(void)state;
	for (shift = 0; shift <= 44; shift += 4) {
		memset(nr, 0, sizeof(nr));
		for (i = 0, worst = 0; i < BUCKETS * PER; i++) {
			key = (uint64_t)i << shift;
			worst = ++nr[xpt_hash(&key, sizeof(key)) % BUCKETS] > worst ?
				nr[xpt_hash(&key, sizeof(key)) % BUCKETS] : worst;
		}
		assert_true(worst < 4 * PER);
	}
	assert_true(xpt_hash("a", 1) != xpt_hash("b", 1));
	assert_true(xpt_hash("", 0) != xpt_hash("\0", 1));
}

/* --- keys that somebody has chosen ------------------------------------------------------------ */

#define NR_CHOSEN 40000u

static uint64_t invert_odd(uint64_t x)
{
	uint64_t y = x;

	for (int i = 0; i < 6; i++)	/* Newton's: each round doubles the bits that are right */
		y *= 2 - x * y;
	return y;
}

/* A key of 8 bytes whose xpt_hash() is that. */
static uint64_t key_with_hash(uint64_t h)
{
	h ^= h >> 29 ^ h >> 58;
	h *= invert_odd(0xd6e8feb86659fd93ull);
	h ^= h >> 32;
	h *= invert_odd(0x9e3779b97f4a7c15ull);
	return h ^ 0xcbf29ce484222325ull ^ sizeof(uint64_t);
}

/* The processor time of adding and finding keys; chosen: their xpt_hash() leads to one place. */
static double fill_seconds(bool chosen)
{
	struct xpt_hashmap *map;
	clock_t begin = clock();

	assert_int_equal(xpt_hashmap__new(sizeof(uint64_t), 8, NR_CHOSEN, &map), 0);
	for (unsigned round = 0; round < 2; round++)
		for (uint64_t i = 0; i < NR_CHOSEN; i++) {
			uint64_t key = key_with_hash(chosen ? i << 24 | 5 : i * 0x9e3779b97f4a7c15ull);

			assert_non_null(xpt_hashmap__get(map, &key, NULL));
		}
	xpt_hashmap__free(map);
	return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = **(uint64_t *const *)a, y = **(uint64_t *const *)b;

	return (x > y) - (x < y);
}

static void test_sorted(void **state)
{
	struct xpt_hashmap *map = new_map(8, 8, 100);
	uint64_t i, key;
	size_t nr = 1;

	(void)state;
	assert_null(xpt_hashmap__sorted(map, by_value, &nr));
	assert_int_equal(nr, 0);
	for (i = 0; i < 100; i++) {
		key = i * 37 % 100;
		*(uint64_t *)xpt_hashmap__get(map, &key, NULL) = key;
	}
	key = 5;
	xpt_hashmap__del(map, &key);
	void **all = xpt_hashmap__sorted(map, by_value, &nr);

	assert_int_equal(nr, 99);
	for (i = 0; i < nr; i++)
		assert_int_equal(*(uint64_t *)all[i], i + (i >= 5));
	free(all);
	xpt_hashmap__free(map);
}

static void test_chosen_keys(void **state)
{
	const uint64_t key = key_with_hash(0x1234567800000005ull);

	(void)state;
	assert_true(xpt_hash(&key, sizeof(key)) == 0x1234567800000005ull);
	assert_true(fill_seconds(true) < 20 * fill_seconds(false) + 0.05);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_arguments),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_random_operations),
		cmocka_unit_test(test_maximum),
		cmocka_unit_test(test_delete_while_iterating),
		cmocka_unit_test(test_churn),
		cmocka_unit_test(test_odd_sizes),
		cmocka_unit_test(test_hash_spreads),
		cmocka_unit_test(test_sorted),
		cmocka_unit_test(test_chosen_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
