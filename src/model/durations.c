// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Adds slots of the kernel up to coarser buckets, and finds the bucket of a quantile. See durations.h. */
#include "model/durations.h"

#define FIRST_SLOT 10
#define SLOT_STEP 2

uint64_t xpt_durations__bound(unsigned i)
{
	return UINT64_C(1) << (FIRST_SLOT + i * SLOT_STEP);
}

void xpt_durations__add(uint64_t calls[XPT_DURATIONS], const struct xpt_wire_count *n)
{
	unsigned slot = 0;

	for (unsigned i = 0; i < XPT_DURATION_BOUNDS; i++)
		for (; slot <= FIRST_SLOT + i * SLOT_STEP; slot++)
			calls[i] += n->hist[slot];
	for (; slot < XPT_HIST_SLOTS; slot++)
		calls[XPT_DURATION_BOUNDS] += n->hist[slot];
}

unsigned xpt_durations__quantile(const uint64_t calls[XPT_DURATIONS], unsigned percent)
{
	double all = 0, below = 0;

	for (unsigned i = 0; i < XPT_DURATIONS; i++)
		all += (double)calls[i];
	for (unsigned i = 0; all > 0 && i < XPT_DURATIONS; i++) {
		below += (double)calls[i];
		if (calls[i] && below * 100 >= all * percent)
			return i;
	}
	return XPT_DURATIONS;
}
