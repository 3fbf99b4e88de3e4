/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * exec while another thread is inside a call: the thread hangs in
 * cuStreamSynchronize, the main thread writes the truth and executes this
 * program again (one round less). The new image has the same pid and, for the
 * main thread, the same tid; the calls of the old one never return.
 * With --async it is the other way round: the main thread hangs, the other one
 * executes.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "run.h"
#include "threads.h"

static CUcontext ctx;
static CUstream stream;
static volatile pid_t entering;	/* the thread that makes the call */

static void forever(void *data)
{
	(void)data;
	for (;;)
		pause();
}

static char *self;

static void *hung(void *arg)
{
	(void)arg;
	if (CU(cuCtxSetCurrent, ctx))
		return NULL;
	cu_begin(CU_FN_cuStreamSynchronize);
	entering = thread_id();
	cu_end(CU_FN_cuStreamSynchronize, cu.cuStreamSynchronize(stream));
	return NULL;
}

/* Whoever calls it becomes the process's only thread, under the process's id. */
static void *next_round(void *arg)
{
	char left[24];

	(void)arg;
	wait_until_asleep(&entering);
	truth_unreturned();
	run_end(0);
	snprintf(left, sizeof(left), "%llu", (unsigned long long)run.iterations - 1);
	execl("/proc/self/exe", self, "--library", run.library, "--iterations", left,
	      run.async ? "--async" : NULL, (char *)NULL);
	_exit(1);
}

int main(int argc, char **argv)
{
	CUdeviceptr p;
	pthread_t thread;

	run.name = "exec_in_call";
	run.help = "executes itself --iterations times while a thread is inside a call; --async: the first thread";
	run.iterations = 3;
	run.bytes = 4096;
	self = argv[0];
	run_start(argc, argv);
	if (run_alloc(&p, run.bytes) || run_free(p))
		return run_end(1);
	if (!run.iterations)
		return run_end(0);
	if (CU(cuCtxGetCurrent, &ctx) || CU(cuStreamCreate, &stream, 1) ||
	    CU(cuLaunchHostFunc, stream, forever, NULL) ||
	    pthread_create(&thread, NULL, run.async ? next_round : hung, NULL))
		return run_end(1);
	if (run.async)
		hung(NULL);
	else
		next_round(NULL);
	return 1;
}
