/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The watcher: tells when any process maps an executable file, so that a
 * library that is loaded late gets its probes within milliseconds, and when one
 * executes another program. It reads perf's MMAP2 and COMM side-band records and
 * stops nobody.
 */
#ifndef XPT_ENGINE_WATCH_H
#define XPT_ENGINE_WATCH_H

#include <stdint.h>
#include "engine/maps.h"

struct xpt_watch;

typedef void (*xpt_watch_fn)(void *ctx, int pid, const struct xpt_mapping *m);
/* Before pid maps what the other program needs; CLOCK_MONOTONIC. */
typedef void (*xpt_watch_exec_fn)(void *ctx, int pid, uint64_t ts_ns);

/* One perf event per CPU. 0 or -errno (then poll /proc instead). exec may be NULL. */
int xpt_watch__new(xpt_watch_fn fn, xpt_watch_exec_fn exec, void *ctx, struct xpt_watch **ret_w);
void xpt_watch__free(struct xpt_watch *w);	/* NULL is fine */
/* Adds its descriptors to an epoll set with this data value; 0 or -errno. */
int xpt_watch__add_to_epoll(struct xpt_watch *w, int epfd, uint64_t data);
/* Reads what is there and calls fn. Returns records that the kernel dropped. */
uint64_t xpt_watch__read(struct xpt_watch *w);

#endif
