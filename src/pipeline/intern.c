/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * String pool: an open-addressed table of pointers into chunks that only grow. Nothing is ever removed; the maximum
 * keeps a hostile stream of ever new names from taking the machine's memory.
 */
#include "pipeline/intern.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/text_id.h"

#define CHUNK_SIZE 16384
#define FIRST_SLOTS 256

struct chunk {
	struct chunk *next;
	size_t used, size;
	char data[];
};

struct slot {
	uint64_t hash;
	const char *s;	/* NULL: free */
};

struct xpt_intern {
	size_t max_bytes, bytes;
	uint64_t *refused;
	size_t nr, nr_slots;	/* nr_slots is a power of two */
	struct slot *slots;
	struct chunk *chunks;	/* the first one is being filled */
};

int xpt_intern__new(size_t max_bytes, uint64_t *refused, struct xpt_intern **ret_pool)
{
	struct xpt_intern *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return -ENOMEM;
	pool->max_bytes = max_bytes;
	pool->refused = refused;
	pool->nr_slots = FIRST_SLOTS;
	pool->slots = calloc(FIRST_SLOTS, sizeof(*pool->slots));
	if (!pool->slots) {
		free(pool);
		return -ENOMEM;
	}
	pool->bytes = FIRST_SLOTS * sizeof(*pool->slots);
	*ret_pool = pool;
	return 0;
}

void xpt_intern__free(struct xpt_intern *pool)
{
	struct chunk *c, *next;

	if (!pool)
		return;
	for (c = pool->chunks; c; c = next) {
		next = c->next;
		free(c);
	}
	free(pool->slots);
	free(pool);
}

static struct slot *find_slot(struct slot *slots, size_t nr_slots, uint64_t hash, const char *s)
{
	size_t i = hash & (nr_slots - 1);

	/* Never full, so a free slot ends the walk. */
	while (slots[i].s && (slots[i].hash != hash || strcmp(slots[i].s, s) != 0))
		i = (i + 1) & (nr_slots - 1);
	return &slots[i];
}

static bool grow_table(struct xpt_intern *pool)
{
	size_t i, nr = pool->nr_slots * 2, more = pool->nr_slots * sizeof(*pool->slots);
	struct slot *slots;

	if (more > pool->max_bytes - pool->bytes)
		return false;
	slots = calloc(nr, sizeof(*slots));
	if (!slots)
		return false;
	for (i = 0; i < pool->nr_slots; i++) {
		if (pool->slots[i].s)
			*find_slot(slots, nr, pool->slots[i].hash, pool->slots[i].s) =
				pool->slots[i];
	}
	free(pool->slots);
	pool->slots = slots;
	pool->nr_slots = nr;
	pool->bytes += more;
	return true;
}

static char *take_bytes(struct xpt_intern *pool, size_t n)
{
	struct chunk *c = pool->chunks;
	size_t size = n > CHUNK_SIZE / 4 ? n : CHUNK_SIZE;

	if (!c || c->size - c->used < n) {
		if (size + sizeof(*c) > pool->max_bytes - pool->bytes)
			return NULL;
		c = malloc(sizeof(*c) + size);
		if (!c)
			return NULL;
		pool->bytes += size + sizeof(*c);
		c->used = 0;
		c->size = size;
		/* A chunk for one long string is inserted after the chunk that is being filled. */
		if (pool->chunks && size == n) {
			c->next = pool->chunks->next;
			pool->chunks->next = c;
		} else {
			c->next = pool->chunks;
			pool->chunks = c;
		}
	}
	c->used += n;
	return c->data + c->used - n;
}

const char *xpt_intern__get(struct xpt_intern *pool, const char *s)
{
	size_t n = strlen(s);
	uint64_t hash = xpt_text_id(s, n);
	struct slot *slot;
	char *copy;

	if (n == 0)
		return "";
	slot = find_slot(pool->slots, pool->nr_slots, hash, s);
	if (slot->s)
		return slot->s;
	if (pool->nr + 1 > pool->nr_slots / 4 * 3) {
		if (!grow_table(pool)) {
			++*pool->refused;
			return "";
		}
		slot = find_slot(pool->slots, pool->nr_slots, hash, s);
	}
	copy = take_bytes(pool, n + 1);
	if (!copy) {
		++*pool->refused;
		return "";
	}
	memcpy(copy, s, n + 1);
	slot->hash = hash;
	slot->s = copy;
	pool->nr++;
	return copy;
}
