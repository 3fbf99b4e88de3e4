/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls that are left by longjmp: a callback that the driver runs inside
 * cuStreamAddCallback on the caller's thread (a flag of the simulated driver)
 * jumps out, so the call never returns. In between ordinary calls, which a
 * tracer must not mix up with the abandoned ones.
 */
#include <setjmp.h>
#include <stdio.h>
#include "run.h"

#define SYNC_CALLBACK 0x58505446u

static jmp_buf env;

static void jump(CUstream stream, CUresult status, void *data)
{
	(void)stream, (void)status, (void)data;
	longjmp(env, 1);
}

static void stay(CUstream stream, CUresult status, void *data)
{
	(void)stream, (void)status, (void)data;
}

int main(int argc, char **argv)
{
	volatile uint64_t i;
	CUdeviceptr p;

	run.name = "longjmp";
	run.help = "leaves calls by longjmp (simulated driver only)";
	run.iterations = 50;
	run.bytes = 4096;
	run_start(argc, argv);
	for (i = 0; i < run.iterations; i++) {
		if (!setjmp(env)) {
			CU(cuStreamAddCallback, NULL, jump, NULL, SYNC_CALLBACK);
			fprintf(stderr, "longjmp: the call came back\n");
			return run_end(1);
		}
		truth_unreturned();
		if (CU(cuStreamAddCallback, NULL, stay, NULL, SYNC_CALLBACK) || run_alloc(&p, run.bytes) ||
		    run_free(p))
			return run_end(1);
	}
	return run_end(0);
}
