/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two contexts in turn: the older one is destroyed first and takes its memory
 * with it, not that of the newer one. A second thread works in the older one.
 */
#include <pthread.h>
#include <stdio.h>
#include "run.h"

static CUcontext first, second;
static CUdeviceptr kept[8];

static CUresult alloc(CUdeviceptr *p, bool dies)
{
	CUresult err = run_alloc(p, run.bytes);

	if (!err && dies)
		truth_dropped(*p);
	return err;
}

static void *worker(void *arg)
{
	CUdeviceptr p;

	(void)arg;
	if (CU(cuCtxSetCurrent, first) || alloc(&p, true) || CU(cuCtxPushCurrent_v2, second) ||
	    alloc(&kept[0], false) || CU(cuCtxPopCurrent_v2, &second) || alloc(&p, true))
		fprintf(stderr, "contexts: a call failed\n");
	return NULL;
}

int main(int argc, char **argv)
{
	CUdeviceptr p;
	pthread_t t;

	run.name = "contexts";
	run.help = "destroys the older of two contexts";
	run.bytes = 1 << 20;
	run_start(argc, argv);
	CU(cuCtxGetCurrent, &first);
	if (alloc(&p, true))
		return run_end(1);
	second = run_context();
	if (pthread_create(&t, NULL, worker, NULL) || pthread_join(t, NULL) ||
	    alloc(&kept[1], false) || CU(cuCtxDestroy_v2, first) || alloc(&kept[2], false))
		return run_end(1);
	for (int i = 0; i < 2; i++)
		run_free(kept[i]);
	return run_end(0);	/* kept[2] is a leak */
}
