/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The reader of a BPF ring buffer. libbpf's tells the kernel after each record
 * how far it is; writers on other CPUs then miss their cache at each record.
 * This one tells it every few hundred records.
 */
#ifndef XPT_ENGINE_RING_H
#define XPT_ENGINE_RING_H

#include <stddef.h>
#include <stdint.h>

struct xpt_ring;

/* Non-zero ends this round of reading; the record counts as read. */
typedef int (*xpt_ring_fn)(void *ctx, const void *rec, size_t size);

/* map_fd stays the caller's, and can be polled for EPOLLIN. bytes: the map's
 * max_entries. 0 or -errno. */
int xpt_ring__new(int map_fd, size_t bytes, xpt_ring_fn fn, void *ctx, struct xpt_ring **ret_r);
void xpt_ring__free(struct xpt_ring *r);	/* NULL is fine */
/* Hands over what is there. 0 when all was read, else what fn returned. */
int xpt_ring__consume(struct xpt_ring *r);

#endif
