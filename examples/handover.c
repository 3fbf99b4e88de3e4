/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads that hand addresses to one another: all blocks have one size, so that
 * what one thread frees another gets at once, often before the free has
 * returned. Every tenth block is kept: the rest of the memory is no leak.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "run.h"

static CUcontext ctx;

static void *work(void *arg)
{
	CUresult err = CU(cuCtxSetCurrent, ctx);

	(void)arg;
	for (uint64_t i = 0; !err && i < run.iterations && run_in_time(); i++) {
		CUdeviceptr p;

		err = run_alloc(&p, run.bytes);
		if (!err && i % 10 != 9)
			err = run_free(p);
	}
	return (void *)(uintptr_t)err;
}

int main(int argc, char **argv)
{
	CUresult err = CU_OK;
	pthread_t *threads;

	run.name = "handover";
	run.help = "threads that get each other's addresses, and keep every tenth block";
	run.iterations = 250;
	run.threads = 8;
	run.bytes = 64 << 10;
	run_start(argc, argv);
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
		fprintf(stderr, "handover: CUDA error %d\n", err);
	return run_end(err ? 1 : 0);
}
