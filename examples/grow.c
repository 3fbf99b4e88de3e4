/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A service whose memory grows: each request uses a scratch buffer and keeps a
 * small result for ever. With --async it keeps the last 32 results only, as a
 * cache should: memory goes up, and stays where it is.
 */
#include <stdio.h>
#include <unistd.h>
#include "run.h"

#define KEPT 65536	/* bytes */
#define CACHE 32	/* results */

static CUdeviceptr cache[CACHE];

static CUresult request(CUfunction fn, uint64_t i)
{
	CUdeviceptr scratch, result;
	CUresult err;

	err = run_alloc(&scratch, run.bytes);
	if (!err)
		err = run_launch(fn, 1, 32, NULL, NULL);
	if (!err)
		err = CU(cuCtxSynchronize);
	if (!err)
		err = run_alloc(&result, KEPT);
	if (!err && run.async && cache[i % CACHE])
		err = run_free(cache[i % CACHE]);
	cache[i % CACHE] = result;
	return err ? err : run_free(scratch);
}

int main(int argc, char **argv)
{
	size_t free_bytes, total;
	CUresult err = CU_OK;
	CUmodule module;
	CUfunction fn;

	run.name = "grow";
	run.help = "keeps a little of what each round allocates; --async: the last 32 only";
	run.iterations = 400;
	run.bytes = 4 << 20;
	run.delay_ms = 1;
	run_start(argc, argv);
	fn = run_kernel(&module, "xpt_nop");
	CU(cuMemGetInfo_v2, &free_bytes, &total);
	for (uint64_t i = 0; !err && i < run.iterations && run_in_time(); i++) {
		err = request(fn, i);
		usleep((useconds_t)run.delay_ms * 1000);
	}
	if (err)
		fprintf(stderr, "grow: CUDA error %d\n", err);
	return run_end(err ? 1 : 0);
}
