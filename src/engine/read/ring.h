/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The reader of a BPF ring buffer. That of libbpf stores after each record
 * how far it is; writers on other CPUs then miss their cache at each record.
 * This one stores it every few hundred records.
 */
#ifndef XPT_ENGINE_READ_RING_H
#define XPT_ENGINE_READ_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpt_ring;

/* map_fd stays the caller's, and can be polled for EPOLLIN. bytes: the map's
 * max_entries. 0 or -errno. */
int xpt_ring__new(int map_fd, size_t bytes, struct xpt_ring **ret_r);
void xpt_ring__free(struct xpt_ring *r);	/* NULL is fine */
/*
 * The oldest record, without taking it, valid until xpt_ring__next(); or NULL:
 * there is none, or it is still being written. *ret_size: its bytes.
 */
const void *xpt_ring__peek(struct xpt_ring *r, size_t *ret_size);
void xpt_ring__next(struct xpt_ring *r);	/* takes it; only after a peek that found one */
void xpt_ring__store(struct xpt_ring *r);	/* shows the kernel the read position: there is room */
bool xpt_ring__is_filling(const struct xpt_ring *r);	/* a quarter of it has not been taken */

#endif
