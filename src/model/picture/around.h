/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The calls of libraries around a call of the kernel: that of the library itself
 * (`ibv_modify_qp`), and the outer call that it served (`ncclCommInitRank`).
 * Calls come when they return, so the answer grows with each of them.
 */
#ifndef XPT_MODEL_PICTURE_AROUND_H
#define XPT_MODEL_PICTURE_AROUND_H

#include <stdbool.h>
#include "model/event.h"

#define XPT_AROUND_NAME 64

struct xpt_around {
	uint64_t start_ns, end_ns;
	const struct xpt_proc *proc;
	uint32_t tid;
	const char *domain;			/* of caller */
	char caller[XPT_AROUND_NAME], outer[XPT_AROUND_NAME];	/* "": none (yet) */
	bool own;				/* outer is of the same thread */
};

void xpt_around__begin(struct xpt_around *a, const struct xpt_call *c);
/*
 * A later call. caller: the outermost call around it of the first library that was
 * on its thread; outer: the outermost of another one. Libraries work in threads of their own
 * (NCCL connects in one): so of those of another thread one that failed itself counts,
 * where the thread has none. Whether c belongs to it.
 */
bool xpt_around__note(struct xpt_around *a, const struct xpt_call *c);

#endif
