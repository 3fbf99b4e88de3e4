/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory in pieces: fills the device with blocks, frees every
 * second one, and asks for a block of half of what is free then. It fails,
 * though enough is free. With --async neighbours are freed in place of every
 * second block, and it works; with --oom more is asked for than is free.
 */
#include <stdio.h>
#include <stdlib.h>
#include "run.h"

int main(int argc, char **argv)
{
	size_t free_bytes = 0, total = 0, step;
	CUdeviceptr *block, big;
	uint64_t n = 0;
	CUresult err;

	run.name = "fragment";
	run.help = "frees every second block, then wants a large one; --async, --oom: see above";
	run.bytes = 64 << 20;
	run_start(argc, argv);
	if (CU(cuMemGetInfo_v2, &free_bytes, &total) || run.bytes > free_bytes)
		return run_end(1);
	block = calloc(free_bytes / run.bytes, sizeof(*block));
	if (!block)
		return 1;
	while (n < free_bytes / run.bytes && !run_alloc(&block[n], run.bytes))
		n++;
	step = run.async ? 1 : 2;
	for (uint64_t i = 0; i < (run.async ? n / 2 : n); i += step)
		run_free(block[i]);
	if (CU(cuMemGetInfo_v2, &free_bytes, &total))
		return run_end(1);
	err = run_alloc(&big, run.oom ? free_bytes + run.bytes : free_bytes / 2);
	fprintf(stderr, "fragment: %zu MiB free, the large block: CUDA error %d\n",
		free_bytes >> 20, err);
	if (!err)
		run_free(big);
	for (uint64_t i = 0; i < n; i++)
		if (run.async ? i >= n / 2 : i % 2)
			run_free(block[i]);
	free(block);
	return run_end(0);
}
