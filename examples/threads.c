/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Many threads in one context, each with its own stream and buffers: calls of
 * several threads interleave, and an address that one thread frees is soon
 * handed to another.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "run.h"

static CUcontext ctx;
static CUfunction fn;

static CUresult iteration(CUstream stream, uint64_t i)
{
	unsigned char host[4096] = { 0 };
	size_t bytes = run.bytes + (i % 7) * 512;
	CUdeviceptr p;
	CUresult err;

	err = run_alloc(&p, bytes);
	if (err)
		return err;
	err = CU(cuMemcpyHtoDAsync_v2, p, host, sizeof(host), stream);
	if (!err) {
		truth_copied(RUN_H2D, sizeof(host));
		err = run_launch(fn, 4, 64, stream, NULL);
	}
	if (!err)
		err = CU(cuStreamSynchronize, stream);
	return err ? err : run_free(p);
}

static void *work(void *arg)
{
	CUstream stream;
	CUresult err;

	(void)arg;
	err = CU(cuCtxSetCurrent, ctx);
	if (!err)
		err = CU(cuStreamCreate, &stream, 1);
	for (uint64_t i = 0; !err && i < run.iterations && run_in_time(); i++)
		err = iteration(stream, i);
	if (!err)
		err = CU(cuStreamDestroy_v2, stream);
	return (void *)(uintptr_t)err;
}

int main(int argc, char **argv)
{
	CUresult err = CU_OK;
	pthread_t *threads;
	CUmodule module;

	run.name = "threads";
	run.help = "several threads, each with a stream of its own";
	run.iterations = 500;
	run.threads = 8;
	run.bytes = 64 << 10;
	run_start(argc, argv);
	fn = run_kernel(&module, "xpt_nop");
	threads = calloc(run.threads ? run.threads : 1, sizeof(*threads));
	if (!threads || CU(cuCtxGetCurrent, &ctx))
		return run_end(1);
	for (uint64_t i = 0; i < run.threads; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return run_end(1);
	for (uint64_t i = 0; i < run.threads; i++) {
		void *ret;

		pthread_join(threads[i], &ret);
		err = err ? err : (CUresult)(uintptr_t)ret;
	}
	free(threads);
	if (err)
		fprintf(stderr, "threads: CUDA error %d\n", err);
	return run_end(err ? 1 : 0);
}
