/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The watcher: reports when any process maps an executable file, so that a
 * library that is loaded late gets its probes within milliseconds, and when one
 * executes another program. It reads perf's MMAP2 and COMM side-band records and
 * stops nobody.
 */
#ifndef XPT_PROC_MMAP_EVENTS_H
#define XPT_PROC_MMAP_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include "proc/maps.h"

struct xpt_watch;

#define XPT_WATCH_BEFORE 64	/* records before a loss whose processes are reported */

struct xpt_watch_fns {
	void (*mapped)(void *ctx, int pid, const struct xpt_mapping *m);
	/* Before pid maps the files of the other program; CLOCK_MONOTONIC. NULL: no callback. */
	void (*execed)(void *ctx, int pid, uint64_t ts_ns);
	/*
	 * The kernel dropped n records, of which processes it does not report; pid: of the nr_pids records on that
	 * CPU that came before, whose room the others lacked. NULL: nobody asks.
	 */
	void (*lost)(void *ctx, uint64_t n, const int *pid, unsigned nr_pids);
};

/* One perf event per CPU. 0 or -errno (then poll /proc instead). fns are copied. */
int xpt_watch__new(const struct xpt_watch_fns *fns, void *ctx, struct xpt_watch **ret_w);
void xpt_watch__free(struct xpt_watch *w);	/* NULL is fine */
/* Adds its descriptors to an epoll set with this data value; 0 or -errno. */
int xpt_watch__add_to_epoll(struct xpt_watch *w, int epfd, uint64_t data);
/*
 * Reads the records that have arrived and calls the functions, for one record at least and others until that time
 * (CLOCK_MONOTONIC; UINT64_MAX: all).
 */
void xpt_watch__read(struct xpt_watch *w, uint64_t until_ns);
/* Records of later times (CLOCK_MONOTONIC) are not reported any more, so that reading has an end. */
void xpt_watch__end(struct xpt_watch *w, uint64_t end_ns);
bool xpt_watch__has_more(const struct xpt_watch *w);	/* the last look left something */

#endif
