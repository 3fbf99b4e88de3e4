/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The plans that a user's options mean: for `rdma plan`, which shows them, and
 * `rdma watch`, which carries them out.
 */
#ifndef XPT_CLI_RDMA_PLANS_H
#define XPT_CLI_RDMA_PLANS_H

#include <stdbool.h>
#include "cli/opt.h"
#include "rdma/prune.h"

struct xpt_rdma_which {		/* options */
	struct xpt_list drivers, methods;
	struct xpt_list deep;	/* methods with all that is below them; or "auto" */
	const char *root, *release, *depth, *budget;
	bool no_cache;
};

#define XPT_RDMA_DEEP "auto"	/* which.deep: of whatever method fails */
/* Of a method that is looked into further. */
#define XPT_RDMA_DEEP_LIMITS(minor) ((struct xpt_rdma_limits){ 1000, 400, minor, true })

struct xpt_rdma_plans {
	struct xpt_rdma_limits limits;
	struct xpt_rdma_graph *g;
	struct xpt_rdma_plan **plans;
	unsigned nr;
};

/* Zeroed before. -1: made; else the exit status, and why was said. Free it in any case. */
int xpt_rdma_plans__make(const struct xpt_cmd *cmd, const struct xpt_rdma_which *w,
			 struct xpt_rdma_plans *ret_p);
/* Whether one of the words of a list means that method. */
bool xpt_rdma_plans__has(const struct xpt_list *words, const struct xpt_rdma_graph *g, uint32_t root);
void xpt_rdma_plans__free(struct xpt_rdma_plans *p);

#endif
