/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The processes and threads of a stream. A struct xpt_proc is one life of a process id; a reused id gets a new one.
 * Of lives that have ended only those with most time in calls are kept, so that a long trace of many short
 * processes needs no more memory than a short one; records that come later for a life that was not kept go to a
 * process with id 0, which represents all that are gone.
 *
 * Times alone decide which life a record belongs to: a record dated after an exit is of another process, so records
 * may arrive late.
 */
#ifndef XPT_PIPELINE_PROCS_H
#define XPT_PIPELINE_PROCS_H

#include <stdbool.h>
#include <stdint.h>
#include "model/event.h"
#include "pipeline/decode.h"

#define XPT_MAX_PROCS 65536	/* lives of one trace; all later ones share one with pid 0 */
#define XPT_MAX_THREADS 65536
#define XPT_MAX_ENDED 2048	/* ended lives; when there are more, half of them go, but for the latest */
#define XPT_MAX_KEPT 256	/* of these, that stay because an analyzer asks for it */

struct xpt_procs;

/*
 * *evicted, owned by the caller, counts processes, their names and thread names
 * that the table had no room for. 0 or -ENOMEM.
 */
int xpt_procs__new(uint64_t *evicted, struct xpt_procs **ret_t);
void xpt_procs__free(struct xpt_procs *t);	/* NULL is fine */

/* All return the process, never NULL; *ret_new: it was made by this call. */

/* For a call that began at start_ns. */
struct xpt_proc *xpt_procs__of_call(struct xpt_procs *t, uint32_t tgid, uint64_t start_ns,
				    bool *ret_new);
/* For totals: the latest process of that id. */
struct xpt_proc *xpt_procs__latest(struct xpt_procs *t, uint32_t tgid, uint64_t ts_ns,
				   bool *ret_new);
/* The latest process of that id if it is known, else NULL. */
const struct xpt_proc *xpt_procs__find(struct xpt_procs *t, uint32_t tgid);
/* These take over the facts of a decoded record. */
struct xpt_proc *xpt_procs__add_proc(struct xpt_procs *t, const struct xpt_decoded *d,
				     bool *ret_new);
/* *ret_ended: this record is the first about its end. */
struct xpt_proc *xpt_procs__add_task(struct xpt_procs *t, const struct xpt_rec_task *r,
				     bool *ret_new, bool *ret_ended);

/* The process has initialized CUDA, by ts_ns at the latest. */
void xpt_procs__initialized(struct xpt_proc *proc, uint64_t ts_ns);
/* Was it forked, without an exec since, by a process that had initialized CUDA? */
bool xpt_procs__is_heir(struct xpt_procs *t, struct xpt_proc *proc);
/* Adds to the time in calls by which lives are kept. */
void xpt_procs__weigh(struct xpt_proc *proc, uint64_t time_ns);
/* Marks lives as forgotten if too many have ended. True: dispatch XPT_EV_FORGET,
 * then call xpt_procs__drop(). */
bool xpt_procs__nominate(struct xpt_procs *t);
/* Ends those that are still marked; calls fn for each one before. */
void xpt_procs__drop(struct xpt_procs *t, void (*fn)(void *ctx, const struct xpt_proc *proc),
		     void *ctx);

/* A thread's name, else its process's; valid until the next xpt_procs__add_*. */
const char *xpt_procs__comm(struct xpt_procs *t, uint32_t tid, const struct xpt_proc *proc);

#endif
