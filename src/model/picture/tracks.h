/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of a picture beside the calls: values over time (counter tracks) of
 * each process, and for each synchronization the launch that it waited for
 * last. Knows classes, roles and kinds, no function names.
 *
 * Points are thinned: of each XPT_TRACK_STEP_NS at most the highest and the
 * last value of a track are emitted, so neither peaks nor final values are
 * lost.
 */
#ifndef XPT_MODEL_PICTURE_TRACKS_H
#define XPT_MODEL_PICTURE_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/event.h"

#define XPT_TRACK_STEP_NS 1000000ull
#define XPT_RATE_STEP_NS 10000000ull	/* launches are counted in steps of this length */

enum xpt_track {
	XPT_TRACK_LAUNCH_RATE,	/* launches per second, in the step that begins there */
	XPT_TRACK_IN_FLIGHT,	/* launches for which the program has not waited yet */
	XPT_TRACK_LIVE,		/* + enum xpt_kind: bytes allocated and not freed */
	XPT_TRACK__MAX = XPT_TRACK_LIVE + XPT_KIND__MAX,
};

struct xpt_launch {
	const struct xpt_proc *proc;
	uint32_t tid;
	uint64_t id, start_ns;	/* of the call */
};

struct xpt_track_ops {
	/* Points of one track come in order of time. */
	void (*point)(void *ctx, const struct xpt_proc *proc, enum xpt_track track,
		      uint64_t ts_ns, uint64_t value);
	/* sync waited for the launch; called while sync is fed. May be NULL. */
	void (*arrow)(void *ctx, const struct xpt_launch *from, const struct xpt_call *sync);
};

struct xpt_tracks;

int xpt_tracks__new(const struct xpt_track_ops *ops, void *ctx, struct xpt_tracks **ret_t);
void xpt_tracks__free(struct xpt_tracks *t);	/* NULL is fine; emits nothing */
/* Every event in order of arrival; XPT_EV_END emits the points that are still held back. */
void xpt_tracks__event(struct xpt_tracks *t, const struct xpt_event *ev);
/* "launches per second", "live device bytes"; written to buf where it is made up. */
const char *xpt_track_name(enum xpt_track track, char *buf, size_t n);
bool xpt_track_is_bytes(enum xpt_track track);
/* Texts of marks, written to buf: "exited with 1", "lost: 12 calls not ...". */
const char *xpt_exit_text(const struct xpt_proc *proc, char *buf, size_t n);
const char *xpt_lost_text(enum xpt_loss loss, uint64_t count, char *buf, size_t n);

#endif
