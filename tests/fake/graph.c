/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Graphs of the simulated driver: a list of work, captured from a stream or
 * added node by node, run in the order of its making.
 */
#include <stdlib.h>
#include <string.h>
#include "driver.h"

CUresult fake_graph_add(struct fake_graph *g, const struct fake_item *it)
{
	CUresult err = CU_OK;

	pthread_mutex_lock(&fake_lock);
	if (g->nr == g->max) {
		unsigned int max = g->max ? g->max * 2 : 16;
		struct fake_item *items = realloc(g->items, max * sizeof(*items));

		if (items) {
			g->items = items;
			g->max = max;
		} else {
			err = CU_OUT_OF_MEMORY;
		}
	}
	if (!err)
		g->items[g->nr++] = *it;
	pthread_mutex_unlock(&fake_lock);
	return err;
}

void fake_graph_free(struct fake_graph *g)
{
	free(g->items);
	free(g);
}

BODY(cuGraphCreate, CUgraph *graph, unsigned int flags)
{
	if (!graph || flags)
		return CU_INVALID_VALUE;
	*graph = (CUgraph)fake_new(sizeof(struct fake_graph), FAKE_GRAPH, NULL);
	return CU_OK;
}

BODY(cuGraphDestroy, CUgraph graph)
{
	struct fake_graph *g = fake_del(FAKE_GRAPH, graph);

	if (!g)
		return CU_INVALID_HANDLE;
	fake_graph_free(g);
	return CU_OK;
}

static CUresult add_node(CUgraphNode *node, CUgraph graph, uint64_t dur_ns)
{
	struct fake_graph *g = fake_get(FAKE_GRAPH, graph);
	struct fake_item it = { .dur_ns = dur_ns };

	if (!g)
		return CU_INVALID_HANDLE;
	if (!node)
		return CU_INVALID_VALUE;
	*node = (CUgraphNode)fake_new(sizeof(struct fake_obj), FAKE_NODE, NULL);
	return fake_graph_add(g, &it);
}

BODY(cuGraphAddKernelNode, CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t nr,
     const CUkernelNode *params)
{
	(void)deps, (void)nr;
	if (!params || !fake_get(FAKE_FUNC, params->func))
		return CU_INVALID_VALUE;
	return add_node(node, graph, fake_kernel_ns);
}

BODY(cuGraphAddKernelNode_v2, CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t nr,
     const CUkernelNode *params)
{
	return body_cuGraphAddKernelNode(node, graph, deps, nr, params);
}

BODY(cuGraphAddEmptyNode, CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t nr)
{
	(void)deps, (void)nr;
	return add_node(node, graph, 0);
}

/* The device's address is taken here, a launch makes it usable and a free ends that. */
BODY(cuGraphAddMemAllocNode, CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t nr,
     CUmemAllocNode *params)
{
	struct fake_graph *g = fake_get(FAKE_GRAPH, graph);
	struct fake_graph_mem *m;
	struct fake_block *b;
	CUresult err;

	(void)deps, (void)nr;
	if (!node || !g || !params)
		return CU_INVALID_VALUE;
	b = fake_block_alloc(fake_ctx(), params->bytesize, &err);
	if (!b)
		return err;
	m = calloc(1, sizeof(*m));
	if (!m)
		abort();
	pthread_mutex_lock(&fake_lock);
	fake_add_locked(m, FAKE_GRAPH_MEM, b->start, fake_ctx());
	pthread_mutex_unlock(&fake_lock);
	params->dptr = b->start;
	*node = (CUgraphNode)fake_new(sizeof(struct fake_obj), FAKE_NODE, NULL);
	return fake_graph_add(g, &(struct fake_item){ .graph_mem = b->start });
}

BODY(cuGraphAddMemFreeNode, CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t nr,
     CUdeviceptr ptr)
{
	struct fake_graph *g = fake_get(FAKE_GRAPH, graph);

	(void)deps, (void)nr;
	if (!node || !g || !fake_get(FAKE_GRAPH_MEM, (void *)(uintptr_t)ptr))
		return CU_INVALID_VALUE;
	*node = (CUgraphNode)fake_new(sizeof(struct fake_obj), FAKE_NODE, NULL);
	return fake_graph_add(g, &(struct fake_item){ .graph_mem = ptr, .graph_free = true });
}

/* What a launch does to memory, at once; an allocation that is live refuses it. */
static CUresult run_memory(const struct fake_graph *x)
{
	struct fake_graph_mem *m;
	CUresult err = CU_OK;

	pthread_mutex_lock(&fake_lock);
	for (unsigned int i = 0; i < x->nr && !err; i++) {
		const struct fake_item *it = &x->items[i];

		m = it->graph_mem ? fake_get_locked(FAKE_GRAPH_MEM, it->graph_mem) : NULL;
		if (m && m->live != it->graph_free)
			err = CU_INVALID_VALUE;
		else if (m)
			m->live = !it->graph_free;
	}
	pthread_mutex_unlock(&fake_lock);
	return err;
}

static CUresult instantiate(CUgraphExec *exec, CUgraph graph)
{
	struct fake_graph *g = fake_get(FAKE_GRAPH, graph), *x;
	CUresult err = CU_OK;

	if (!g)
		return CU_INVALID_HANDLE;
	if (!exec)
		return CU_INVALID_VALUE;
	x = fake_new(sizeof(*x), FAKE_EXEC, NULL);
	for (unsigned int i = 0; i < g->nr && !err; i++)
		err = fake_graph_add(x, &g->items[i]);
	*exec = (CUgraphExec)x;
	return err;
}

BODY(cuGraphInstantiateWithFlags, CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	(void)flags;
	return instantiate(exec, graph);
}

BODY(cuGraphInstantiateWithParams, CUgraphExec *exec, CUgraph graph, void *params)
{
	return params ? instantiate(exec, graph) : CU_INVALID_VALUE;
}

BODY(cuGraphInstantiate, CUgraphExec *exec, CUgraph graph, CUgraphNode *bad, char *log, size_t size)
{
	(void)bad, (void)log, (void)size;
	return instantiate(exec, graph);
}

BODY(cuGraphInstantiate_v2, CUgraphExec *exec, CUgraph graph, CUgraphNode *bad, char *log, size_t size)
{
	return body_cuGraphInstantiate(exec, graph, bad, log, size);
}

BODY(cuGraphExecDestroy, CUgraphExec exec)
{
	struct fake_graph *x = fake_del(FAKE_EXEC, exec);

	if (!x)
		return CU_INVALID_HANDLE;
	fake_graph_free(x);
	return CU_OK;
}

BODY(cuGraphLaunch, CUgraphExec exec, CUstream stream)
{
	struct fake_graph *x = fake_get(FAKE_EXEC, exec);
	struct fake_stream *s = fake_stream(stream);
	CUresult err = CU_OK;

	if (!x || !s)
		return CU_INVALID_HANDLE;
	err = run_memory(x);
	for (unsigned int i = 0; i < x->nr && !err; i++)
		err = fake_queue(s, &x->items[i]);
	return err;
}

BODY(cuStreamBeginCapture, CUstream stream, int mode)
{
	struct fake_stream *s = (uintptr_t)stream > 2 ? fake_stream(stream) : NULL;

	if (!s)
		return CU_INVALID_HANDLE;
	if (mode < 0 || mode > 2 || s->capture)
		return CU_INVALID_VALUE;
	s->capture = fake_new(sizeof(*s->capture), FAKE_GRAPH, NULL);
	return CU_OK;
}

BODY(cuStreamEndCapture, CUstream stream, CUgraph *graph)
{
	struct fake_stream *s = (uintptr_t)stream > 2 ? fake_stream(stream) : NULL;

	if (!s)
		return CU_INVALID_HANDLE;
	if (!graph || !s->capture)
		return CU_INVALID_VALUE;
	*graph = (CUgraph)s->capture;
	s->capture = NULL;
	return CU_OK;
}

BODY(cuStreamIsCapturing, CUstream stream, int *status)
{
	struct fake_stream *s = fake_stream(stream);

	if (!s)
		return CU_INVALID_HANDLE;
	if (!status)
		return CU_INVALID_VALUE;
	*status = s->capture ? 1 : 0;
	return CU_OK;
}

BODY(cuStreamGetCaptureInfo_v2, CUstream stream, int *status, unsigned long long *id, CUgraph *graph,
     const CUgraphNode **deps, size_t *nr)
{
	struct fake_stream *s = fake_stream(stream);

	if (!s)
		return CU_INVALID_HANDLE;
	if (!status)
		return CU_INVALID_VALUE;
	*status = s->capture ? 1 : 0;
	if (id)
		*id = (uintptr_t)s->capture >> 4;
	if (graph)
		*graph = (CUgraph)s->capture;
	if (deps)
		*deps = NULL;
	if (nr)
		*nr = 0;
	return CU_OK;
}

BODY(cuStreamGetCaptureInfo, CUstream stream, int *status, unsigned long long *id)
{
	return body_cuStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}

BODY(cuStreamGetCaptureInfo_v3, CUstream stream, int *status, unsigned long long *id, CUgraph *graph,
     const CUgraphNode **deps, const void **edges, size_t *nr)
{
	if (edges)
		*edges = NULL;
	return body_cuStreamGetCaptureInfo_v2(stream, status, id, graph, deps, nr);
}
