/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The devices of one stream, by id.
 */
#ifndef XPT_PIPELINE_DEVICE_IDS_H
#define XPT_PIPELINE_DEVICE_IDS_H

#include "model/device.h"
#include "pipeline/decode.h"
#include "pipeline/intern.h"

struct xpt_devices {
	struct xpt_device *at[XPT_MAX_DEVICES];	/* index = id - 1; NULL: not described */
	uint32_t nr_gpus;			/* of them, without parts of GPUs */
};

/*
 * Takes over a DEVICE record. A device that is described again keeps its kind and its parent. NULL:
 * it is another kind under a known id, its parent is unknown or not older, or memory is out.
 */
const struct xpt_device *xpt_devices__add(struct xpt_devices *t, struct xpt_intern *pool, const struct xpt_decoded *d);
/* NULL: no record has described it. */
const struct xpt_device *xpt_devices__find(const struct xpt_devices *t, uint32_t id);
void xpt_devices__free(struct xpt_devices *t);	/* frees its members; the struct is the caller's */

#endif
