/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Forgetting, see forget.h. A deleted entry may let another be seen twice; that
 * one is then out of the map or still wanted.
 */
#include "model/forget.h"

#include <stdlib.h>

bool xpt_proc__keep(const struct xpt_proc *proc)
{
	if (!proc->for_good)
		((struct xpt_proc *)(uintptr_t)proc)->forgotten = false;	/* the pipeline's own */
	return !proc->forgotten;
}

static const struct xpt_proc *proc_of(const void *key)
{
	return *(const struct xpt_proc *const *)key;
}

struct entry {
	void *val;	/* first, so that the order sees a pointer to a pointer */
	const struct xpt_proc *proc;
};

void xpt_forget__keep_first(const struct xpt_hashmap *map,
			    int (*order)(const void *, const void *), size_t n)
{
	size_t len = xpt_hashmap__len(map), pos = 0, nr = 0, i;
	struct entry *all = len ? calloc(len, sizeof(*all)) : NULL;
	const void *key;
	void *val;

	while (all && nr < len && xpt_hashmap__next(map, &pos, &key, &val))
		all[nr++] = (struct entry){ val, proc_of(key) };
	if (nr)
		qsort(all, nr, sizeof(*all), order);
	for (i = 0; i < nr && i < n; i++)
		if (all[i].proc)
			xpt_proc__keep(all[i].proc);
	free(all);
}

size_t xpt_forget__map(struct xpt_hashmap *map, void (*gone)(void *ctx, void *val), void *ctx)
{
	size_t pos = 0, nr = 0;
	const void *key;
	void *val;

	while (xpt_hashmap__next(map, &pos, &key, &val)) {
		if (!proc_of(key) || !proc_of(key)->forgotten)
			continue;
		if (gone)
			gone(ctx, val);
		xpt_hashmap__del(map, key);
		nr++;
	}
	return nr;
}
