// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The call graph as arrays: names of modules, functions by name, direct calls. See graph.h. */
#include <stdlib.h>
#include <string.h>

#include "rdma/graph/graph.h"

void xpt_rdma_graph__free(struct xpt_rdma_graph *g)
{
	if (!g)
		return;
	free(g->text);
	free(g->modules);
	free(g->fns);
	free(g->calls);
	free(g->errnos);
	free(g->sites);
	free(g->roots);
	free(g->extras);
	free(g);
}

const char *xpt_rdma_module_name(const struct xpt_rdma_graph *g, uint32_t fn)
{
	uint16_t m = g->fns[fn].module;

	return m == XPT_RDMA_KERNEL ? "kernel" : g->text + g->modules[m].name;
}

/* Returns the first function of that name from an index on. */
static uint32_t find_from(const struct xpt_rdma_graph *g, const char *name, uint32_t i)
{
	for (; i < g->nr_fns; i++)
		if (!strcmp(xpt_rdma_fn_name(g, i), name))
			return i;
	return XPT_RDMA_NONE;
}

uint32_t xpt_rdma_graph__find(const struct xpt_rdma_graph *g, const char *name)
{
	return find_from(g, name, 0);
}

uint32_t xpt_rdma_graph__find_only(const struct xpt_rdma_graph *g, const char *name)
{
	uint32_t fn = find_from(g, name, 0);

	return fn == XPT_RDMA_NONE || find_from(g, name, fn + 1) == XPT_RDMA_NONE ? fn : XPT_RDMA_NONE;
}

bool xpt_rdma_graph__calls(const struct xpt_rdma_graph *g, uint32_t caller, uint32_t callee)
{
	const struct xpt_rdma_fn *f;
	uint32_t i;

	if (caller == XPT_RDMA_NONE || callee == XPT_RDMA_NONE)
		return false;
	f = &g->fns[caller];
	for (i = 0; i < f->nr_calls; i++)
		if (g->calls[f->first_call + i].callee == callee)
			return true;
	return false;
}
