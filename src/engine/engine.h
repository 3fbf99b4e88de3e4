/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The engine: from targets to wire records. It loads the BPF programs, finds
 * libraries in processes and on the loader's path, puts probes on their
 * functions, follows processes, and hands every record - from the ring, from
 * /proc, from the final counters - to one callback, in one thread.
 *
 *   new -> [preload, add_pid, add_all]... -> start -> poll... -> stop -> free
 */
#ifndef XPT_ENGINE_ENGINE_H
#define XPT_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/engine_config.h"

struct xpt_engine;

/*
 * Loads the programs, writes CLOCK and META. Errors: -EPERM without privileges, -ENOTSUP if no way of
 * attaching works, else -errno. ret_why (may be NULL) gets a static text.
 */
int xpt_engine__new(const struct xpt_engine_cfg *cfg, xpt_engine_rec_fn fn, void *ctx,
		    struct xpt_engine **ret_e, const char **ret_why);
/* Detaches and frees. A child process, which outlives the caller, detaches many perf links. NULL is fine. */
void xpt_engine__free(struct xpt_engine *e);

/* Attaches probes to the library at path, if a domain knows it by this name. Returns 1 if attached, 0 if there is
 * nothing to do (unknown, already known, no function), or -errno. */
int xpt_engine__add_library(struct xpt_engine *e, const char *path, const char *name);
/* Attaches to the libraries that the loader will find for a program: its own
 * search path first, then the environment's and the system's. exe may be
 * NULL. */
void xpt_engine__preload(struct xpt_engine *e, const char *exe, const char *ld_library_path);
/* Makes a process a target, and attaches to the libraries that it maps. Returns 0 or -ESRCH. */
int xpt_engine__add_pid(struct xpt_engine *e, int pid);
/* The same without looking at its mappings: a process that is about to exec. */
int xpt_engine__add_child(struct xpt_engine *e, int pid);
/* Attaches to the known libraries of all running processes. */
int xpt_engine__add_all(struct xpt_engine *e);

/*
 * Follows processes, starts the sources and watches for libraries. Returns 0, or -errno of the first source that
 * could not start. It is no error if processes cannot be followed: see not_followed in the statistics.
 */
int xpt_engine__start(struct xpt_engine *e);
/* Returns the owner (proc/owner.h) of a running process with a PROC record, or XPT_OWNER_NOBODY if not known. */
uint64_t xpt_engine__owner(const struct xpt_engine *e, uint32_t tgid);
/* Waits up to timeout_ms or for a signal, then hands over the records that have come. Returns 0 or -errno. */
int xpt_engine__poll(struct xpt_engine *e, int timeout_ms);
/*
 * Returns true if no record was read and no file was mapped for a second. Records below cfg.wake_bytes do not wake
 * __poll().
 */
bool xpt_engine__is_idle(const struct xpt_engine *e);
/* Changes limits, see engine_config.h; a budget only if there was one from the beginning. */
void xpt_engine__set_limits(struct xpt_engine *e, uint64_t hang_ns, uint64_t budget_ppm);
/* Writes an INFLIGHT record for every call that has not returned. */
void xpt_engine__report_inflight(struct xpt_engine *e);
/*
 * Writes the kernel's counts until now: COUNTER_NOW, ERRCOUNT_NOW and INFLIGHT_NOW records of each process and
 * function, and losses that have grown. Calls that end meanwhile may be counted or not. Some 20 us for each process
 * and function.
 */
void xpt_engine__emit_counts(struct xpt_engine *e);
/* True once a target was there and none is left (never if others may join). */
bool xpt_engine__targets_gone(const struct xpt_engine *e);
/*
 * Ends tracing: detaches, drains the rings, and writes calls in flight, counters, losses, cost and END. status: wait
 * status of the command, or -1; reason: enum xpt_end_reason.
 */
int xpt_engine__stop(struct xpt_engine *e, int status, uint32_t reason);
/* Reports the outcome of hook nr (from 0). */
void xpt_engine__hook_state(const struct xpt_engine *e, uint32_t nr, struct xpt_hook_state *ret_state);
/*
 * Reports the findings of the engine. Asks the kernel for each user of its tables: a millisecond, not for each step.
 */
void xpt_engine__stats(const struct xpt_engine *e, struct xpt_engine_stats *ret_stats);
int xpt_engine__refused(const struct xpt_engine *e);	/* stats.refused alone, which costs nothing */

#endif
