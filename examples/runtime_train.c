/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The training loop through the runtime API: what a framework does, calls of
 * libcudart that make calls of libcuda. The truth counts the runtime calls of
 * this program; those that the runtime makes are not its own. --library names
 * the runtime (default libcudart.so.12, then .13); --async uses a stream. Built
 * with STATIC_RUNTIME it has the runtime linked in, as programs made by nvcc have.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run.h"
#include "truth.h"

#define INPUT (1u << 20)
#define LEAK_BYTES (256u << 10)

struct dim3 { unsigned int x, y, z; };

#define RUNTIME(X)                                                                             \
	X(cudaGetDeviceCount, (int *n))                                                        \
	X(cudaSetDevice, (int dev))                                                            \
	X(cudaMalloc, (void **ptr, size_t bytes))                                              \
	X(cudaFree, (void *ptr))                                                               \
	X(cudaMallocAsync, (void **ptr, size_t bytes, CUstream stream))                        \
	X(cudaFreeAsync, (void *ptr, CUstream stream))                                         \
	X(cudaMallocHost, (void **ptr, size_t bytes))                                          \
	X(cudaFreeHost, (void *ptr))                                                           \
	X(cudaMemcpy, (void *dst, const void *src, size_t bytes, int kind))                    \
	X(cudaMemcpyAsync, (void *dst, const void *src, size_t bytes, int kind, CUstream stream)) \
	X(cudaMemset, (void *dst, int value, size_t bytes))                                    \
	X(cudaStreamCreate, (CUstream *stream))                                                \
	X(cudaStreamSynchronize, (CUstream stream))                                            \
	X(cudaStreamDestroy, (CUstream stream))                                                \
	X(cudaDeviceSynchronize, (void))                                                       \
	X(cudaGetLastError, (void))                                                            \
	X(cudaLaunchKernel, (const void *fn, struct dim3 grid, struct dim3 block, void **params, size_t shmem, \
			     CUstream stream))                                                 \
	X(cudaLibraryLoadData, (CUlibrary *library, const void *code, int *jit, void **jit_values,      \
				unsigned int nr_jit, int *options, void **values, unsigned int nr))     \
	X(cudaLibraryGetKernel, (CUkernel *kernel, CUlibrary library, const char *name))

struct runtime {
#define X(name, args) int (*name) args;
	RUNTIME(X)
#undef X
};

#ifdef STATIC_RUNTIME
#define X(name, args) extern int name args;
RUNTIME(X)
#undef X
#define X(name, args) .name = name,
static struct runtime rt = { RUNTIME(X) };
#undef X
/* Where nvcc puts device code. */
static const char fatbin[16] __attribute__((section(".nv_fatbin"), used)) = "none";

/* Not the runtime's, though one is called like its functions, and the end of the other's
 * name is one of them: a linker then stores that only once. */
__attribute__((noinline)) int cudaFoo(int n);
__attribute__((noinline)) int own_cudaMalloc(int n);

__attribute__((noinline)) int own_cudaMalloc(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

__attribute__((noinline)) int cudaFoo(int n)
{
	return own_cudaMalloc(n);
}
#else
static struct runtime rt;

static const char *const names[] = {
#define X(name, args) #name,
	RUNTIME(X)
#undef X
};
#endif

/* Counts before and after, as CU() does for the driver. */
#define RT(name, ...) (truth_call(#name), done(#name, rt.name(__VA_ARGS__)))

static CUkernel kernel;
static CUstream stream;
static void *host;

static int done(const char *name, int err)
{
	truth_result(name, err);
	return err;
}

#ifdef STATIC_RUNTIME
static int load(void)
{
	return cudaFoo(0);
}
#else
static int load(void)
{
	const char *const tries[] = { run.library, "libcudart.so.12", "libcudart.so.13" };
	struct link_map *map = NULL;
	void *lib = NULL, *fn;

	for (size_t i = strcmp(run.library, "libcuda.so.1") ? 0 : 1; !lib && i < 3; i++)
		lib = dlopen(tries[i], RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		fprintf(stderr, "runtime_train: no CUDA runtime library: %s\n", dlerror());
		return 3;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		fn = dlsym(lib, names[i]);
		memcpy((char *)&rt + i * sizeof(void *), &fn, sizeof(fn));
		if (!fn)
			fprintf(stderr, "runtime_train: no %s: no launches\n", names[i]);
	}
	dlinfo(lib, RTLD_DI_LINKMAP, &map);
	fprintf(stderr, "runtime_train: runtime library %s\n", map->l_name);
	truth_library(map->l_name);
	return 0;
}
#endif

static int work(void *buf)
{
	struct dim3 grid = { 16, 1, 1 }, block = { 64, 1, 1 };
	int err = 0;

	if (run.async)
		err = RT(cudaMemcpyAsync, buf, host, INPUT, 1, stream);
	else
		err = RT(cudaMemcpy, buf, host, INPUT, 1);
	if (!err)
		truth_copied(RUN_H2D, INPUT);
	for (uint64_t i = 0; !err && kernel && i < run.launches; i++) {
		err = RT(cudaLaunchKernel, kernel, grid, block, NULL, 0, stream);
		if (!err)
			truth_launched();
	}
	if (!err)
		err = run.async ? RT(cudaStreamSynchronize, stream) : RT(cudaDeviceSynchronize);
	if (!err)
		err = RT(cudaMemcpy, host, buf, INPUT / 4, 2);
	if (!err)
		truth_copied(RUN_D2H, INPUT / 4);
	return err;
}

static int batch(uint64_t i)
{
	void *buf, *forgotten;
	int err;

	err = run.async ? RT(cudaMallocAsync, &buf, run.bytes, stream) : RT(cudaMalloc, &buf, run.bytes);
	if (err)
		return err;
	truth_opened(run.async ? "cudaMallocAsync" : "cudaMalloc", (uintptr_t)buf, run.bytes);
	err = work(buf);
	if (!err && run.leak && i % 8 == 0) {
		err = RT(cudaMalloc, &forgotten, LEAK_BYTES);
		if (!err)
			truth_opened("cudaMalloc", (uintptr_t)forgotten, LEAK_BYTES);
	}
	if (!err)
		err = run.async ? RT(cudaFreeAsync, buf, stream) : RT(cudaFree, buf);
	if (!err)
		truth_closed((uintptr_t)buf);
	return err;
}

int main(int argc, char **argv)
{
	CUlibrary library;
	int n = 0, err;

	run.name = "runtime_train";
	run.help = "the training loop through libcudart (--library: of the runtime)";
	run.iterations = 50;
	run.bytes = 256 << 20;
	run.launches = 4;
	run_args(argc, argv);
	if (run.bytes < INPUT)
		run.bytes = INPUT;
	err = load();
	if (err)
		return err;
	err = RT(cudaGetDeviceCount, &n);
	if (!err)
		err = RT(cudaSetDevice, 0);
	if (!err && rt.cudaLibraryLoadData && rt.cudaLibraryGetKernel) {
		err = RT(cudaLibraryLoadData, &library, run_ptx, NULL, NULL, 0, NULL, NULL, 0);
		if (!err)
			err = RT(cudaLibraryGetKernel, &kernel, library, "xpt_nop");
	}
	if (!err)
		err = RT(cudaMallocHost, &host, INPUT);
	if (!err)
		truth_opened("cudaMallocHost", (uintptr_t)host, INPUT);
	if (!err && run.async)
		err = RT(cudaStreamCreate, &stream);
	for (uint64_t i = 0; !err && i < run.iterations && run_in_time(); i++)
		err = batch(i);
	if (!err && run.async)
		err = RT(cudaStreamDestroy, stream);
	if (host && !RT(cudaFreeHost, host))
		truth_closed((uintptr_t)host);
	if (err)
		fprintf(stderr, "runtime_train: CUDA error %d\n", err);
	return run_end(err ? 1 : 0);
}
