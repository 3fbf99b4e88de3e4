/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The simulated driver's table of objects: from what a program holds (a handle
 * or an address) to the object behind it, so that a wrong or stale handle is
 * an error code and never a crash.
 *
 * Open addressing, linear probing, deletion by backward shift. Objects of one
 * kind are also linked, for the end of a context and of the process.
 */
#include <stdlib.h>
#include "driver.h"

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;

static struct fake_obj **slots;
static size_t nr_slots, nr_used;
static struct fake_obj *kinds[FAKE_BLOCK + 1];

static size_t slot_of(uint64_t key)
{
	return (size_t)((key >> 4) * 0x9e3779b97f4a7c15ull >> 20) & (nr_slots - 1);
}

static void insert(struct fake_obj *o)
{
	size_t i = slot_of(o->key);

	while (slots[i])
		i = (i + 1) & (nr_slots - 1);
	slots[i] = o;
}

static void grow(void)
{
	struct fake_obj **old = slots;
	size_t n = nr_slots;

	nr_slots = n ? n * 2 : 1024;
	slots = calloc(nr_slots, sizeof(*slots));
	if (!slots)
		abort();
	for (size_t i = 0; i < n; i++)
		if (old[i])
			insert(old[i]);
	free(old);
}

void fake_add_locked(void *obj, enum fake_kind kind, uint64_t key, struct fake_ctx *ctx)
{
	struct fake_obj *o = obj;

	o->kind = kind;
	o->key = key;
	o->ctx = ctx;
	o->prev = NULL;
	o->next = kinds[kind];
	if (o->next)
		o->next->prev = o;
	kinds[kind] = o;
	if (nr_used * 2 >= nr_slots)
		grow();
	insert(o);
	nr_used++;
}

static bool find(enum fake_kind kind, uint64_t key, size_t *ret_i)
{
	if (!nr_slots)
		return false;
	for (size_t i = slot_of(key); slots[i]; i = (i + 1) & (nr_slots - 1)) {
		if (slots[i]->key == key && slots[i]->kind == kind) {
			*ret_i = i;
			return true;
		}
	}
	return false;
}

void *fake_get_locked(enum fake_kind kind, uint64_t key)
{
	size_t i;

	return find(kind, key, &i) ? slots[i] : NULL;
}

void *fake_del_locked(enum fake_kind kind, uint64_t key)
{
	struct fake_obj *o;
	size_t i, j;

	if (!find(kind, key, &i))
		return NULL;
	o = slots[i];
	for (j = (i + 1) & (nr_slots - 1); slots[j]; j = (j + 1) & (nr_slots - 1)) {
		size_t home = slot_of(slots[j]->key);

		if (((j - home) & (nr_slots - 1)) >= ((j - i) & (nr_slots - 1))) {
			slots[i] = slots[j];
			i = j;
		}
	}
	slots[i] = NULL;
	nr_used--;
	if (o->prev)
		o->prev->next = o->next;
	else
		kinds[kind] = o->next;
	if (o->next)
		o->next->prev = o->prev;
	return o;
}

void *fake_new(size_t size, enum fake_kind kind, struct fake_ctx *ctx)
{
	struct fake_obj *o = calloc(1, size);

	if (!o)
		abort();
	pthread_mutex_lock(&fake_lock);
	fake_add_locked(o, kind, (uintptr_t)o, ctx);
	pthread_mutex_unlock(&fake_lock);
	return o;
}

void *fake_get(enum fake_kind kind, const void *handle)
{
	void *o;

	pthread_mutex_lock(&fake_lock);
	o = fake_get_locked(kind, (uintptr_t)handle);
	pthread_mutex_unlock(&fake_lock);
	return o;
}

void *fake_del(enum fake_kind kind, const void *handle)
{
	void *o;

	pthread_mutex_lock(&fake_lock);
	o = fake_del_locked(kind, (uintptr_t)handle);
	pthread_mutex_unlock(&fake_lock);
	return o;
}

struct fake_obj *fake_first(enum fake_kind kind)
{
	return kinds[kind];
}

/* The end: what the program did not destroy. Blocks belong to their arena. */
void fake_objects_free(void)
{
	for (int k = FAKE_EVENT; k < FAKE_BLOCK; k++) {
		while (kinds[k]) {
			struct fake_obj *o = kinds[k];

			kinds[k] = o->next;
			if (k == FAKE_GRAPH || k == FAKE_EXEC)
				fake_graph_free((struct fake_graph *)o);
			else
				free(o);
		}
	}
	free(slots);
	slots = NULL;
	nr_slots = nr_used = 0;
}
