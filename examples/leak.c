/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Leaks: each iteration allocates device, pinned and managed memory and frees
 * every second device buffer only. One free fails (it is repeated), which must
 * not count. With --leak a second context is destroyed with memory still in
 * it: that memory is freed implicitly, by the context, and is no leak.
 */
#include <stdio.h>
#include "run.h"

static CUresult iteration(uint64_t i)
{
	CUdeviceptr dev, managed;
	void *host;
	CUresult err;

	err = run_alloc(&dev, run.bytes + i * 512);
	if (err)
		return err;
	if (i % 2)
		err = run_free(dev);
	if (!err)
		err = CU(cuMemHostAlloc, &host, run.bytes, 0);
	if (!err) {
		truth_opened("cuMemHostAlloc", (uintptr_t)host, run.bytes);
		if (i % 4) {
			err = CU(cuMemFreeHost, host);
			truth_closed((uintptr_t)host);
		}
	}
	if (!err)
		err = CU(cuMemAllocManaged, &managed, run.bytes, 1);
	if (!err) {
		truth_opened("cuMemAllocManaged", managed, run.bytes);
		err = run_free(managed);
	}
	return err;
}

static CUresult implicit(void)
{
	CUcontext ctx = run_context();
	CUdeviceptr ptr;
	CUresult err;

	for (int i = 0; i < 3; i++) {
		err = run_alloc(&ptr, run.bytes);
		if (err)
			return err;
		truth_dropped(ptr);	/* by the context */
	}
	return CU(cuCtxDestroy_v2, ctx);
}

int main(int argc, char **argv)
{
	CUdeviceptr ptr;
	CUresult err;

	run.name = "leak";
	run.help = "frees only part of what it allocates; --leak: a context takes memory with it";
	run.iterations = 16;
	run.bytes = 1 << 20;
	run_start(argc, argv);
	err = run_alloc(&ptr, run.bytes);
	if (!err)
		err = run_free(ptr);
	if (!err)
		run_free(ptr);	/* fails with CUDA_ERROR_INVALID_VALUE */
	for (uint64_t i = 0; !err && i < run.iterations && run_in_time(); i++)
		err = iteration(i);
	if (!err && run.leak)
		err = implicit();
	if (err)
		fprintf(stderr, "leak: CUDA error %d\n", err);
	return run_end(err ? 1 : 0);
}
