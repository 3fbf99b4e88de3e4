/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process that ends while a call is open, in the way that the first argument names:
 *   copy      a copy from a wrong host address: SIGSEGV inside the call
 *   handler   the same, with a handler that aborts
 *   exits     the same, with a handler that ends the process with status 3
 *   recovers  the same, with a handler that leaves by siglongjmp; ends by a fault in main
 *   abort     a callback that runs inside a call on its thread calls abort()
 *   thread    a second thread is inside a call for long when main has a fault
 *   exit      the same, but main calls exit(0)
 *   host      main has a fault outside of every call
 * (callbacks: a flag of the simulated driver)
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "run.h"

#define SYNC_CALLBACK 0x58505446u

static CUcontext ctx;
static volatile int inside;
static sigjmp_buf back;

static void wait_long(CUstream stream, CUresult status, void *data)
{
	(void)stream, (void)status, (void)data;
	inside = 1;
	pause();
}

static void call_abort(CUstream stream, CUresult status, void *data)
{
	(void)stream, (void)status, (void)data;
	abort();
}

static void *be_inside(void *arg)
{
	if (!CU(cuCtxSetCurrent, ctx))
		CU(cuStreamAddCallback, NULL, wait_long, NULL, SYNC_CALLBACK);
	return arg;
}

static void on_fault_abort(int sig)
{
	(void)sig;
	abort();
}

static void on_fault_exit(int sig)
{
	(void)sig;
	_exit(3);
}

static void on_fault_jump(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

static int *volatile nowhere = (int *)0x10;

static void fault(void)
{
	signal(SIGSEGV, SIG_DFL);
	*nowhere = 1;
}

/* Deeper in the stack than main, so that what main calls next shows that it was left. */
static __attribute__((noinline)) void bad_copy(void (*handler)(int))
{
	CUdeviceptr p;

	if (handler)
		signal(SIGSEGV, handler);
	if (!CU(cuMemAlloc_v2, &p, 4096) && !sigsetjmp(back, 1))
		CU(cuMemcpyHtoD_v2, p, (void *)0x10, 4096);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_t thread;

	run.name = "crash";
	run.help = "ends inside a call, in the way that the first argument names";
	run_start(1, argv);
	if (CU(cuCtxGetCurrent, &ctx))
		return 1;
	if (!strcmp(how, "copy"))
		bad_copy(NULL);
	else if (!strcmp(how, "handler"))
		bad_copy(on_fault_abort);
	else if (!strcmp(how, "exits"))
		bad_copy(on_fault_exit);
	else if (!strcmp(how, "recovers"))
		bad_copy(on_fault_jump);
	else if (!strcmp(how, "abort"))
		CU(cuStreamAddCallback, NULL, call_abort, NULL, SYNC_CALLBACK);
	if (!strcmp(how, "thread") || !strcmp(how, "exit")) {
		if (pthread_create(&thread, NULL, be_inside, NULL))
			return 1;
		while (!inside)
			usleep(1000);
	}
	if (!strcmp(how, "exit"))
		exit(0);
	CU(cuCtxGetCurrent, &ctx);
	fault();
	return 1;
}
