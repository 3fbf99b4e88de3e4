/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The plans that a user's options mean: for `rdma plan`, which shows them, and
 * `rdma watch`, which carries them out.
 */
#ifndef XPT_SESSION_RDMA_PLANS_H
#define XPT_SESSION_RDMA_PLANS_H

#include <stdbool.h>
#include "base/list.h"
#include "rdma/plan/prune.h"
#include "rdma/plan/watchlist.h"

struct xpt_rdma_which {		/* options */
	struct xpt_list drivers, methods;
	struct xpt_list deep;	/* see struct xpt_rdma_deep_word */
	const char *root, *release, *depth, *budget;
	bool no_cache;		/* accepted and not used: former versions kept analyses */
	bool to_watch;		/* methods of the data path only if they are named */
};

/*
 * Which calls are looked into further: METHOD[:SHAPE], from the start; auto[:METHOD[:SHAPE]],
 * once one of them has failed.
 */
struct xpt_rdma_deep_word {
	bool once_failed;
	char method[64];	/* "": any */
	const char *shape;	/* NULL: any */
};

/* Of a method that is looked into further. */
#define XPT_RDMA_DEEP_LIMITS(minor) ((struct xpt_rdma_limits){ 1000, 400, minor, true })

struct xpt_rdma_plans {
	struct xpt_rdma_limits limits;
	struct xpt_rdma_graph *g;
	struct xpt_rdma_plan **plans;
	unsigned nr;
	uint64_t passed;	/* those of the data path that are not watched: bits of write commands */
};

/* Whether which.deep can be meant: only calls of modify_qp are told apart. -1, or as below. */
int xpt_rdma_plans__check(const char *command, const struct xpt_rdma_which *w);
/* Zeroed before. -1: made; else the exit status, and why was said. Free it in any case. */
int xpt_rdma_plans__make(const char *command, const struct xpt_rdma_which *w,
			 struct xpt_rdma_plans *ret_p);
/* Whether calls of a method and shape (NULL: some) are looked into further, from the start or not. */
bool xpt_rdma_plans__deepens(const struct xpt_rdma_which *w, const struct xpt_rdma_graph *g,
			     uint32_t root, const char *shape, bool once_failed);
/*
 * Gives a list the facts that calls of each method show by its ordinary plan, and adds the functions of the methods
 * that are looked into from the start. Returns -ENOMEM.
 */
int xpt_rdma_plans__fill(const struct xpt_rdma_plans *p, const struct xpt_rdma_which *w,
			 struct xpt_rdma_watchlist *list);
void xpt_rdma_plans__free(struct xpt_rdma_plans *p);

#endif
