/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hash map from a fixed-size key to a fixed-size value, both stored inside.
 * Open addressing, one allocation, grows to a maximum and then refuses.
 * Keys are compared as bytes: clear their padding.
 */
#ifndef XPT_BASE_HASHMAP_H
#define XPT_BASE_HASHMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpt_hashmap;

/* max: entries that it may hold. 0 or -ENOMEM, -EINVAL. */
int xpt_hashmap__new(size_t key_size, size_t val_size, size_t max, struct xpt_hashmap **ret_map);
void xpt_hashmap__free(struct xpt_hashmap *map);	/* NULL is fine */
/* The value of key or NULL. Valid until the next insert or delete. */
void *xpt_hashmap__find(const struct xpt_hashmap *map, const void *key);
/* Finds or inserts a zeroed value. NULL: full or out of memory. *ret_new may be NULL. */
void *xpt_hashmap__get(struct xpt_hashmap *map, const void *key, bool *ret_new);
bool xpt_hashmap__del(struct xpt_hashmap *map, const void *key);
size_t xpt_hashmap__len(const struct xpt_hashmap *map);
void xpt_hashmap__clear(struct xpt_hashmap *map);
/*
 * Iteration in unspecified order: start with *pos = 0; false at the end. The
 * map must not gain entries meanwhile; deleting the current entry is allowed
 * and may show another entry twice.
 */
bool xpt_hashmap__next(const struct xpt_hashmap *map, size_t *pos, const void **ret_key,
		       void **ret_val);

/*
 * The values in this order, that of qsort(3) for an array of pointers to values: an array of the caller, who frees it
 * and it alone. NULL and 0: the map is empty, or there is no memory.
 */
void **xpt_hashmap__sorted(const struct xpt_hashmap *map, int (*order)(const void *, const void *), size_t *ret_nr);

/* A strong enough hash of n bytes, by words and with a finalizer, for other tables; no file has it. */
uint64_t xpt_hash(const void *data, size_t n);

#endif
