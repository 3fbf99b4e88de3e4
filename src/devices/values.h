/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The values of one device while it is read: an array that is handed to the sink when it is full
 * and at the end.
 */
#ifndef XPT_DEVICES_VALUES_H
#define XPT_DEVICES_VALUES_H

#include "devices/device_reader.h"

#define XPT_VALUES_MAX 128

struct xpt_values {
	const struct xpt_device_sink *sink;
	uint32_t slot;
	size_t nr;
	struct xpt_wire_reading value[XPT_VALUES_MAX];
};

/* Hands over the values of the slot so far. */
static inline void xpt_values__flush(struct xpt_values *v)
{
	if (v->nr)
		v->sink->values(v->sink->ctx, v->slot, v->value, v->nr);
	v->nr = 0;
}

/* Begins the values of another device; those of the one before are handed over. */
static inline void xpt_values__begin(struct xpt_values *v, uint32_t slot)
{
	xpt_values__flush(v);
	v->slot = slot;
}

/* Adds one value. pid: 0 for the device. part: XPT_PART_NONE for the whole device. */
static inline void xpt_values__add_full(struct xpt_values *v, uint16_t metric, uint16_t part, uint32_t pid,
					uint64_t value)
{
	if (v->nr == XPT_VALUES_MAX)
		xpt_values__flush(v);
	v->value[v->nr++] = (struct xpt_wire_reading){ metric, part, pid, value };
}

static inline void xpt_values__add(struct xpt_values *v, uint16_t metric, uint64_t value)
{
	xpt_values__add_full(v, metric, XPT_PART_NONE, 0, value);
}

#endif
