/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bad habits, one at a time, each in a good form with --async:
 *   --threads 1  waits after each launch; good: after eight
 *   --threads 2  series of small copies; good: a launch behind every third
 *   --threads 3  a graph for each launch; good: for every eight
 *   --threads 4  rests for --delay ms between rounds of work; good: launches before it rests
 * The truth's numbers are those of the calls.
 */
#include <stdio.h>
#include <time.h>
#include "run.h"

static CUfunction fn;
static CUstream stream;
static CUdeviceptr buffer;
static char host[1 << 20];

static CUresult launch(void)
{
	return run_launch(fn, 1, 32, stream, NULL);
}

/* Into a graph: it is the graph that is launched. */
static CUresult capture_launch(void)
{
	return CU(cuLaunchKernel, fn, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL);
}

static CUresult waits(uint64_t i)
{
	CUresult err = launch();

	if (!err && (!run.async || i % 8 == 7))
		err = CU(cuStreamSynchronize, stream);
	return err;
}

static CUresult small(uint64_t i)
{
	CUresult err = run_h2d(buffer + i % 1000 * 64, host + i % 1000 * 64, 64);

	if (!err && i % (run.async ? 3 : 50) == 0)
		err = launch();
	return err;
}

static CUresult graphs(uint64_t i)
{
	static CUgraphExec exec;
	CUgraph graph;
	CUresult err = CU_OK;

	if (!run.async || i % 8 == 0) {
		if (exec)
			err = CU(cuGraphExecDestroy, exec);
		if (err || (err = CU(cuStreamBeginCapture_v2, stream, 0)) || (err = capture_launch()) ||
		    (err = CU(cuStreamEndCapture, stream, &graph)) ||
		    (err = CU(cuGraphInstantiateWithFlags, &exec, graph, 0)) ||
		    (err = CU(cuGraphDestroy, graph)))
			return err;
	}
	err = CU(cuGraphLaunch, exec, stream);
	truth_launched();
	return err ? err : CU(cuStreamSynchronize, stream);
}

static CUresult rests(uint64_t i)
{
	struct timespec t = { 0, (long)run.delay_ms * 1000000 };
	CUresult err = i && run.async ? CU_OK : launch();

	if (!err)
		err = CU(cuStreamSynchronize, stream);
	if (!err && run.async)
		err = launch();
	nanosleep(&t, NULL);
	return err;
}

int main(int argc, char **argv)
{
	CUresult (*const habit[])(uint64_t) = { waits, small, graphs, rests };
	CUmodule module;
	CUresult err;

	run.name = "habits";
	run.help = "--threads 1 to 4: which habit; --async: its good form";
	run.iterations = 200;
	run.threads = 1;
	run.delay_ms = 2;
	run_start(argc, argv);
	fn = run_kernel(&module, "xpt_nop");
	err = CU(cuStreamCreate, &stream, 1);
	if (!err)
		err = run_alloc(&buffer, sizeof(host));
	for (uint64_t i = 0; !err && i < run.iterations; i++)
		err = habit[(run.threads - 1) % 4](i);
	if (!err)
		err = CU(cuStreamSynchronize, stream);
	run_free(buffer);
	if (err)
		fprintf(stderr, "habits: CUDA error %d\n", err);
	return run_end(err ? 1 : 0);
}
