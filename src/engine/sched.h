/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the scheduler does to threads while they are in calls: its programs on
 * the kernel's switches, their sums on their way into the stream, and where a
 * thread is while it is in a call that has not returned.
 */
#ifndef XPT_ENGINE_SCHED_H
#define XPT_ENGINE_SCHED_H

#include "engine/priv.h"

/* SCHED records of what the tables hold; over: only of these processes, which leave the
 * tables then. NULL: all, at the end. */
void xpt_esched__totals(struct xpt_engine *e,
			bool (*over)(const struct xpt_engine *e, const void *ctx, uint32_t tgid, uint64_t began_ns),
			const void *ctx);
/*
 * What has happened in an open call of this thread so far, up to now; false:
 * it has not left the CPU, or nobody looks. ret_state gets its enum
 * xpt_cpu_state, 0 if not known.
 */
bool xpt_esched__so_far(const struct xpt_engine *e, const struct xpt_thread *t,
			const struct xpt_frame *f, uint64_t now, uint64_t *ret_word,
			uint8_t *ret_state);

#endif
