/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A call that never returns: a thread synchronizes with a stream whose work
 * waits for ever, as after a lost peer. The main thread asks for free memory
 * every 0.1 s, --iterations times or for --seconds, writes the truth and leaves (a
 * cuMemFree would wait, too); with --async nothing ends it but a signal. The
 * hung cuStreamSynchronize counts as a call, it has no result.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include "run.h"

static CUcontext ctx;
static CUstream stream;

static void forever(void *data)
{
	(void)data;
	for (;;)
		pause();
}

static void *hung(void *arg)
{
	(void)arg;
	if (!CU(cuCtxSetCurrent, ctx))
		CU(cuStreamSynchronize, stream);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	size_t free_bytes, total;
	uint64_t i;

	run.name = "hang";
	run.help = "a cuStreamSynchronize that never returns; --async: for ever";
	run.iterations = 0;
	run.seconds = 2;
	run_start(argc, argv);
	if (CU(cuCtxGetCurrent, &ctx) || CU(cuStreamCreate, &stream, 1) ||
	    CU(cuLaunchHostFunc, stream, forever, NULL) || pthread_create(&thread, NULL, hung, NULL))
		return run_end(1);
	fprintf(stderr, "hang: pid %d waits in cuStreamSynchronize\n", (int)getpid());
	for (i = 0; run.async || (run.iterations ? i < run.iterations : run_in_time()); i++) {
		CU(cuMemGetInfo_v2, &free_bytes, &total);
		usleep(100000);
	}
	truth_unreturned();
	/* No exit(): a library's end would wait for the thread that hangs. */
	_exit(run_end(0));
}
