/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fork in the middle of a call: a callback that the driver runs inside
 * cuStreamAddCallback on the caller's thread (a flag of the simulated driver)
 * forks. The call began once and returns twice, in the parent and in the child,
 * which never entered it. The child writes a truth line without that call.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "run.h"

#define SYNC_CALLBACK 0x58505446u

static pid_t child;

static void split(CUstream stream, CUresult status, void *data)
{
	(void)stream, (void)status, (void)data;
	child = fork();
	if (!child)
		truth_forget();
}

int main(int argc, char **argv)
{
	CUdeviceptr p;
	int status;

	run.name = "fork_in_call";
	run.help = "forks inside a call (simulated driver only)";
	run.iterations = 10;
	run.bytes = 4096;
	run_start(argc, argv);
	for (uint64_t i = 0; i < run.iterations; i++) {
		if (CU(cuStreamAddCallback, NULL, split, NULL, SYNC_CALLBACK))
			return run_end(1);
		if (!child) {	/* initialized in the parent only: this call fails */
			run_alloc(&p, run.bytes);
			_exit(run_end(0));
		}
		if (child < 0 || waitpid(child, &status, 0) != child || status)
			return run_end(1);
		if (run_alloc(&p, run.bytes) || run_free(p))
			return run_end(1);
	}
	return run_end(0);
}
