/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Errors: a few answers that are no failures (an event that is not ready), then
 * a kernel with a wrong address. The call after it fails first, with
 * CUDA_ERROR_ILLEGAL_ADDRESS, and from then on every call of the process does:
 * the sticky errors that hide the first one. With --oom one allocation is too
 * big as well, before all that.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "run.h"

/* Work of 20 ms on the stream, so that the event behind it is not ready yet. */
static void slow(void *data)
{
	(void)data;
	usleep(20000);
}

static void not_ready(void)
{
	CUevent event;
	CUstream stream;

	if (CU(cuStreamCreate, &stream, 1) || CU(cuEventCreate, &event, 0))
		return;
	CU(cuLaunchHostFunc, stream, slow, NULL);
	CU(cuEventRecord, event, stream);
	CU(cuEventQuery, event);
	CU(cuStreamSynchronize, stream);
	CU(cuEventQuery, event);
	CU(cuEventDestroy_v2, event);
	CU(cuStreamDestroy_v2, stream);
}

int main(int argc, char **argv)
{
	CUdeviceptr buf, wrong = 0x10, p;
	unsigned int n = 256;
	float host[256];
	CUfunction add;
	CUmodule module;
	void *params[] = { &wrong, &buf, &buf, &n };

	run.name = "error";
	run.help = "one kernel with a wrong address, then sticky errors; --oom: an allocation too big";
	run.iterations = 10;
	run.bytes = 1ull << 50;
	run_start(argc, argv);
	memset(host, 0, sizeof(host));
	not_ready();
	if (run.oom)
		run_alloc(&p, run.bytes);
	add = run_kernel(&module, "xpt_add");
	if (run_alloc(&buf, sizeof(host)) || run_h2d(buf, host, sizeof(host)) ||
	    run_launch(add, 1, 256, NULL, params))
		return run_end(1);
	if (!CU(cuCtxSynchronize)) {
		fprintf(stderr, "error: the wrong address went unnoticed\n");
		return run_end(1);
	}
	for (uint64_t i = 0; i < run.iterations; i++) {
		run_alloc(&p, 4096);
		run_h2d(buf, host, sizeof(host));
		run_launch(add, 1, 256, NULL, params);
		CU(cuCtxSynchronize);
	}
	return run_end(0);
}
