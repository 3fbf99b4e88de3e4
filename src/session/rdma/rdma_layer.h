/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RDMA calls of the kernel in the traces of `run` and `attach` (-d rdma, --layers rdma): the calls that `rdma
 * watch` sees, in the same stream, by a source that the engine's user brings. Each waits for the library's call
 * around it, which gives its depth.
 */
#ifndef XPT_SESSION_RDMA_RDMA_LAYER_H
#define XPT_SESSION_RDMA_RDMA_LAYER_H

#include "session/options/usage.h"
#include "engine/engine.h"
#include "proc/select.h"

struct xpt_rdma_layer;

struct xpt_rdma_layer_cfg {
	const char *command;
	bool nested;		/* functions of libraries are traced, too */
	bool errors_only;	/* no calls that went well */
	bool all;		/* of all processes */
	bool optional;		/* where RDMA cannot be watched, the trace goes on without; that is said */
	const struct xpt_select *select;	/* which ones, besides those that the engine knows; or NULL */
	const int *pids;	/* only these and their children, unless it is 0 of them or more than XPT_RDMA_TARGETS */
	unsigned nr_pids;
};

/* For struct xpt_engine_cfg; its state is the layer. */
extern const struct xpt_source xpt_rdma_source;

/*
 * Makes the plans, opens the store. -1 or an exit status, why was said. *ret_l to be freed then, too; NULL, with -1: it
 * was optional.
 */
int xpt_rdma_layer__new(const struct xpt_rdma_layer_cfg *cfg, struct xpt_rdma_layer **ret_l);
/* Once the engine has started: -1, or the exit status if RDMA cannot be watched; why was said. NULL is fine. */
int xpt_rdma_layer__status(const struct xpt_rdma_layer *l);
/* At the end: how many calls there were, of those processes or, where they are selected otherwise, of all. */
uint64_t xpt_rdma_layer__calls(const struct xpt_rdma_layer *l);
void xpt_rdma_layer__free(struct xpt_rdma_layer *l);	/* NULL is fine */

#endif
