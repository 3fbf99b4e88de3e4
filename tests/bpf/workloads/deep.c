/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls inside calls, --launches deep: a callback that the driver runs inside
 * cuStreamAddCallback on the caller's thread (a flag of the simulated driver)
 * makes the same call again. A tracer that follows only so many levels must
 * say how many calls it left out, and get the others right.
 */
#include <stdio.h>
#include "run.h"

#define SYNC_CALLBACK 0x58505446u

static uint64_t level;

static void deeper(CUstream stream, CUresult status, void *data)
{
	(void)status;
	if (++level < run.launches)
		*(int *)data |= CU(cuStreamAddCallback, stream, deeper, data, SYNC_CALLBACK);
}

int main(int argc, char **argv)
{
	CUdeviceptr p;
	int bad = 0;

	run.name = "deep";
	run.help = "calls nested --launches deep (simulated driver only)";
	run.iterations = 10;
	run.launches = 20;
	run.bytes = 4096;
	run_start(argc, argv);
	for (uint64_t i = 0; !bad && i < run.iterations; i++) {
		level = 0;
		bad = CU(cuStreamAddCallback, NULL, deeper, &bad, SYNC_CALLBACK);
		bad |= run_alloc(&p, run.bytes) || run_free(p);
	}
	return run_end(bad);
}
