/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RDMA calls of the kernel in the traces of `run` and `attach` (-d rdma,
 * --layers rdma): what `rdma watch` sees, as calls in the same stream. Each
 * waits for the library's call around it, which says how deep it lies.
 */
#ifndef XPT_SESSION_RDMA_RDMA_LAYER_H
#define XPT_SESSION_RDMA_RDMA_LAYER_H

#include "session/usage.h"
#include "engine/engine.h"
#include "proc/select.h"

struct xpt_rdma_layer;

struct xpt_rdma_layer_cfg {
	const char *command;
	bool nested;		/* functions of libraries are traced, too */
	bool errors_only;	/* no calls that went well */
	bool all;		/* of all processes */
	const struct xpt_select *select;	/* which ones, besides those that the engine knows; or NULL */
};

/* Makes the plans, opens the store. -1 or an exit status, why was said. *ret_l to be closed then, too. */
int xpt_rdma_layer__new(const struct xpt_rdma_layer_cfg *cfg, struct xpt_rdma_layer **ret_l);
/* Begins. These processes and their children; nr 0: as cfg says. As above. */
int xpt_rdma_layer__start(struct xpt_rdma_layer *l, struct xpt_engine *e, const int *pids, unsigned nr);
/* A record that the engine is about to hand on: first what must stand before it. */
void xpt_rdma_layer__before(struct xpt_rdma_layer *l, const struct xpt_rec *rec);
void xpt_rdma_layer__step(struct xpt_rdma_layer *l);	/* now and then */
/* The last calls and exact sums; before the engine stops. How many calls there were. */
uint64_t xpt_rdma_layer__finish(struct xpt_rdma_layer *l);
void xpt_rdma_layer__free(struct xpt_rdma_layer *l);	/* NULL is fine */

#endif
