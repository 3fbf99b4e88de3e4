/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts of functions and places of a file that got no probe, or not the best one, in one try (counted.h). */
#ifndef XPT_ENGINE_ATTACH_COUNTS_H
#define XPT_ENGINE_ATTACH_COUNTS_H

#include <stdint.h>

struct xpt_counted {		/* of struct xpt_engine_stats, see there */
	uint32_t nr_failed, nr_unsafe, nr_unseen, nr_refused, nr_slow;
	uint32_t nr_unnamed;	/* with the loss NAMES_FULL */
};

#endif
