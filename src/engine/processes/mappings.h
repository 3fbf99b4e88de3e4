/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The watcher's records of mappings (watch.h) inside the engine, and the records that it
 * lost: a loss is reported with the processes whose records left no room, and /proc is read
 * after it. Processes that still run are found there, and only processes that have ended in
 * between are missed.
 */
#ifndef XPT_ENGINE_PROCESSES_MAPPINGS_H
#define XPT_ENGINE_PROCESSES_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>
#include "proc/owner.h"

struct xpt_engine;
struct xpt_engine_stats;
struct xpt_mapping;
struct xpt_watch;

#define XPT_MAPPERS 16	/* users and containers whose records are counted */

struct xpt_mapper {
	struct xpt_process_owner owner;
	uint64_t n;		/* records before losses */
};

#define XPT_DEFERRED 256	/* mappings that wait for the look at another one to end */
struct xpt_deferred;

struct xpt_mappings {
	struct xpt_watch *watch;	/* NULL: not available, /proc is polled */
	uint64_t lost;			/* records, with those that were read too late */
	struct xpt_hashmap *scanned;	/* files of the process that is looked at: device, inode, id of the name */
	uint64_t next_read_ns;		/* during a look at /proc */
	uint64_t next_scan_ns, next_mappers_ns, next_naming_ns;
	bool scan_due, ended;		/* scan_due: a look at /proc is asked for */
	bool is_unread;			/* something could not be read in time, since the last step */
	uint64_t unread_at_ns, unread_rest_ns;	/* when that is looked at again, 0: not; the latest delay */
	bool is_late;			/* mappings made by now have waited for a look at something else */
	struct xpt_deferred *deferred[XPT_DEFERRED];
	unsigned nr_deferred;
	struct xpt_mapper mapper[XPT_MAPPERS];
	unsigned nr_mappers;
	struct xpt_hashmap *unread;	/* device and inode of files that cannot be read; NULL: there was none yet */
	uint64_t told;			/* records before losses, with those of processes that have ended */
};

int xpt_mappings__open(struct xpt_engine *e);	/* 0 or -ENOMEM */
/* Shows the sources the mappings of a process, or of each process. Returns 0 or -errno. */
int xpt_mappings__scan(struct xpt_engine *e, int pid);
int xpt_mappings__scan_all(struct xpt_engine *e);
/* A mapping of a process that is or was a target: counts it as lost if it would have got probes. */
void xpt_mappings__count_missed(struct xpt_engine *e, int pid, const struct xpt_mapping *m);
/*
 * A mapped file that cannot be opened, or read for another reason than its cost: counts it as the loss lib_failed,
 * once. Of one that is not there any more calls may not have been seen; a file that holds no bytes is none. What
 * could not be read in time (xpt_left_out__may_pass()) is looked at again after a second, then after twice as long.
 */
void xpt_mappings__note_unread(struct xpt_engine *e, int pid, const struct xpt_mapping *m, int err);
/* Begins to watch, or to poll /proc; data: of its descriptors in the engine's epoll set. */
void xpt_mappings__start(struct xpt_engine *e, uint64_t data);
/* Looks at the mappings made since the last step, and at /proc where that is due. */
void xpt_mappings__step(struct xpt_engine *e);
/*
 * Reads the records of mappings that are there now, before code of a process is named; not all of them where that
 * takes long.
 */
void xpt_mappings__read_to_name(struct xpt_engine *e);
/* Reads all records of mappings that are there now. */
void xpt_mappings__read(struct xpt_engine *e);
bool xpt_mappings__has_watch(const struct xpt_engine *e);	/* the kernel tells of mappings, and wakes a poll */
bool xpt_mappings__has_more(const struct xpt_engine *e);	/* the last step left something */
/*
 * The trace ends: a file that was mapped until end_ns and whose record is only read from now on
 * gets no probes, and is counted as lost where it would have got some.
 */
void xpt_mappings__end(struct xpt_engine *e, uint64_t end_ns);
void xpt_mappings__stats(const struct xpt_engine *e, struct xpt_engine_stats *stats);
void xpt_mappings__close(struct xpt_engine *e);

#endif
