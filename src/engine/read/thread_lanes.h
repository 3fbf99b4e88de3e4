/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The reader of the lanes (wire/config.h): buffers that one busy thread each
 * writes to, read together in the order of time. A record is in its lane before
 * its call has returned to the program, so one that another
 * follows from is never seen after that other, if lanes are looked at after the
 * time up to which they are read was taken.
 */
#ifndef XPT_ENGINE_READ_THREAD_LANES_H
#define XPT_ENGINE_READ_THREAD_LANES_H

#include <stddef.h>
#include <stdint.h>

struct xpt_thread_lanes;

/* map_fd: a mappable array of nr lanes of `bytes` of data; not used after. 0 or -errno. */
int xpt_thread_lanes__new(int map_fd, uint32_t nr, uint32_t bytes, struct xpt_thread_lanes **ret_l);
void xpt_thread_lanes__free(struct xpt_thread_lanes *l);	/* NULL is fine */
/* Makes the records that have been written until now readable. */
void xpt_thread_lanes__look(struct xpt_thread_lanes *l);
/* The record that ended first (*ret_ns), without taking it, valid until next; or NULL. */
const void *xpt_thread_lanes__peek(struct xpt_thread_lanes *l, uint64_t *ret_ns, size_t *ret_size);
void xpt_thread_lanes__next(struct xpt_thread_lanes *l);	/* takes it; only after a peek that found one */
/* Releases the space of the records that were read to the writers. */
void xpt_thread_lanes__store(struct xpt_thread_lanes *l);

#endif
