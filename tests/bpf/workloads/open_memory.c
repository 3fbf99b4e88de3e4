/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads that allocate device memory and free a part of it, and pinned memory; the program says what is open by its own
 * count, waits for the file --until, frees all device memory but one block, says it again and waits for a signal.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "run.h"

#define PINNED 3		/* blocks, of run.bytes each */
#define MAX_THREADS 16

static CUcontext ctx;
static CUdeviceptr *kept[MAX_THREADS];
static uint64_t open_bytes[MAX_THREADS];

/* Sizes differ, so that a block that is mistaken for another changes the sum. */
static void *allocate(void *arg)
{
	uint64_t thread = (uint64_t)(uintptr_t)arg;

	if (CU(cuCtxSetCurrent, ctx))
		exit(1);
	for (uint64_t i = 0; i < run.iterations; i++) {
		uint64_t bytes = run.bytes + 256 * i;
		CUdeviceptr block;

		if (run_alloc(&block, bytes))
			exit(1);
		if (i % 3) {
			if (run_free(block))
				exit(1);
			continue;
		}
		kept[thread][i] = block;
		open_bytes[thread] += bytes;
	}
	return NULL;
}

static void say(uint64_t device)
{
	printf("device %llu host %llu\n", (unsigned long long)device, (unsigned long long)(PINNED * run.bytes));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	pthread_t thread[MAX_THREADS];
	uint64_t i, k, sum = 0;
	void *pinned;

	run.name = "open_memory";
	run.help = "allocates, frees a part and says what is open; then waits for --until, and for a signal";
	run.iterations = 300;
	run.bytes = 4096;
	run.threads = 4;
	run_start(argc, argv);
	if (CU(cuCtxGetCurrent, &ctx) || run.threads > MAX_THREADS)
		return 1;
	for (i = 0; i < run.threads; i++)
		kept[i] = calloc(run.iterations, sizeof(*kept[i]));
	for (i = 0; i < run.threads; i++)
		if (!kept[i] || pthread_create(&thread[i], NULL, allocate, (void *)(uintptr_t)i))
			return 1;
	for (i = 0; i < run.threads; i++) {
		pthread_join(thread[i], NULL);
		sum += open_bytes[i];
	}
	for (i = 0; i < PINNED; i++)
		if (CU(cuMemAllocHost_v2, &pinned, run.bytes))
			return 1;
	say(sum);
	while (run_in_time())
		usleep(10000);
	for (i = 0; i < run.threads; i++)
		for (k = i ? 0 : 3; k < run.iterations; k += 3)	/* the first block of the first thread stays */
			if (run_free(kept[i][k]))
				return 1;
	say(run.bytes);
	for (;;)
		pause();
}
