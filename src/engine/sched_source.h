/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Scheduling of threads while they are in calls: the programs on the kernel's
 * switches, their sums on the way into the stream, and the state of a thread in
 * a call that has not returned.
 */
#ifndef XPT_ENGINE_SCHED_SOURCE_H
#define XPT_ENGINE_SCHED_SOURCE_H

#include "engine/priv.h"

/* Writes SCHED records of the sums that the kernel keeps. over: only of the processes for which it
 * returns true, whose sums are removed then; NULL: of all, at the end, and nothing is removed. */
void xpt_esched__totals(struct xpt_engine *e,
			bool (*over)(const struct xpt_engine *e, const void *ctx, uint32_t tgid, uint64_t began_ns),
			const void *ctx);
/*
 * Packs the scheduling sums of f, an open call of thread t, up to now. Returns false
 * if the thread has not left the CPU in that call, or scheduling is not traced.
 * ret_state gets the thread's enum xpt_cpu_state, 0 if not known.
 */
bool xpt_esched__so_far(const struct xpt_engine *e, const struct xpt_thread *t,
			const struct xpt_frame *f, uint64_t now, uint64_t *ret_word,
			uint8_t *ret_state);

#endif
