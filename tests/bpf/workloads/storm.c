/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A flood of one short call: --iterations of cuMemGetInfo_v2 in each of
 * --threads, as fast as they go or --launches of them every millisecond, in a
 * burst. Results do not stop it, so faults of the simulated driver can be put
 * anywhere in the flood. --seconds ends it then at the latest.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "run.h"

static CUcontext ctx;

/* True as long as there is work; the clock is asked now and then only. */
static bool go_on(uint64_t i)
{
	return i < run.iterations && (i % 256 || run_in_time());
}

static void *work(void *arg)
{
	size_t free_bytes, total;
	struct timespec next;

	(void)arg;
	CU(cuCtxSetCurrent, ctx);
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (uint64_t i = 0; go_on(i); i++) {
		CU(cuMemGetInfo_v2, &free_bytes, &total);
		if (!run.launches || (i + 1) % run.launches)
			continue;
		next.tv_nsec += 1000000;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t *threads;

	run.name = "storm";
	run.help = "a flood of cuMemGetInfo_v2; --launches: calls per ms, 0: no limit";
	run.iterations = 100000;
	run.threads = 1;
	run_start(argc, argv);
	threads = calloc(run.threads ? run.threads : 1, sizeof(*threads));
	if (!threads || CU(cuCtxGetCurrent, &ctx))
		return run_end(1);
	for (uint64_t i = 0; i < run.threads; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return run_end(1);
	for (uint64_t i = 0; i < run.threads; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return run_end(0);
}
