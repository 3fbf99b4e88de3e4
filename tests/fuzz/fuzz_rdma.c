/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes the reader of kernel modules and the analysis of their code and types: the input is a .ko file. What
 * comes out must be in range, and plans of it must be whole.
 */
#include <stdlib.h>
#include <string.h>
#include "elf/kernel_module.h"
#include "elf/unpack.h"
#include "rdma/graph/build.h"
#include "rdma/plan/prune.h"
#include "rdma_graph_valid.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

enum { MAX_ROOTS = 8 };

static void check_plans(const struct xpt_rdma_graph *g)
{
	const struct xpt_rdma_limits limits = { .depth = 3, .budget = 10, .kernel_minor = 6001 };
	struct xpt_rdma_plan *plan;
	uint32_t i, k, kept;

	MUST(graph_is_valid(g));
	for (i = 0; i < g->nr_roots && i < MAX_ROOTS; i++) {
		if (xpt_rdma_plan__make(g, i, &limits, &plan))
			continue;
		for (k = 0, kept = 0; k < plan->nr; k++) {
			MUST(plan->steps[k].fn < g->nr_fns);
			kept += xpt_rdma_rule__keeps(plan->steps[k].rule);
		}
		MUST(kept == plan->nr_kept && kept <= limits.budget && plan->nr_fexit <= kept);
		(void)xpt_rdma_root__matches(g, i, "destroy_qp");
		xpt_rdma_plan__free(plan);
	}
}

static void check_module(const uint8_t *data, size_t size)
{
	struct xpt_rdma_source src = { .name = "ib_core" };
	struct xpt_rdma_sources all = { .mods = &src, .nr = 1, .release = "1.2", .kernel_id = "" };
	struct xpt_rdma_graph *g;
	uint8_t *copy = malloc(size + 1);

	MUST(copy);
	memcpy(copy, data, size);
	if (xpt_module__parse(copy, size, false, &src.mod))
		return;
	(void)xpt_module__info(src.mod, "depends");
	MUST(strlen(xpt_module__build_id(src.mod)) <= 128);
	if (!xpt_rdma_graph__build(&all, &g)) {
		check_plans(g);
		xpt_rdma_graph__free(g);
	}
	xpt_module__close(src.mod);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n;
	void *p;

	check_module(data, size);
	if (!xpt_unpack__mem(data, size, 1 << 20, &p, &n)) {
		MUST(n <= 1 << 20);
		free(p);
	}
	return 0;
}
