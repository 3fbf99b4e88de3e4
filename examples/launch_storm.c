/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A launch storm: very many tiny kernels with a synchronize now and then, the
 * load for which the cost of a traced call matters most. With --async the same
 * work is captured once and launched as a graph.
 */
#include <stdio.h>
#include "run.h"

static CUresult launches(CUfunction fn, CUstream stream)
{
	CUresult err = CU_OK;

	for (uint64_t k = 0; !err && k < run.launches; k++)
		err = run_launch(fn, 1, 32, stream, NULL);
	return err;
}

static CUresult capture(CUfunction fn, CUstream stream, CUgraphExec *ret_exec)
{
	CUgraph graph;
	CUresult err;

	err = CU(cuStreamBeginCapture_v2, stream, 0);
	/* Into the graph: it is the graph that is launched. */
	for (uint64_t k = 0; !err && k < run.launches; k++)
		err = CU(cuLaunchKernel, fn, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL);
	if (!err)
		err = CU(cuStreamEndCapture, stream, &graph);
	if (!err)
		err = CU(cuGraphInstantiateWithFlags, ret_exec, graph, 0);
	return err ? err : CU(cuGraphDestroy, graph);
}

int main(int argc, char **argv)
{
	CUgraphExec exec = NULL;
	CUmodule module;
	CUfunction fn;
	CUstream stream;
	CUresult err;

	run.name = "launch_storm";
	run.help = "many tiny kernels; --async: as graphs";
	run.iterations = 100;
	run.launches = 1000;
	run_start(argc, argv);
	fn = run_kernel(&module, "xpt_nop");
	err = CU(cuStreamCreate, &stream, 1);
	if (!err && run.async)
		err = capture(fn, stream, &exec);
	for (uint64_t i = 0; !err && i < run.iterations && run_in_time(); i++) {
		if (exec) {
			err = CU(cuGraphLaunch, exec, stream);
			truth_launched();
		} else {
			err = launches(fn, stream);
		}
		if (!err)
			err = CU(cuStreamSynchronize, stream);
	}
	if (!err && exec)
		err = CU(cuGraphExecDestroy, exec);
	if (!err)
		err = CU(cuStreamDestroy_v2, stream);
	if (err)
		fprintf(stderr, "launch_storm: CUDA error %d\n", err);
	return run_end(err ? 1 : 0);
}
