// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The life of an analyzer and of the tables that it declares, see analyzer.h. */
#include "model/output/analyzer.h"

#include <errno.h>
#include <stdlib.h>
#include "model/forget.h"

static void **table_at(const struct xpt_table *t, void *st)
{
	return (void **)((char *)st + t->offset);
}

static int open_table(const struct xpt_table *t, void *st)
{
	void **at = table_at(t, st);

	if (t->key_size)
		return xpt_hashmap__new(t->key_size, t->val_size, t->max, (struct xpt_hashmap **)at);
	*at = calloc(t->max, t->val_size);
	return *at ? 0 : -ENOMEM;
}

static void free_value(void *ctx, void *val)
{
	(void)ctx;
	free(*(void **)val);
}

static void free_table(const struct xpt_table *t, void *st)
{
	struct xpt_hashmap *map = *table_at(t, st);
	size_t pos = 0;
	void *val;

	if (!t->key_size) {
		free(map);
		return;
	}
	while (map && t->flags & XPT_TABLE_OWNS && xpt_hashmap__next(map, &pos, NULL, &val))
		free_value(NULL, val);
	xpt_hashmap__free(map);
}

int xpt_analyzer__open(const struct xpt_analyzer *a, struct xpt_stream *stream, void **ret_state)
{
	void *st = calloc(1, a->state_size ? a->state_size : 1);
	const struct xpt_table *t = a->tables;
	int err = st ? 0 : -ENOMEM;

	for (; !err && t && t->val_size; t++)
		err = open_table(t, st);
	if (!err && a->open)
		err = a->open(st);
	if (!err && a->blocks)
		err = xpt_stream__listen(stream, a->blocks, st);
	if (err && st)
		xpt_analyzer__close(a, st);
	else if (!err)
		*ret_state = st;
	return err;
}

void xpt_analyzer__event(const struct xpt_analyzer *a, void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	const struct xpt_table *t = a->tables;

	a->event(st, ev, out);
	for (; ev->kind == XPT_EV_FORGET && t && t->val_size; t++)
		if (t->flags & XPT_TABLE_OF_PROCESSES)
			xpt_forget__map(*table_at(t, st), t->flags & XPT_TABLE_OWNS ? free_value : NULL, NULL);
}

void xpt_analyzer__close(const struct xpt_analyzer *a, void *st)
{
	const struct xpt_table *t = a->tables;

	if (a->close)
		a->close(st);
	for (; t && t->val_size; t++)
		free_table(t, st);
	free(st);
}
