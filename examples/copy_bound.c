/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program that mostly copies: to the device, on the device and back, from
 * pageable memory, synchronously or (--async) on a stream with pinned memory.
 * What comes back is compared with what went out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run.h"

static CUdeviceptr a, b;
static unsigned char *out, *in;
static CUstream stream;

static CUresult copies(void)
{
	CUresult err;

	if (!run.async) {
		err = run_h2d(a, out, run.bytes);
		if (!err)
			err = run_d2d(b, a, run.bytes);
		return err ? err : run_d2h(in, b, run.bytes);
	}
	err = CU(cuMemcpyHtoDAsync_v2, a, out, run.bytes, stream);
	if (!err)
		truth_copied(RUN_H2D, run.bytes);
	if (!err)
		err = CU(cuMemcpyDtoDAsync_v2, b, a, run.bytes, stream);
	if (!err)
		truth_copied(RUN_D2D, run.bytes);
	if (!err)
		err = CU(cuMemcpyDtoHAsync_v2, in, b, run.bytes, stream);
	if (!err)
		truth_copied(RUN_D2H, run.bytes);
	return err ? err : CU(cuStreamSynchronize, stream);
}

static CUresult host_buffer(unsigned char **ret_p)
{
	void *p;
	CUresult err;

	if (!run.async) {
		*ret_p = calloc(1, run.bytes);
		return *ret_p ? CU_OK : CU_OUT_OF_MEMORY;
	}
	err = CU(cuMemHostAlloc, &p, run.bytes, 0);
	if (err)
		return err;
	truth_opened("cuMemHostAlloc", (uintptr_t)p, run.bytes);
	*ret_p = p;
	return CU_OK;
}

static void host_free(unsigned char *p)
{
	if (!run.async) {
		free(p);
		return;
	}
	if (!CU(cuMemFreeHost, p))
		truth_closed((uintptr_t)p);
}

int main(int argc, char **argv)
{
	CUresult err;

	run.name = "copy_bound";
	run.help = "copies there, across and back; --async: pinned, on a stream";
	run.iterations = 50;
	run.bytes = 8 << 20;
	run_start(argc, argv);
	if (host_buffer(&out) || host_buffer(&in) || CU(cuStreamCreate, &stream, 1) ||
	    run_alloc(&a, run.bytes) || run_alloc(&b, run.bytes))
		return run_end(1);
	err = CU_OK;
	for (uint64_t i = 0; !err && i < run.iterations && run_in_time(); i++) {
		memset(out, (int)(i + 1), run.bytes);
		err = copies();
		if (!err && memcmp(in, out, run.bytes)) {
			fprintf(stderr, "copy_bound: wrong bytes came back\n");
			return run_end(1);
		}
	}
	run_free(a);
	run_free(b);
	CU(cuStreamDestroy_v2, stream);
	host_free(out);
	host_free(in);
	if (err)
		fprintf(stderr, "copy_bound: CUDA error %d\n", err);
	return run_end(err ? 1 : 0);
}
