/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A small simulated libcudart.so.12: the runtime functions that programs use
 * most, on top of whatever libcuda.so.1 the loader finds.
 *
 * It goes through the door that the real one takes: dlopen libcuda.so.1, one
 * dlsym of cuGetProcAddress_v2, then versioned requests, and per-thread stream
 * variants (flags 2) for the _ptsz and _ptds functions. So one runtime call
 * makes one or more nested driver calls at exported functions.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cudart.h"

struct cudart_driver cudart_drv;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int load_error;
static __thread int last_error;
static __thread int device;
static __thread bool has_context;

static void load(void)
{
	CUresult (*get)(const char *, void **, int, uint64_t, int *) = NULL;
	void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *fn;

	load_error = CUDART_NO_DRIVER;
	fn = lib ? dlsym(lib, "cuGetProcAddress_v2") : NULL;
	if (!fn)
		return;
	memcpy(&get, &fn, sizeof(get));
#define X(field, name, version, flags, args)                        \
	if (get(#name, &fn, version, flags, NULL))                  \
		return;                                             \
	memcpy(&cudart_drv.field, &fn, sizeof(cudart_drv.field));
	CUDART_DRIVER(X)
#undef X
	load_error = cudart_drv.init(0);
}

int cudart_fail(int err)
{
	if (err && err != CU_NOT_READY)
		last_error = err;
	return err;
}

int cudart_enter(void)
{
	CUcontext ctx;
	int err;

	pthread_once(&once, load);
	if (load_error || has_context)
		return load_error;
	err = cudart_drv.retain(&ctx, device);
	if (!err)
		err = cudart_drv.set_current(ctx);
	has_context = !err;
	return err;
}

/* --- devices and errors -------------------------------------------------------- */

CUDART(cudaGetDeviceCount, int *count)
{
	pthread_once(&once, load);
	return cudart_fail(load_error ? load_error : cudart_drv.device_count(count));
}

CUDART(cudaSetDevice, int dev)
{
	int n = 0, err;

	pthread_once(&once, load);
	err = load_error ? load_error : cudart_drv.device_count(&n);
	if (err)
		return cudart_fail(err);
	if (dev < 0 || dev >= n)
		return cudart_fail(CU_INVALID_DEVICE);
	if (dev != device)
		has_context = false;
	device = dev;
	return cudart_fail(cudart_enter());
}

CUDART(cudaGetDevice, int *dev)
{
	*dev = device;
	return 0;
}

CUDART(cudaDeviceGetAttribute, int *value, int what, int dev)
{
	int err = cudart_enter();

	return cudart_fail(err ? err : cudart_drv.device_attribute(value, what, dev));
}

CUDART(cudaDeviceSynchronize, void)
{
	int err = cudart_enter();

	return cudart_fail(err ? err : cudart_drv.ctx_sync());
}

CUDART(cudaDeviceReset, void)
{
	int err = cudart_enter();

	return cudart_fail(err ? err : cudart_drv.reset(device));
}

CUDART(cudaDriverGetVersion, int *version)
{
	pthread_once(&once, load);
	*version = 0;
	return load_error == CUDART_NO_DRIVER ? 0 : cudart_fail(cudart_drv.version(version));
}

CUDART(cudaRuntimeGetVersion, int *version)
{
	*version = 12080;
	return 0;
}

CUDART(cudaGetLastError, void)
{
	int err = last_error;

	last_error = 0;
	return err;
}

CUDART(cudaPeekAtLastError, void)
{
	return last_error;
}

static const struct { int code; const char *name, *text; } errors[] = {
	{ 0, "cudaSuccess", "no error" },
	{ 1, "cudaErrorInvalidValue", "invalid argument" },
	{ 2, "cudaErrorMemoryAllocation", "out of memory" },
	{ 3, "cudaErrorInitializationError", "initialization error" },
	{ 35, "cudaErrorInsufficientDriver", "no driver library" },
	{ 98, "cudaErrorInvalidDeviceFunction", "invalid device function" },
	{ 100, "cudaErrorNoDevice", "no device found" },
	{ 101, "cudaErrorInvalidDevice", "invalid device ordinal" },
	{ 400, "cudaErrorInvalidResourceHandle", "invalid resource handle" },
	{ 600, "cudaErrorNotReady", "work not finished" },
	{ 700, "cudaErrorIllegalAddress", "illegal memory access" },
};

const char *cudaGetErrorName(int err)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i].code == err)
			return errors[i].name;
	return "unrecognized error code";
}

const char *cudaGetErrorString(int err)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i].code == err)
			return errors[i].text;
	return "unrecognized error code";
}

/* --- kernels ------------------------------------------------------------------- */

struct binary {
	CUmodule module;
	const void *image;
};

struct kernel {
	struct kernel *next;
	struct binary *binary;
	const void *host;
	CUfunction fn;
	char name[];
};

static struct kernel *kernels;
static pthread_mutex_t kernels_lock = PTHREAD_MUTEX_INITIALIZER;

void **__cudaRegisterFatBinary(void *wrapper)
{
	struct binary *b = calloc(1, sizeof(*b));

	if (!b)
		abort();
	b->image = wrapper;
	return (void **)b;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device_fn, const char *name, int limit,
			    void *tid, void *bid, void *bdim, void *gdim, int *wsize)
{
	struct kernel *k = calloc(1, sizeof(*k) + strlen(name) + 1);

	(void)device_fn, (void)limit, (void)tid, (void)bid, (void)bdim, (void)gdim, (void)wsize;
	if (!k)
		abort();
	memcpy(k->name, name, strlen(name) + 1);
	k->binary = (struct binary *)handle;
	k->host = host;
	pthread_mutex_lock(&kernels_lock);
	k->next = kernels;
	kernels = k;
	pthread_mutex_unlock(&kernels_lock);
}

void __cudaUnregisterFatBinary(void **handle)
{
	struct kernel **at, *k;

	pthread_mutex_lock(&kernels_lock);
	for (at = &kernels; (k = *at);) {
		if (k->binary != (struct binary *)handle) {
			at = &k->next;
			continue;
		}
		*at = k->next;
		free(k);
	}
	pthread_mutex_unlock(&kernels_lock);
	free(handle);
}

/* The driver's handle of a registered host function; others are handles already. */
static int resolve(const void *host, CUfunction *ret_fn)
{
	struct kernel *k;
	int err = 0;

	*ret_fn = (CUfunction)host;
	pthread_mutex_lock(&kernels_lock);
	for (k = kernels; k && k->host != host; k = k->next)
		;
	if (k && !k->fn) {
		if (!k->binary->module)
			err = cudart_drv.module_load(&k->binary->module, k->binary->image);
		if (!err)
			err = cudart_drv.get_function(&k->fn, k->binary->module, k->name);
	}
	if (k)
		*ret_fn = k->fn;
	pthread_mutex_unlock(&kernels_lock);
	return err;
}

static int launch(const void *fn, struct cudart_dim3 g, struct cudart_dim3 b, void **params, size_t shmem,
		  CUstream stream, bool per_thread)
{
	CUfunction f;
	int err = cudart_enter();

	if (!err)
		err = resolve(fn, &f);
	if (!err)
		err = (per_thread ? cudart_drv.launch_ptsz : cudart_drv.launch)(
			f, g.x, g.y, g.z, b.x, b.y, b.z, (unsigned int)shmem, stream, params, NULL);
	return cudart_fail(err);
}

CUDART(cudaLaunchKernel, const void *fn, struct cudart_dim3 grid, struct cudart_dim3 block, void **params,
       size_t shmem, CUstream stream)
{
	return launch(fn, grid, block, params, shmem, stream, false);
}

CUDART(cudaLaunchKernel_ptsz, const void *fn, struct cudart_dim3 grid, struct cudart_dim3 block,
       void **params, size_t shmem, CUstream stream)
{
	return launch(fn, grid, block, params, shmem, stream, true);
}

CUDART(cudaLibraryLoadData, CUlibrary *library, const void *code, int *jit, void **jit_values,
       unsigned int nr_jit, int *options, void **values, unsigned int nr)
{
	int err = cudart_enter();

	return cudart_fail(err ? err : cudart_drv.library_load(library, code, jit, jit_values, nr_jit, options,
							       values, nr));
}

CUDART(cudaLibraryGetKernel, CUkernel *kernel, CUlibrary library, const char *name)
{
	int err = cudart_enter();

	return cudart_fail(err ? err : cudart_drv.library_kernel(kernel, library, name));
}

CUDART(cudaLibraryUnload, CUlibrary library)
{
	int err = cudart_enter();

	return cudart_fail(err ? err : cudart_drv.library_unload(library));
}

CUDART(cudaLaunchHostFunc, CUstream stream, CUhostFn fn, void *data)
{
	int err = cudart_enter();

	return cudart_fail(err ? err : cudart_drv.host_func(stream, fn, data));
}
