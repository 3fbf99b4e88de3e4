/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads that end in the middle of a call: a callback that the driver runs
 * inside cuStreamAddCallback on the caller's thread (a flag of the simulated
 * driver) ends the thread, by turns with pthread_exit and with the system
 * call, so the call has an entry and no return. Thread ids get used again:
 * the next thread's calls must not close the calls of the dead one.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "run.h"
#include "threads.h"

#define SYNC_CALLBACK 0x58505446u

static CUcontext ctx;
static uint64_t round_nr;
static volatile pid_t raw;	/* the thread that ends by the system call */

static void leave(CUstream stream, CUresult status, void *data)
{
	(void)stream, (void)status, (void)data;
	pthread_exit(NULL);
}

static void *work(void *arg)
{
	CUdeviceptr p;

	(void)arg;
	if (CU(cuCtxSetCurrent, ctx) || run_alloc(&p, run.bytes) || run_free(p))
		return (void *)1;
	CU(cuStreamAddCallback, NULL, leave, NULL, SYNC_CALLBACK);
	return (void *)1;
}

/* exit(2) of a raw thread: libc does not notice, so nothing is unwound. */
static void leave_raw(CUstream stream, CUresult status, void *data)
{
	(void)stream, (void)status, (void)data;
	raw = thread_id();
	syscall(SYS_exit, 0);
}

static void *work_raw(void *arg)
{
	(void)arg;
	if (!CU(cuCtxSetCurrent, ctx))
		CU(cuStreamAddCallback, NULL, leave_raw, NULL, SYNC_CALLBACK);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	void *bad = NULL;

	run.name = "thread_exit";
	run.help = "threads that end inside a call (simulated driver only)";
	run.iterations = 50;
	run.bytes = 4096;
	run_start(argc, argv);
	if (CU(cuCtxGetCurrent, &ctx))
		return run_end(1);
	for (round_nr = 0; !bad && round_nr < run.iterations; round_nr++) {
		if (pthread_create(&thread, NULL, work, NULL))
			return run_end(1);
		pthread_join(thread, &bad);
		truth_unreturned();
	}
	if (!bad && !pthread_create(&thread, NULL, work_raw, NULL)) {
		pthread_detach(thread);
		wait_until_ended(&raw);
		truth_unreturned();
	}
	return run_end(bad ? 1 : 0);
}
