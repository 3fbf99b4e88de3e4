/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether every index and string of a graph (rdma/graph/graph.h) is in range, whatever it was built from. */
#ifndef XPT_TESTS_RDMA_GRAPH_VALID_H
#define XPT_TESTS_RDMA_GRAPH_VALID_H

#include "rdma/graph/graph.h"

static inline bool range_ok(uint32_t first, uint32_t n, uint32_t total)
{
	return first <= total && n <= total - first;
}

static inline bool fn_ok(const struct xpt_rdma_graph *g, const struct xpt_rdma_fn *f)
{
	return f->name < g->nr_text && (f->module == XPT_RDMA_KERNEL || f->module < g->nr_modules) &&
	       f->ret < XPT_RDMA_NR_RETS && range_ok(f->first_call, f->nr_calls, g->nr_calls) &&
	       range_ok(f->first_errno, f->nr_errnos, g->nr_errnos) &&
	       f->nr_errnos <= XPT_RDMA_MAX_ERRNOS &&
	       range_ok(f->first_site, f->nr_sites, g->nr_sites);
}

static inline bool root_ok(const struct xpt_rdma_graph *g, const struct xpt_rdma_root *r)
{
	return r->name < g->nr_text && r->object < g->nr_text && r->fn < g->nr_fns &&
	       r->route < XPT_RDMA_NR_ROUTES && r->module < g->nr_modules &&
	       range_ok(r->first_extra, r->nr_extra, g->nr_extras);
}

static inline bool graph_is_valid(const struct xpt_rdma_graph *g)
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

#endif
