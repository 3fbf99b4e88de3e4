/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Open addressing with linear probing. A byte per slot says empty, deleted or
 * full with 7 bits of the hash, so that most probes never touch a key.
 * Deleting leaves a mark only inside a cluster and moves nothing: iteration
 * survives it. Marks count as load and go away when the table is rebuilt.
 */
#include "base/hashmap.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define MIN_SLOTS 16
#define MAX_ENTRIES ((size_t)1 << 32)

enum { SLOT_EMPTY = 0, SLOT_DELETED = 1, SLOT_FULL = 0x80 };

struct xpt_hashmap {
	size_t key_size, val_size;
	size_t val_off, slot_size;	/* value within a slot; both multiples of 8 */
	size_t max, len;
	size_t load;			/* slots that are not empty */
	size_t nr_slots;		/* 0 or a power of two */
	size_t last;			/* slot found last: many callers ask again and again */
	unsigned char *slots;		/* the one allocation: slots, then tags */
	unsigned char *tags;
};

static inline uint64_t hash_words(const void *data, size_t n, uint64_t begin, uint64_t factor)
{
	const unsigned char *p = data;
	uint64_t h = begin ^ n, word;

	for (; n >= sizeof(word); n -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = (h ^ word) * factor;
		h ^= h >> 32;	/* a product has its entropy in the high bits */
	}
	if (n) {
		word = 0;
		memcpy(&word, p, n);
		h = (h ^ word) * factor;
		h ^= h >> 32;
	}
	h *= 0xd6e8feb86659fd93ull;
	h ^= h >> 29;
	return h;
}

uint64_t xpt_hash(const void *data, size_t n)
{
	return hash_words(data, n, 0xcbf29ce484222325ull, 0x9e3779b97f4a7c15ull);
}

/* The secret of the hash, by process: whoever chooses keys must not know which of them collide. */
static struct {
	uint64_t begin, factor;
} secret = { 0xcbf29ce484222325ull, 0x9e3779b97f4a7c15ull };

static void __attribute__((constructor)) draw_secret(void)
{
	uint64_t drawn[2];

	if (getrandom(drawn, sizeof(drawn), GRND_NONBLOCK) != (ssize_t)sizeof(drawn))
		return;		/* before the kernel has any: while the machine starts */
	secret.begin = drawn[0];
	secret.factor = drawn[1] | 1;
}

static inline uint64_t hash_key(const struct xpt_hashmap *map, const void *key)
{
	return hash_words(key, map->key_size, secret.begin, secret.factor);
}

int xpt_hashmap__new(size_t key_size, size_t val_size, size_t max, struct xpt_hashmap **ret_map)
{
	struct xpt_hashmap *map;

	if (!key_size || !max || max > MAX_ENTRIES || key_size > UINT32_MAX ||
	    val_size > UINT32_MAX)
		return -EINVAL;
	map = calloc(1, sizeof(*map));
	if (!map)
		return -ENOMEM;
	map->key_size = key_size;
	map->val_size = val_size;
	map->val_off = (key_size + 7) & ~(size_t)7;
	map->slot_size = map->val_off + ((val_size + 7) & ~(size_t)7);
	map->max = max;
	*ret_map = map;
	return 0;
}

void xpt_hashmap__free(struct xpt_hashmap *map)
{
	if (!map)
		return;
	free(map->slots);
	free(map);
}

/* memcmp, but most keys are a few words: their comparison needs no call. */
static inline bool same_key(const void *a, const void *b, size_t n)
{
	const unsigned char *p = a, *q = b;
	uint32_t x4, y4;
	uint64_t x, y;

	for (; n >= sizeof(x); n -= sizeof(x), p += sizeof(x), q += sizeof(x)) {
		memcpy(&x, p, sizeof(x));
		memcpy(&y, q, sizeof(y));
		if (x != y)
			return false;
	}
	if (n == sizeof(x4)) {		/* ids of processes and threads */
		memcpy(&x4, p, sizeof(x4));
		memcpy(&y4, q, sizeof(y4));
		return x4 == y4;
	}
	return !n || !memcmp(p, q, n);
}

static unsigned char *slot_at(const struct xpt_hashmap *map, size_t i)
{
	return map->slots + i * map->slot_size;
}

/* The slot of key, or nr_slots. *ret_free: where it would go. */
static size_t find_slot(const struct xpt_hashmap *map, const void *key, uint64_t hash,
			size_t *ret_free)
{
	unsigned char tag = (unsigned char)(SLOT_FULL | hash >> 57);
	size_t mask = map->nr_slots - 1, i = hash & mask, free_slot = map->nr_slots;

	for (; map->tags[i] != SLOT_EMPTY; i = (i + 1) & mask) {
		if (map->tags[i] == tag && same_key(slot_at(map, i), key, map->key_size))
			return i;
		if (map->tags[i] == SLOT_DELETED && free_slot == map->nr_slots)
			free_slot = i;
	}
	*ret_free = free_slot == map->nr_slots ? i : free_slot;
	return map->nr_slots;
}

/* Whether the slot that was found last is that of this key: saves computing the hash. */
static bool is_last(const struct xpt_hashmap *map, const void *key)
{
	return map->last < map->nr_slots && map->tags[map->last] & SLOT_FULL &&
	       same_key(slot_at(map, map->last), key, map->key_size);
}

/* Moves everything to a table of nr_slots; the old one stays on failure. */
static bool rebuild_table(struct xpt_hashmap *map, size_t nr_slots)
{
	struct xpt_hashmap old = *map;
	unsigned char *mem;
	size_t bytes, i, to;
	uint64_t hash;

	if (__builtin_mul_overflow(nr_slots, map->slot_size + 1, &bytes))
		return false;
	mem = malloc(bytes);
	if (!mem)
		return false;
	map->slots = mem;
	map->tags = mem + nr_slots * map->slot_size;
	memset(map->tags, SLOT_EMPTY, nr_slots);
	map->nr_slots = nr_slots;
	map->load = map->len;
	for (i = 0; i < old.nr_slots; i++) {
		if (!(old.tags[i] & SLOT_FULL))
			continue;
		hash = hash_key(map, slot_at(&old, i));
		find_slot(map, slot_at(&old, i), hash, &to);
		map->tags[to] = old.tags[i];
		memcpy(slot_at(map, to), slot_at(&old, i), map->slot_size);
	}
	free(old.slots);
	return true;
}

/* Keeps at least a quarter of the slots empty after one more insert. */
static bool make_room(struct xpt_hashmap *map)
{
	size_t nr = map->nr_slots ? map->nr_slots : MIN_SLOTS;

	if (map->load + 1 <= map->nr_slots / 4 * 3)
		return true;
	/* Mostly deletion marks: the same size is enough, and leaves slack. */
	while (map->len + 1 > nr / 2)
		nr *= 2;
	return rebuild_table(map, nr);
}

void *xpt_hashmap__find(const struct xpt_hashmap *map, const void *key)
{
	size_t i, unused;

	if (!map->len)
		return NULL;
	if (is_last(map, key))
		return slot_at(map, map->last) + map->val_off;
	i = find_slot(map, key, hash_key(map, key), &unused);
	return i == map->nr_slots ? NULL : slot_at(map, i) + map->val_off;
}

void *xpt_hashmap__get(struct xpt_hashmap *map, const void *key, bool *ret_new)
{
	bool found = is_last(map, key);
	uint64_t hash = found ? 0 : hash_key(map, key);
	size_t i = map->last, to = 0;

	if (!found && map->nr_slots) {
		i = find_slot(map, key, hash, &to);
		found = i != map->nr_slots;
	}
	if (found) {
		map->last = i;
		if (ret_new)
			*ret_new = false;
		return slot_at(map, i) + map->val_off;
	}
	if (map->len >= map->max)
		return NULL;
	if (!map->nr_slots || map->tags[to] == SLOT_EMPTY) {
		if (!make_room(map))
			return NULL;
		find_slot(map, key, hash, &to);
	}
	map->last = to;
	map->load += map->tags[to] == SLOT_EMPTY;
	map->len++;
	map->tags[to] = (unsigned char)(SLOT_FULL | hash >> 57);
	memset(slot_at(map, to), 0, map->slot_size);
	memcpy(slot_at(map, to), key, map->key_size);
	if (ret_new)
		*ret_new = true;
	return slot_at(map, to) + map->val_off;
}

bool xpt_hashmap__del(struct xpt_hashmap *map, const void *key)
{
	size_t mask = map->nr_slots - 1, i, unused;

	if (!map->len)
		return false;
	i = find_slot(map, key, hash_key(map, key), &unused);
	if (i == map->nr_slots)
		return false;
	map->tags[i] = SLOT_DELETED;
	map->len--;
	/* Marks at the end of a cluster say nothing: take them away. */
	if (map->tags[(i + 1) & mask] == SLOT_EMPTY) {
		for (; map->tags[i] == SLOT_DELETED; i = (i - 1) & mask) {
			map->tags[i] = SLOT_EMPTY;
			map->load--;
		}
	}
	return true;
}

size_t xpt_hashmap__len(const struct xpt_hashmap *map)
{
	return map->len;
}

void xpt_hashmap__clear(struct xpt_hashmap *map)
{
	if (map->nr_slots)
		memset(map->tags, SLOT_EMPTY, map->nr_slots);
	map->len = 0;
	map->load = 0;
}

bool xpt_hashmap__next(const struct xpt_hashmap *map, size_t *pos, const void **ret_key,
		       void **ret_val)
{
	size_t i;

	for (i = *pos; i < map->nr_slots; i++) {
		if (!(map->tags[i] & SLOT_FULL))
			continue;
		if (ret_key)
			*ret_key = slot_at(map, i);
		if (ret_val)
			*ret_val = slot_at(map, i) + map->val_off;
		*pos = i + 1;
		return true;
	}
	*pos = map->nr_slots;
	return false;
}

void **xpt_hashmap__sorted(const struct xpt_hashmap *map, int (*order)(const void *, const void *), size_t *ret_nr)
{
	void **all = map->len ? calloc(map->len, sizeof(*all)) : NULL;
	size_t pos = 0, nr = 0;

	while (all && xpt_hashmap__next(map, &pos, NULL, &all[nr]) && ++nr < map->len)
		;
	if (all)
		qsort(all, nr, sizeof(*all), order);
	*ret_nr = nr;
	return all;
}
