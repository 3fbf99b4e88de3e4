// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See graph.h. A graph from a file is checked as a whole before anything in it
 * is followed; then indices need no checks where they are used.
 */
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

static bool range_ok(uint32_t first, uint32_t n, uint32_t total)
{
	return first <= total && n <= total - first;
}

static bool fn_ok(const struct xpt_rdma_graph *g, const struct xpt_rdma_fn *f)
{
	return f->name < g->nr_text && (f->module == XPT_RDMA_KERNEL || f->module < g->nr_modules) &&
	       f->ret < XPT_RDMA_NR_RETS && range_ok(f->first_call, f->nr_calls, g->nr_calls) &&
	       range_ok(f->first_errno, f->nr_errnos, g->nr_errnos) &&
	       f->nr_errnos <= XPT_RDMA_MAX_ERRNOS &&
	       range_ok(f->first_site, f->nr_sites, g->nr_sites);
}

static bool root_ok(const struct xpt_rdma_graph *g, const struct xpt_rdma_root *r)
{
	return r->name < g->nr_text && r->object < g->nr_text && r->fn < g->nr_fns &&
	       r->route < XPT_RDMA_NR_ROUTES && r->module < g->nr_modules &&
	       range_ok(r->first_extra, r->nr_extra, g->nr_extras);
}

bool xpt_rdma_graph__valid(const struct xpt_rdma_graph *g)
{
	uint32_t i;
	bool ok = g->nr_text && !g->text[0] && !g->text[g->nr_text - 1] &&
		  g->release < g->nr_text && g->kernel_id < g->nr_text;

	for (i = 0; ok && i < g->nr_modules; i++)
		ok = g->modules[i].name < g->nr_text && g->modules[i].build_id < g->nr_text &&
		     g->modules[i].version < g->nr_text;
	for (i = 0; ok && i < g->nr_fns; i++)
		ok = fn_ok(g, &g->fns[i]);
	for (i = 0; ok && i < g->nr_calls; i++)
		ok = g->calls[i].callee < g->nr_fns;
	for (i = 0; ok && i < g->nr_sites; i++)
		ok = g->sites[i].member < g->nr_text && g->sites[i].resolution < XPT_RDMA_NR_RESOLUTIONS;
	for (i = 0; ok && i < g->nr_roots; i++)
		ok = root_ok(g, &g->roots[i]);
	for (i = 0; ok && i < g->nr_extras; i++)
		ok = g->extras[i] < g->nr_fns;
	return ok;
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
