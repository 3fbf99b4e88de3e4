/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls that a source has seen without the engine's own probes, handed on among those that it
 * saw itself. Not to be called while a record is built in the engine's scratch.
 */
#ifndef XPT_ENGINE_CALLS_INJECT_H
#define XPT_ENGINE_CALLS_INJECT_H

#include "engine/engine.h"

/* A function of d's layer, with the row's captures. 0, -ENOSPC, -ENOMEM. */
int xpt_engine__add_fn(struct xpt_engine *e, const struct xpt_domain *d, const struct xpt_fn_row *row,
		       const char *name, uint32_t *ret_fn);
/* A call of it; its process is described first if it is new. call has room for its size. */
void xpt_engine__emit_call(struct xpt_engine *e, const struct xpt_rec_call *call);
/* A text that goes with the trace; nothing if it does not fit into a record. */
void xpt_engine__emit_meta(struct xpt_engine *e, const char *key, const char *value);
/*
 * A source's exact sums, as the kernel-side programs have them: so far, from its operation emit_counts; else once, at
 * the end of the process or of the trace.
 */
void xpt_engine__emit_count(struct xpt_engine *e, const struct xpt_wire_count_key *key,
			    const struct xpt_wire_count *count, bool so_far);
void xpt_engine__emit_errors(struct xpt_engine *e, const struct xpt_wire_error_key *key, uint64_t calls, bool so_far);
/* Whether calls of that process are traced. */
bool xpt_engine__traces(const struct xpt_engine *e, int pid);

#endif
