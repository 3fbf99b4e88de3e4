/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Facts of a flight recorder: the records that a reader needs before the first call that is kept. Functions,
 * libraries and devices; of each process that runs its identity, and the names of its threads.
 */
#ifndef XPT_PIPELINE_RECORDING_FLIGHT_FACTS_H
#define XPT_PIPELINE_RECORDING_FLIGHT_FACTS_H

#include <stddef.h>
#include <stdint.h>

enum { XPT_FLIGHT_OWNERS = 64 };	/* who have memory of their own; further ones have the last one's together */

struct xpt_flight_facts;

/* Receives a record of size bytes. 0, or -errno to stop. */
typedef int (*xpt_flight_put_fn)(void *ctx, const void *rec, size_t size);

/* max_bytes: for facts of processes; each owner may use as much as is free. 0 or -ENOMEM. */
int xpt_flight_facts__new(size_t max_bytes, struct xpt_flight_facts **ret_f);
void xpt_flight_facts__set_limit(struct xpt_flight_facts *f, size_t max_bytes);	/* facts kept so far stay */
void xpt_flight_facts__free(struct xpt_flight_facts *f);	/* NULL is fine */
/*
 * Applies a record: a newer fact replaces an older one, the end of a process removes its facts. Others change
 * nothing.
 */
void xpt_flight_facts__apply(struct xpt_flight_facts *f, unsigned owner, const void *rec, size_t size);
const char *xpt_flight_facts__function(const struct xpt_flight_facts *f, uint32_t fn);	/* its symbol, or "?" */
/* Bytes of the facts about processes. Facts about functions are few, and not counted. */
size_t xpt_flight_facts__bytes(const struct xpt_flight_facts *f);
size_t xpt_flight_facts__bytes_of(const struct xpt_flight_facts *f, unsigned owner);
/* Writes all facts, in the order in which their first version was applied. Returns 0, -ENOMEM or the error of put. */
int xpt_flight_facts__write(const struct xpt_flight_facts *f, xpt_flight_put_fn put, void *ctx);

#endif
