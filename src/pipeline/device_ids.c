// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Devices by id, see device_ids.h. Ids come from files, too, so nothing is taken on trust: a parent
 * has a smaller id, and therefore no device is its own ancestor.
 */
#include "pipeline/device_ids.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

const struct xpt_device *xpt_devices__find(const struct xpt_devices *t, uint32_t id)
{
	return id && id <= XPT_MAX_DEVICES ? t->at[id - 1] : NULL;
}

static const char *clean_text(struct xpt_intern *pool, const char *s)
{
	char text[XPT_DEVICE_DETAIL];

	snprintf(text, sizeof(text), "%s", s);
	xpt_utf8__clean(text, "");
	return xpt_intern__get(pool, text);
}

static struct xpt_device *make_device(struct xpt_devices *t, const struct xpt_rec_device *r)
{
	const struct xpt_device *parent = xpt_devices__find(t, r->parent);
	struct xpt_device *d;

	if (r->parent && (!parent || r->parent >= r->id))
		return NULL;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->id = r->id;
	d->parent = parent;
	d->kind = (uint8_t)r->kind;
	t->at[r->id - 1] = d;
	t->nr_gpus += d->kind == XPT_DEVICE_GPU && !parent;
	return d;
}

const struct xpt_device *xpt_devices__add(struct xpt_devices *t, struct xpt_intern *pool, const struct xpt_decoded *in)
{
	const struct xpt_rec_device *r = (const void *)in->rec;
	struct xpt_device *d = t->at[r->id - 1];

	if (!d)
		d = make_device(t, r);
	if (!d || d->kind != r->kind)
		return NULL;
	d->index = r->index;
	d->minor = r->minor;
	d->numa_node = r->numa_node;
	d->name = clean_text(pool, in->str[0]);
	d->uuid = clean_text(pool, in->str[1]);
	d->address = clean_text(pool, in->str[2]);
	d->detail = clean_text(pool, in->str[3]);
	return d;
}

void xpt_devices__free(struct xpt_devices *t)
{
	for (size_t i = 0; i < XPT_MAX_DEVICES; i++) {
		free(t->at[i]);
		t->at[i] = NULL;
	}
}
