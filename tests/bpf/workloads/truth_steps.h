/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the programs of truth.c and truth_fails.c share: calls that are not in the
 * table of the examples, the start, a pipeline, and main() for a list of programs.
 */
#ifndef TRUTH_STEPS_H
#define TRUTH_STEPS_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "run.h"
#include "truth.h"

#define KIB 1024ul
#define MIB (KIB * KIB)
#define BUF (64 * KIB)
#define HOST(p) ((uint64_t)(uintptr_t)(p))

typedef int (*symbol)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

static CUfunction add, nop;

/* A function that the table of the examples does not have. */
static inline symbol find_symbol(const char *library, const char *name)
{
	void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL), *fn = lib ? dlsym(lib, name) : NULL;
	symbol ret;

	if (!fn) {
		fprintf(stderr, "truth: no %s in %s\n", name, library);
		exit(3);
	}
	memcpy(&ret, &fn, sizeof(ret));
	return ret;
}

static inline int call_other(const char *library, const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
		      uint64_t e, uint64_t f)
{
	int err;

	truth_call(name);
	err = find_symbol(library, name)(a, b, c, d, e, f);
	truth_result(name, err);
	return err;
}

#define OTHER5(name, a, b, c, d, e, ...) call_other("libcuda.so.1", #name, a, b, c, d, e, 0)
#define OTHER(name, ...) OTHER5(name, __VA_ARGS__, 0, 0, 0, 0, 0)
#define RT6(name, a, b, c, d, e, f, ...) call_other("libcudart.so.12", #name, a, b, c, d, e, f)
#define RT(name, ...) RT6(name, __VA_ARGS__, 0, 0, 0, 0, 0, 0)

static inline void start(void)
{
	static CUmodule module;

	run_load();
	if (CU(cuInit, 0))
		exit(run_end(1));
	run_context();
	add = run_kernel(&module, "xpt_add");
	CU(cuModuleGetFunction, &nop, module, "xpt_nop");
}

static inline void *get_pinned(size_t bytes)
{
	void *p = NULL;

	if (!CU(cuMemHostAlloc, &p, bytes, 0))
		truth_opened("cuMemHostAlloc", HOST(p), bytes);
	return p;
}

static inline void put_pinned(void *p)
{
	if (!CU(cuMemFreeHost, p))
		truth_closed(HOST(p));
}

static inline int launch(CUfunction fn, CUstream stream)
{
	return run_launch(fn, 4, 64, stream, NULL);
}

static inline void copy_in(CUdeviceptr dst, const void *src, CUstream stream)
{
	if (!CU(cuMemcpyHtoDAsync_v2, dst, src, BUF, stream))
		truth_copied(RUN_H2D, BUF);
}

static inline void copy_out(void *dst, CUdeviceptr src, CUstream stream)
{
	if (!CU(cuMemcpyDtoHAsync_v2, dst, src, BUF, stream))
		truth_copied(RUN_D2H, BUF);
}

/* Input, three kernels, output, one wait: on pinned memory and a stream of its own. */
static inline int run_pipeline(unsigned int rounds)
{
	void *in = get_pinned(BUF), *out = get_pinned(BUF);
	CUdeviceptr buf = 0;
	CUstream stream;

	CU(cuStreamCreate, &stream, 1);
	run_alloc(&buf, BUF);
	for (unsigned int i = 0; i < rounds; i++) {
		copy_in(buf, in, stream);
		for (int k = 0; k < 3; k++)
			launch(nop, stream);
		copy_out(out, buf, stream);
		CU(cuStreamSynchronize, stream);
	}
	run_free(buf);
	CU(cuStreamDestroy_v2, stream);
	put_pinned(in);
	put_pinned(out);
	return 0;
}

struct program { const char *name; int (*run)(void); };

static inline int run_program(const struct program *programs, size_t n, int argc, char **argv)
{
	run.name = "truth";
	for (size_t i = 0; argc == 2 && i < n; i++)
		if (!strcmp(argv[1], programs[i].name))
			return run_end(programs[i].run());
	fprintf(stderr, "truth: which program? One argument: a name of the table at the end of the source\n");
	return 2;
}

#endif
