/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the places in a file for the probes that the user named; points.c attaches the probes. */
#ifndef XPT_ENGINE_SOURCES_POINTS_POINT_PLACES_H
#define XPT_ENGINE_SOURCES_POINTS_POINT_PLACES_H

#include "engine/sources/points/point_parts.h"

struct xpt_point_batch {	/* the places of one file */
	struct xpt_point_file *f;
	const char *path, *name;	/* how it is opened; as a process sees it */
	uint64_t *offsets, *semas, *cookies;
	uint32_t n, joined;	/* joined: functions that have their probe already */
	uint32_t round;		/* of calls, see xpt_shared__round() */
	const struct xpt_domain *d;	/* a domain that has probes there, or NULL */
	struct xpt_point_outcome *done;
	uint64_t hooks;		/* bit i: hook i + 1 is on something there */
	struct xpt_elf *debug;	/* the file's separate debug file, once it was looked for; NULL: none */
	bool looked;
};

/* The outcome of a file, besides probes. */
struct xpt_point_outcome {
	uint64_t refused;	/* bit i: the places of probe i do not fit into the share of the file's owner */
	int why;		/* of those: that the kernel has set none of its probes, -errno; or 0 */
};

/*
 * Adds the USDT probes of a file that these probes (a bit each) are on to the batch, but for those that `before`
 * found.
 */
void xpt_point_places__add_usdt(struct xpt_engine *e, const struct xpt_usdt *u, uint64_t probes, uint64_t before,
				struct xpt_point_batch *b);
/* The same for functions, where they are seen as by a domain: names of one address once. */
void xpt_point_places__add_functions(struct xpt_engine *e, struct xpt_elf *elf, enum xpt_probe_kind kind, uint64_t probes,
				     uint64_t before, struct xpt_point_batch *b);

#endif
