/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests of an SPDK trace as a Perfetto trace: a group of tracks for each queue
 * pair (else owner, poller or core), a request a slice, its states slices inside, and
 * inside these the I/O of block devices that the trace calls related to the request.
 * Requests that overlap lie on tracks of their own. Other entries are instants.
 */
#ifndef XPT_SPDK_PICTURE_H
#define XPT_SPDK_PICTURE_H

#include <stdio.h>
#include "spdk/request_states.h"
#include "spdk/spdk_line.h"

#define XPT_SPDK_MAX_GROUPS 16384	/* groups without room are counted */
#define XPT_SPDK_MAX_LANES 65536	/* of all groups */

struct xpt_spdk_picture;

struct xpt_spdk_picture_stats {
	uint64_t left_out;	/* requests without room */
	/* I/Os drawn until the end of their request's state, for slices are nested; they lasted longer */
	uint64_t cut_short;
};

/* file: the caller's. Begins at clock->first. 0 or -ENOMEM. */
int xpt_spdk_picture__new(FILE *file, const struct xpt_spdk_clock *clock,
			  struct xpt_spdk_picture **ret_p);
/* Takes an entry, with the results of xpt_spdk_states__entry() for it. Returns 0 or the first write error. */
int xpt_spdk_picture__entry(struct xpt_spdk_picture *p, const struct xpt_spdk_entry *e,
			    const struct xpt_spdk_note *note, enum xpt_spdk_step step,
			    struct xpt_spdk_io *io, const struct xpt_spdk_io *cut);
/* Writes the rest and frees. 0 or the first write error. *ret_stats is set in any case. */
int xpt_spdk_picture__close(struct xpt_spdk_picture *p, struct xpt_spdk_picture_stats *ret_stats);

#endif
