/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls of a driver that has shut down: its exports then answer
 * CUDA_ERROR_DEINITIALIZED from their own stub, without going on to the
 * implementation. The library sets its flag when it ends; this program finds
 * the flag in the stub, `cmpl $0x321cba00,flag(%rip)`, sets it, calls, and
 * clears it again, --iterations times.
 */
#include <stdio.h>
#include <string.h>
#include "run.h"

#define MAGIC 0x321cba00u

/* The flag of the stub at code, or NULL if it is none. */
static volatile uint32_t *flag_of(const unsigned char *code)
{
	uint32_t magic;
	int32_t rel;

	memcpy(&rel, code + 2, sizeof(rel));
	memcpy(&magic, code + 6, sizeof(magic));
	/* int3: a breakpoint of a tracer lies on the first byte. */
	if ((code[0] != 0x81 && code[0] != 0xcc) || code[1] != 0x3d || magic != MAGIC)
		return NULL;
	return (volatile uint32_t *)(uintptr_t)(code + 10 + rel);	/* relative to the next instruction */
}

int main(int argc, char **argv)
{
	volatile uint32_t *flag;
	CUdeviceptr p;
	int bad = 0;

	run.name = "shutdown";
	run.help = "calls of a driver that has shut down";
	run.iterations = 20;
	run.bytes = 4096;
	run_args(argc, argv);
	run_load();
	flag = flag_of((const unsigned char *)(uintptr_t)cu.cuInit);
	if (!flag) {
		fprintf(stderr, "shutdown: cuInit is no stub\n");
		return run_end(1);
	}
	bad = CU(cuInit, 0);
	run_context();
	for (uint64_t i = 0; !bad && i < run.iterations; i++) {
		bad = run_alloc(&p, run.bytes);
		*flag = MAGIC;
		if (CU(cuMemFree_v2, p) != 4 || CU(cuCtxSynchronize) != 4)
			bad = 1;
		*flag = 0;
		bad = bad || run_free(p);
	}
	return run_end(bad);
}
