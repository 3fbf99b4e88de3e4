/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All calls are made by one thread, which waits for ever with its memory still
 * allocated; the main thread makes none and ends the process. A tracer must
 * see the end of a process whose last thread it never met.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include "run.h"

static int ready[2];

static void *work(void *arg)
{
	CUdeviceptr p;
	int bad = CU(cuInit, 0);

	(void)arg;
	if (!bad) {
		run_context();
		for (uint64_t i = 0; !bad && i < run.iterations; i++)
			bad = run_alloc(&p, run.bytes);
	}
	if (write(ready[1], &bad, sizeof(bad)) != sizeof(bad))
		_exit(1);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int bad = 1;

	run.name = "worker";
	run.help = "leaves memory of a thread that outlives the process's own";
	run.iterations = 10;
	run.bytes = 4096;
	run_args(argc, argv);
	run_load();
	if (pipe(ready) || pthread_create(&thread, NULL, work, NULL) ||
	    read(ready[0], &bad, sizeof(bad)) != sizeof(bad))
		return 1;
	usleep((useconds_t)run.delay_ms * 1000);
	return run_end(bad);
}
