/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls whose stacks are known: static functions, one with a C++ name, a thread,
 * children made by fork, a recursion that is deeper than any tracer records, all
 * built with frame pointers (mk/fake.inc.mk). Each place allocates a size of its
 * own, by which a test finds its calls.
 *
 *   main > train::Trainer::step(int) > allocate       4096    --iterations times
 *   worker > allocate                                 8192    in a thread
 *   main > in_child > allocate                       12288    in --threads children
 *   main > deep > deep > ... > allocate              16384    200 times deep
 *
 * With --leak the memory of step() is not freed. It ends at once after its last call.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include "run.h"

#if __has_attribute(noipa)
#define PLAIN __attribute__((noipa))	/* no copies under other names */
#else
#define PLAIN __attribute__((noinline))
#endif

static int done;	/* written behind each call, so that none is a jump */

static CUcontext ctx;

static PLAIN CUresult allocate(uint64_t bytes, bool release)
{
	CUdeviceptr p;
	CUresult err = CU(cuMemAlloc_v2, &p, bytes);

	if (!err && release)
		err = CU(cuMemFree_v2, p);
	else if (!err)
		truth_opened("cuMemAlloc_v2", p, bytes);
	done++;
	return err;
}

static CUresult step(int i) __asm__("_ZN5train7Trainer4stepEi") PLAIN;
static CUresult step(int i)
{
	CUresult err = allocate(4096, !run.leak);

	done += i;
	return err;
}

static PLAIN void *worker(void *arg)
{
	CUresult err = CU(cuCtxSetCurrent, ctx);

	if (!err)
		err = allocate(8192, true);
	done++;
	return err ? arg : NULL;
}

static PLAIN CUresult in_child(void)
{
	CUresult err;

	truth_forget();
	CU(cuInit, 0);
	run_context();
	err = allocate(12288, true);
	done++;
	return err;
}

static PLAIN CUresult deep(int n)
{
	CUresult err = n ? deep(n - 1) : allocate(16384, true);

	done++;
	return err;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	void *failed;
	int status;

	run.name = "stacks";
	run.help = "calls with known stacks";
	run.iterations = 1;
	run.threads = 3;
	run_args(argc, argv);
	run_load();
	for (uint64_t i = 0; i < run.threads; i++) {
		pid_t child = fork();

		if (!child)
			_exit(in_child() || run_end(0));
		if (child < 0 || waitpid(child, &status, 0) != child || status)
			return 1;
	}
	CU(cuInit, 0);
	ctx = run_context();
	if (pthread_create(&thread, NULL, worker, &done) || pthread_join(thread, &failed) || failed)
		return 1;
	if (deep(200))
		return 1;
	for (uint64_t i = 0; i < run.iterations; i++)
		if (step((int)i))
			return 1;
	return run_end(0);
}
