/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Draws requests of an SPDK trace as a Perfetto trace. Each queue pair (else owner, poller or core) has a group of
 * tracks. A request is a slice; its states are slices inside it, and inside these is the I/O of block devices that
 * the trace relates to the request. Requests that overlap have tracks of their own. Other entries are instants.
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
	/* I/Os that lasted longer than their request's state: drawn until its end, because slices are nested. */
	uint64_t cut_short;
};

/* file belongs to the caller. Time begins at clock->first. Returns 0 or -ENOMEM. */
int xpt_spdk_picture__new(FILE *file, const struct xpt_spdk_clock *clock,
			  struct xpt_spdk_picture **ret_p);
/* Takes an entry, with the results of xpt_spdk_states__entry() for it. Returns 0 or the first write error. */
int xpt_spdk_picture__entry(struct xpt_spdk_picture *p, const struct xpt_spdk_entry *e,
			    const struct xpt_spdk_note *note, enum xpt_spdk_step step,
			    struct xpt_spdk_io *io, const struct xpt_spdk_io *cut);
/* Writes the rest and frees. 0 or the first write error. *ret_stats is set in any case. */
int xpt_spdk_picture__close(struct xpt_spdk_picture *p, struct xpt_spdk_picture_stats *ret_stats);

#endif
