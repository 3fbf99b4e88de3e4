/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes: one parent that forks before it touches the driver. Each child
 * (--threads of them) initializes it for itself, works, and writes a truth line
 * of its own. The parent does the same after the children were started; with
 * --leak it forks once more when it is initialized, and that child's calls fail
 * with CUDA_ERROR_NOT_INITIALIZED, because a driver's state does not survive.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "run.h"

static int work(uint64_t extra)
{
	CUresult err = CU(cuInit, 0);
	CUdeviceptr p;

	if (err)
		return 1;
	run_context();
	for (uint64_t i = 0; !err && i < run.iterations + extra; i++) {
		err = run_alloc(&p, run.bytes);
		if (!err)
			err = run_free(p);
	}
	return err ? 1 : 0;
}

static int wait_all(uint64_t n)
{
	int status, bad = 0;

	while (n--)
		if (wait(&status) < 0 || status)
			bad = 1;
	return bad;
}

/* In a child of an initialized parent: every call must say so. */
static int orphan(void)
{
	CUdeviceptr p;
	int bad = 0;

	truth_forget();
	for (uint64_t i = 0; i < run.iterations; i++)
		bad |= run_alloc(&p, run.bytes) != CU_NOT_INITIALIZED;
	return bad;
}

int main(int argc, char **argv)
{
	int bad;

	run.name = "fork";
	run.help = "children that each initialize the driver; --leak: and one that cannot";
	run.iterations = 20;
	run.threads = 3;
	run.bytes = 1 << 20;
	run_args(argc, argv);
	run_load();
	for (uint64_t i = 0; i < run.threads; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (!pid) {
			bad = work(i + 1);
			_exit(run_end(bad));
		}
	}
	bad = work(0);
	bad |= wait_all(run.threads);
	if (run.leak) {
		pid_t pid = fork();

		if (!pid)
			_exit(run_end(orphan()));
		bad |= wait_all(1);
	}
	return run_end(bad);
}
