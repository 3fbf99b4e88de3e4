/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Histograms of how long calls took, as metrics and snapshots have them: coarser than those of the kernel, whose
 * slots are added up. Bounds are 2^10 ns, some 1 us, and then four times as much each, up to 2^34 ns, some 17 s.
 */
#ifndef XPT_MODEL_DURATIONS_H
#define XPT_MODEL_DURATIONS_H

#include <stdint.h>
#include "wire/wire.h"

enum {
	XPT_DURATION_BOUNDS = 13,
	XPT_DURATIONS = XPT_DURATION_BOUNDS + 1,	/* buckets; the last one has no bound */
};

/* The longest duration of a bucket, which is in it; i below XPT_DURATION_BOUNDS. */
uint64_t xpt_durations__bound(unsigned i);
/* Adds the calls of a histogram of the kernel. */
void xpt_durations__add(uint64_t calls[XPT_DURATIONS], const struct xpt_wire_count *n);
/* The bucket that has the call which so many per cent of all do not exceed; XPT_DURATIONS: there are no calls. */
unsigned xpt_durations__quantile(const uint64_t calls[XPT_DURATIONS], unsigned percent);

#endif
