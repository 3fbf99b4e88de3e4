/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory of graphs: allocated and freed by nodes, when a graph is launched.
 *
 * One graph allocates and frees in itself. One allocates what outlives its launch: the
 * program frees it, then a free node of another graph does, and the last launch leaves it.
 */
#include <stdio.h>
#include "run.h"

#define SMALL (1u << 20)
#define LARGE (6u << 20)

static CUdeviceptr small, large;

/* A new graph that allocates *ptr (0 bytes: not) and frees the address frees (0: none). */
static CUresult make(CUdeviceptr *ptr, size_t bytes, const CUdeviceptr *frees, CUgraphExec *ret_exec)
{
	CUmemAllocNode node = { .bytesize = bytes };
	CUgraphNode made;
	CUgraph graph;
	CUresult err;

	err = CU(cuGraphCreate, &graph, 0);
	if (!err && bytes) {
		err = CU(cuGraphAddMemAllocNode, &made, graph, NULL, 0, &node);
		*ptr = node.dptr;
	}
	if (!err && frees)
		err = CU(cuGraphAddMemFreeNode, &made, graph, NULL, 0, *frees);
	if (!err)
		err = CU(cuGraphInstantiateWithFlags, ret_exec, graph, 0);
	return err ? err : CU(cuGraphDestroy, graph);
}

/* opens, frees: what the launch does */
static CUresult launch(CUgraphExec exec, CUdeviceptr opens, uint64_t bytes, CUdeviceptr frees)
{
	CUresult err = CU(cuGraphLaunch, exec, NULL);

	if (err)
		return err;
	truth_launched();
	if (opens)
		truth_opened("cuGraphAddMemAllocNode", opens, bytes);
	if (frees)
		truth_closed(frees);
	return CU_OK;
}

int main(int argc, char **argv)
{
	CUgraphExec within, keeps, frees;
	CUresult err;

	run.name = "graph_memory";
	run.help = "graphs with nodes that allocate and free memory";
	run.iterations = 20;
	run_start(argc, argv);
	err = make(&small, SMALL, &small, &within);
	if (!err)
		err = make(&large, LARGE, NULL, &keeps);
	if (!err)
		err = make(NULL, 0, &large, &frees);
	for (uint64_t i = 0; i < run.iterations && !err; i++) {
		err = launch(within, small, SMALL, small);
		if (!err)
			err = launch(keeps, large, LARGE, 0);
		if (!err && i % 2)
			err = launch(frees, 0, 0, large);
		else if (!err)
			err = run_free(large);
	}
	if (!err)
		err = launch(keeps, large, LARGE, 0);
	if (!err)
		err = CU(cuGraphExecDestroy, within);
	/* Once more, and refused: what the last launch allocated is still there. */
	if (!err && CU(cuGraphLaunch, keeps, NULL) != CU_INVALID_VALUE)
		err = CU_INVALID_VALUE;
	if (err)
		fprintf(stderr, "graph_memory: CUDA error %d\n", err);
	return run_end(err ? 1 : 0);
}
