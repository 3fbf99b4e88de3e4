/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A training loop as it is often written first: every batch allocates a big
 * buffer, fills part of it, launches kernels, reads a result back and frees the
 * buffer again. That is allocation churn; with --leak every eighth batch also
 * forgets a small buffer. The sum that the kernel computes is checked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "run.h"

#define VECTOR 65536u		/* floats that each batch adds */
#define INPUT (4u << 20)	/* bytes copied to the device per batch */
#define LEAK_BYTES (1u << 20)
#define LEAK_EVERY 8

struct batch {
	CUfunction add, nop;
	float *host;		/* INPUT bytes */
	float *result;		/* VECTOR floats */
};

static CUresult compute(struct batch *b, CUdeviceptr buf)
{
	CUdeviceptr a = buf, v = buf + VECTOR * sizeof(float), c = v + VECTOR * sizeof(float);
	unsigned int n = VECTOR;
	void *params[] = { &c, &a, &v, &n };
	CUresult err;

	err = run_launch(b->add, VECTOR / 256, 256, NULL, params);
	for (uint64_t i = 1; !err && i < run.launches; i++)
		err = run_launch(b->nop, 64, 128, NULL, NULL);
	if (!err)
		err = CU(cuCtxSynchronize);
	if (!err)
		err = run_d2h(b->result, c, VECTOR * sizeof(float));
	for (unsigned int i = 0; !err && i < VECTOR; i++) {
		if (b->result[i] != b->host[i] + b->host[VECTOR + i]) {
			fprintf(stderr, "train: wrong sum at %u\n", i);
			exit(run_end(1));
		}
	}
	return err;
}

static CUresult batch(struct batch *b, uint64_t i)
{
	CUdeviceptr buf, forgotten;
	CUresult err;

	for (unsigned int k = 0; k < 2 * VECTOR; k += 1024)
		b->host[k] = (float)(i + k);
	err = run_alloc(&buf, run.bytes);
	if (err)
		return err;
	err = run_h2d(buf, b->host, INPUT);
	if (!err)
		err = compute(b, buf);
	if (!err && run.leak && i % LEAK_EVERY == 0)
		err = run_alloc(&forgotten, LEAK_BYTES);
	if (!err)
		err = run_free(buf);
	return err;
}

int main(int argc, char **argv)
{
	struct batch b = { 0 };
	CUmodule module;
	CUresult err = CU_OK;

	run.name = "train";
	run.help = "training loop that allocates and frees a big buffer in each batch";
	run.iterations = 100;
	run.bytes = 1ull << 30;
	run.launches = 8;
	run_start(argc, argv);
	if (run.bytes < INPUT)
		run.bytes = INPUT;
	usleep((useconds_t)run.delay_ms * 1000);
	b.add = run_kernel(&module, "xpt_add");
	err = CU(cuModuleGetFunction, &b.nop, module, "xpt_nop");
	b.host = calloc(1, INPUT);
	b.result = calloc(VECTOR, sizeof(float));
	if (!b.host || !b.result)
		return 1;
	for (uint64_t i = 0; !err && i < run.iterations && run_in_time(); i++)
		err = batch(&b, i);
	if (err)
		fprintf(stderr, "train: CUDA error %d\n", err);
	free(b.host);
	free(b.result);
	return run_end(err ? 1 : 0);
}
