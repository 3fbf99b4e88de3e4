/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A flight recorder: the newest part of a stream of records, kept in memory so that it can be written as a recording
 * when something goes wrong.
 *
 * Calls, and events of processes, are kept packed, in chunks. When a chunk is too old, or memory is used up, it is
 * dropped, and only its facts about processes that still run are kept, so that a recording names them however long
 * ago they began. Where memory is used up, the owner of processes who has most of it loses his oldest chunk:
 * nobody's calls push out those of others.
 */
#ifndef XPT_PIPELINE_RECORDING_FLIGHT_H
#define XPT_PIPELINE_RECORDING_FLIGHT_H

#include <stddef.h>
#include <stdint.h>
#include "pipeline/recording/file_share.h"
#include "pipeline/recording/flight_facts.h"

struct xpt_flight;

struct xpt_flight_cfg {
	uint64_t max_bytes;		/* of memory for records, at least XPT_FLIGHT_MIN */
	uint64_t keep_ns;		/* how old records get */
	xpt_owner_fn owner;		/* NULL: all processes have the same one */
	void *owner_ctx;
};

#define XPT_FLIGHT_MIN (1u << 20)

struct xpt_flight_stats {
	uint64_t bytes;			/* of memory, used for records now */
	uint64_t nr_early;		/* records that were dropped before their time, for lack of memory */
	uint64_t oldest_ns;		/* arrival of the oldest record that is kept; 0: there is none */
};

int xpt_flight__new(const struct xpt_flight_cfg *cfg, struct xpt_flight **ret_f);	/* 0 or -ENOMEM */
void xpt_flight__free(struct xpt_flight *f);		/* NULL is fine */
/* Other limits from now on. */
void xpt_flight__set_limits(struct xpt_flight *f, uint64_t max_bytes, uint64_t keep_ns);
/* The time now (CLOCK_MONOTONIC): records that are taken after this arrive at it, and old ones are dropped. */
void xpt_flight__step(struct xpt_flight *f, uint64_t now_ns);
/*
 * Keeps a copy of a wire record of `size` bytes whose own size is that. Records of no use in a part of a trace are
 * ignored.
 */
void xpt_flight__take(struct xpt_flight *f, const void *rec, size_t size);
/*
 * Hands all that is kept to put: first functions, libraries and devices, then processes and threads as they were
 * when the oldest chunk began, then records in the order in which they were taken. Changes nothing. Returns 0,
 * -ENOMEM, or the error of put.
 */
int xpt_flight__write(const struct xpt_flight *f, xpt_flight_put_fn put, void *ctx);
/* The symbol of a function that was taken, or "?". */
const char *xpt_flight__function(const struct xpt_flight *f, uint32_t fn);
void xpt_flight__stats(const struct xpt_flight *f, struct xpt_flight_stats *ret_st);

#endif
