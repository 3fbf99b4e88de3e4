// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The programs of known truth in which something fails or ends badly: see truth.c.
 */
#include <sys/wait.h>
#include "threads.h"
#include "truth_steps.h"

static CUcontext shared;	/* of the threads */

/* --- errors ------------------------------------------------------------------------ */

/* The driver is too old for the runtime, and the program does not look. */
static int do_old_driver(void)
{
	uint64_t buf = 0;
	char host[64] = { 0 };
	int n = 0;

	RT(cudaGetDeviceCount, HOST(&n));
	RT(cudaSetDevice, 0);
	RT(cudaMalloc, HOST(&buf), BUF);
	RT(cudaMemcpy, buf, HOST(host), sizeof(host), 1);
	return RT(cudaDeviceSynchronize, 0) ? 1 : 0;
}

/* A copy to no memory of the device, then a kernel on the same address. */
static int do_wrong_pointer(void)
{
	CUdeviceptr wrong = 0x10, buf = 0;
	unsigned int n = 64;
	void *params[] = { &wrong, &wrong, &wrong, &n };
	char host[256] = { 0 };

	start();
	run_alloc(&buf, BUF);
	run_h2d(wrong, host, sizeof(host));
	run_launch(add, 1, 64, NULL, params);
	for (int i = 0; i < 10; i++) {
		CU(cuCtxSynchronize);
		run_h2d(buf, host, sizeof(host));
		launch(nop, NULL);
	}
	return 1;
}

/* XPT_FAKE_FAULT: no launch works. The program does not look and ends well. */
static int do_nobody_looks(void)
{
	CUdeviceptr buf = 0;

	start();
	run_alloc(&buf, BUF);
	for (int i = 0; i < 200; i++)
		launch(nop, NULL);
	CU(cuCtxSynchronize);
	run_free(buf);
	return 0;
}

/* Copies to nowhere, and nobody looks. */
static int do_lost_copies(void)
{
	char host[256] = { 0 };

	start();
	launch(nop, NULL);
	for (int i = 0; i < 20; i++)
		run_h2d(0x10, host, sizeof(host));
	CU(cuCtxSynchronize);
	return 0;
}

/* XPT_FAKE_FAULT: the last copy, that of the result, does not work. */
static int last_copy(void)
{
	CUdeviceptr buf = 0;
	char host[256] = { 0 };

	start();
	run_alloc(&buf, BUF);
	launch(nop, NULL);
	return run_d2h(host, buf, sizeof(host));
}

static int do_last_copy(void)
{
	last_copy();
	return 0;
}

/* It tells the user why, and ends with status 0 all the same. */
static int do_last_copy_told(void)
{
	const char *text;
	int err = last_copy();

	if (err && !CU(cuGetErrorName, err, &text))
		fprintf(stderr, "no result: %s\n", text);
	return 0;
}

/* XPT_FAKE_FAULT: no context is current, which it asks about and forgets. Then launches fail. */
static int do_asked_before(void)
{
	const char *text;
	int device, err;

	start();
	err = OTHER(cuCtxGetDevice, HOST(&device));
	if (err)
		CU(cuGetErrorName, err, &text);
	for (int i = 0; i < 50; i++)
		launch(nop, NULL);
	CU(cuCtxSynchronize);
	return 0;
}

/* XPT_FAKE_FAULT: memory of that kind is not there. Others would take another kind. */
static int do_probe_dies(void)
{
	CUmemHandle handle = 0;
	CUmemProp prop = { .type = 1 };

	start();
	return CU(cuMemCreate, &handle, 2 * MIB, &prop, 0) ? 1 : 0;
}

/* XPT_FAKE_FAULT: no context is current, as it asked; it works with its own, and fails by itself. */
static int do_probe_goes_on(void)
{
	int device = 0;

	start();
	OTHER(cuCtxGetDevice, HOST(&device));
	run_pipeline(10);
	return 1;
}

/* XPT_FAKE_MEM: the runtime has no room; the program says so and ends. */
static int do_runtime_oom(void)
{
	uint64_t buf = 0;

	RT(cudaSetDevice, 0);
	return RT(cudaMalloc, HOST(&buf), 512 * MIB) ? 1 : 0;
}

/* XPT_FAKE_FAULT: one launch in the middle of good ones fails, and its work is missing. */
static int do_one_lost(void)
{
	start();
	for (int i = 0; i < 50; i++)
		launch(nop, NULL);
	CU(cuCtxSynchronize);
	return 0;
}

/* The same, and a status that says nothing of which call it was. */
static int do_one_lost_exit(void)
{
	do_one_lost();
	return 1;
}

static int do_oom(void)
{
	CUdeviceptr some = 0, buf = 0;

	start();
	run_alloc(&some, 16 * MIB);
	launch(nop, NULL);
	CU(cuCtxSynchronize);
	return run_alloc(&buf, 512 * MIB) ? 1 : 0;
}

/* The usual macro around each call: it ends the program at the first error. */
static int do_abort(void)
{
	char host[256] = { 0 };

	start();
	launch(nop, NULL);
	if (run_h2d(0x10, host, sizeof(host)))
		abort();
	return 0;
}

static int do_not_initialized(void)
{
	CUdeviceptr buf;

	run_load();
	return run_alloc(&buf, BUF) ? 1 : 0;
}

static int do_free_twice(void)
{
	CUdeviceptr buf = 0;

	start();
	run_alloc(&buf, BUF);
	launch(nop, NULL);
	CU(cuCtxSynchronize);
	run_free(buf);
	run_free(buf);
	return 0;
}

/* Four workers that all find no device. */
static int do_fork(void)
{
	for (int i = 0; i < 4; i++) {
		if (fork())
			continue;
		run_load();
		exit(run_end(CU(cuInit, 0) ? 1 : 0));
	}
	while (wait(NULL) > 0)
		;
	return 1;
}

/* --- ends -------------------------------------------------------------------------- */

/* The host address is a wrong one: the driver dies inside of the call. */
static int do_crash_inside(void)
{
	CUdeviceptr buf = 0;

	start();
	run_alloc(&buf, BUF);
	CU(cuMemcpyHtoD_v2, buf, (void *)0x10, 4096);
	return 0;
}

static volatile pid_t waiting;	/* the thread that waits in a call, or is about to */

static void wait_for_ever(void *data)
{
	(void)data;
	for (;;)
		pause();
}

static void *wait_thread(void *arg)
{
	(void)arg;
	CU(cuCtxSetCurrent, shared);
	CU(cuLaunchHostFunc, NULL, wait_for_ever, NULL);
	waiting = thread_id();
	CU(cuCtxSynchronize);
	return NULL;
}

/* Code that has nothing to do with CUDA dies while another thread waits for the device. */
static int do_crash_beside(void)
{
	volatile int *nothing = NULL;
	pthread_t thread;

	start();
	CU(cuCtxGetCurrent, &shared);
	pthread_create(&thread, NULL, wait_thread, NULL);
	wait_until_asleep(&waiting);
	return *nothing;
}

/* Both at once: one thread dies inside of a call, the other one waits in its own. */
static int do_crash_two(void)
{
	CUdeviceptr buf = 0;
	pthread_t thread;

	start();
	CU(cuCtxGetCurrent, &shared);
	run_alloc(&buf, BUF);
	pthread_create(&thread, NULL, wait_thread, NULL);
	wait_until_asleep(&waiting);
	CU(cuMemcpy2D_v2, (const CUmemcpy2D *)0x10);
	return 0;
}

/* Who ends this program waits for that line. */
static void say_that_it_waits(void)
{
	puts("waits");
	fflush(stdout);
}

/* A long kernel, and somebody who does not wait for its end. */
static int do_stopped(void)
{
	start();
	launch(nop, NULL);
	CU(cuCtxSynchronize);
	CU(cuLaunchHostFunc, NULL, wait_for_ever, NULL);
	say_that_it_waits();
	CU(cuCtxSynchronize);
	return 0;
}

/* XPT_FAKE_HANG: the third wait does not come back. */
static int do_hang(void)
{
	start();
	for (int i = 0; i < 5; i++) {
		launch(nop, NULL);
		if (i == 2)
			say_that_it_waits();
		CU(cuCtxSynchronize);
	}
	return 0;
}

/* XPT_FAKE_LATENCY: the second call sleeps, and its thread is cancelled in it. */
static void *cancelled_thread(void *arg)
{
	size_t free_bytes, total;

	(void)arg;
	CU(cuCtxSetCurrent, shared);
	CU(cuMemGetInfo_v2, &free_bytes, &total);
	waiting = thread_id();
	CU(cuMemGetInfo_v2, &free_bytes, &total);
	return NULL;
}

static int do_cancel(void)
{
	pthread_t thread;

	start();
	CU(cuCtxGetCurrent, &shared);
	pthread_create(&thread, NULL, cancelled_thread, NULL);
	wait_until_asleep(&waiting);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	truth_unreturned();
	return run_pipeline(10);
}

static const struct program programs[] = {
	{ "old_driver", do_old_driver }, { "wrong_pointer", do_wrong_pointer },
	{ "nobody_looks", do_nobody_looks }, { "oom", do_oom },
	{ "fork", do_fork }, { "crash_inside", do_crash_inside },
	{ "crash_beside", do_crash_beside }, { "hang", do_hang },
	{ "cancel", do_cancel }, { "abort", do_abort },
	{ "not_initialized", do_not_initialized }, { "free_twice", do_free_twice },
	{ "stopped", do_stopped }, { "crash_two", do_crash_two },
	{ "lost_copies", do_lost_copies }, { "runtime_oom", do_runtime_oom },
	{ "one_lost", do_one_lost }, { "one_lost_exit", do_one_lost_exit },
	{ "no_device", do_runtime_oom }, { "last_copy", do_last_copy },
	{ "last_copy_told", do_last_copy_told }, { "asked_before", do_asked_before },
	{ "probe_dies", do_probe_dies }, { "probe_goes_on", do_probe_goes_on },
};

int main(int argc, char **argv)
{
	return run_program(programs, sizeof(programs) / sizeof(*programs), argc, argv);
}
