// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Stacks as the recording names them: frames are text already, because only
 * the machine that ran the process could put names to addresses.
 */
#include "pipeline/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"

#define MAX_STACKS 65536

struct key {
	uint32_t tgid, id;
};

struct xpt_stacks {
	struct xpt_intern *pool;
	struct xpt_hashmap *map;	/* struct key -> struct xpt_stack * */
};

int xpt_stacks__new(struct xpt_intern *pool, struct xpt_stacks **ret_s)
{
	struct xpt_stacks *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	err = xpt_hashmap__new(sizeof(struct key), sizeof(struct xpt_stack *), MAX_STACKS, &s->map);
	if (err) {
		free(s);
		return err;
	}
	s->pool = pool;
	*ret_s = s;
	return 0;
}

void xpt_stacks__free(struct xpt_stacks *s)
{
	const void *key;
	size_t pos = 0;
	void *val;

	if (!s)
		return;
	while (xpt_hashmap__next(s->map, &pos, &key, &val))
		free(*(struct xpt_stack **)val);
	xpt_hashmap__free(s->map);
	free(s);
}

/* The next string before end, or NULL. */
static const char *next_string(const char **at, const char *end)
{
	const char *s = *at, *nul = s < end ? memchr(s, 0, (size_t)(end - s)) : NULL;

	if (!nul)
		return NULL;
	*at = nul + 1;
	return s;
}

static bool fill_frames(struct xpt_stacks *s, struct xpt_stack *st, const char *at, const char *end)
{
	uint32_t i;

	for (i = 0; i < st->nr; i++) {
		const char *fn = next_string(&at, end);
		const char *module = fn ? next_string(&at, end) : NULL;

		if (!module)
			return false;
		st->frame[i].fn = xpt_intern__get(s->pool, fn);
		st->frame[i].module = xpt_intern__get(s->pool, module);
	}
	return true;
}

bool xpt_stacks__add(struct xpt_stacks *s, const struct xpt_rec_stack *r, const char *strings,
		     const char *end, bool *ret_full)
{
	struct key key = { r->tgid, r->id };
	struct xpt_stack *st, **slot;
	bool is_new;

	*ret_full = false;
	if (r->nr > XPT_STACK_DEPTH)
		return false;
	st = calloc(1, sizeof(*st) + r->nr * sizeof(st->frame[0]));
	if (!st) {
		*ret_full = true;
		return true;
	}
	st->id = r->id;
	st->nr = r->nr;
	st->truncated = r->truncated != 0;
	if (!fill_frames(s, st, strings, end)) {
		free(st);
		return false;
	}
	slot = xpt_hashmap__get(s->map, &key, &is_new);
	if (slot && is_new)
		*slot = st;
	else
		free(st);	/* no room, or known already: a stack lives as long as the trace */
	*ret_full = !slot;
	return true;
}

const struct xpt_stack *xpt_stacks__get(const struct xpt_stacks *s, uint32_t tgid, uint64_t id)
{
	struct key key = { tgid, (uint32_t)id };
	struct xpt_stack **slot = id <= UINT32_MAX ? xpt_hashmap__find(s->map, &key) : NULL;

	return slot ? *slot : NULL;
}
