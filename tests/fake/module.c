/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Modules, libraries, functions and launches of the simulated driver.
 *
 * Any image loads and has every function that is asked for, by name. A kernel
 * takes XPT_FAKE_KERNEL_TIME on its stream and computes nothing, except one
 * that is named xpt_add: it adds two vectors of float, so that examples can
 * check a result on a real and on a simulated device alike. Given a wrong
 * address it breaks the context, as on a device: the next call says so.
 */
#include <stdlib.h>
#include <string.h>
#include "driver.h"

struct func {
	struct fake_obj o;
	struct module *module;
	struct func *next;
	char name[];
};

struct module {
	struct fake_obj o;
	struct func *funcs;
};

static CUresult load(void *ret_handle, const void *image)
{
	struct fake_ctx *c = fake_ctx();

	if (!ret_handle || !image)
		return CU_INVALID_VALUE;
	if (!c)
		return CU_INVALID_CONTEXT;
	*(void **)ret_handle = fake_new(sizeof(struct module), FAKE_MODULE, c);
	return CU_OK;
}

static CUresult unload(const void *handle)
{
	struct module *m = fake_del(FAKE_MODULE, handle);
	struct func *f;

	if (!m)
		return CU_INVALID_HANDLE;
	while ((f = m->funcs)) {
		m->funcs = f->next;
		fake_del(FAKE_FUNC, f);
		free(f);
	}
	free(m);
	return CU_OK;
}

static CUresult get_function(void *ret_fn, const void *handle, const char *name)
{
	struct module *m = fake_get(FAKE_MODULE, handle);
	struct func *f;

	if (!m)
		return CU_INVALID_HANDLE;
	if (!ret_fn || !name)
		return CU_INVALID_VALUE;
	if (!*name)
		return CU_NOT_FOUND;
	for (f = m->funcs; f && strcmp(f->name, name); f = f->next)
		;
	if (!f) {
		f = fake_new(sizeof(*f) + strlen(name) + 1, FAKE_FUNC, NULL);
		memcpy(f->name, name, strlen(name) + 1);
		f->module = m;
		pthread_mutex_lock(&fake_lock);
		f->next = m->funcs;
		m->funcs = f;
		pthread_mutex_unlock(&fake_lock);
	}
	*(void **)ret_fn = f;
	return CU_OK;
}

BODY(cuModuleLoad, CUmodule *module, const char *path)
{
	return load(module, path);
}

BODY(cuModuleLoadData, CUmodule *module, const void *image)
{
	return load(module, image);
}

BODY(cuModuleLoadDataEx, CUmodule *module, const void *image, unsigned int n, int *options, void **values)
{
	(void)n, (void)options, (void)values;
	return load(module, image);
}

BODY(cuModuleLoadFatBinary, CUmodule *module, const void *image)
{
	return load(module, image);
}

BODY(cuModuleUnload, CUmodule module)
{
	return unload(module);
}

BODY(cuModuleGetFunction, CUfunction *fn, CUmodule module, const char *name)
{
	return get_function(fn, module, name);
}

BODY(cuModuleGetLoadingMode, int *mode)
{
	if (!mode)
		return CU_INVALID_VALUE;
	*mode = 1;
	return CU_OK;
}

BODY(cuLibraryLoadData, CUlibrary *library, const void *code, int *jit, void **jit_values, unsigned int nr_jit,
     int *options, void **values, unsigned int nr)
{
	(void)jit, (void)jit_values, (void)nr_jit, (void)options, (void)values, (void)nr;
	return load(library, code);
}

BODY(cuLibraryLoadFromFile, CUlibrary *library, const char *path, int *jit, void **jit_values,
     unsigned int nr_jit, int *options, void **values, unsigned int nr)
{
	(void)jit, (void)jit_values, (void)nr_jit, (void)options, (void)values, (void)nr;
	return load(library, path);
}

BODY(cuLibraryUnload, CUlibrary library)
{
	return unload(library);
}

BODY(cuLibraryGetKernel, CUkernel *kernel, CUlibrary library, const char *name)
{
	return get_function(kernel, library, name);
}

BODY(cuLibraryGetModule, CUmodule *module, CUlibrary library)
{
	if (!module || !fake_get(FAKE_MODULE, library))
		return CU_INVALID_HANDLE;
	*module = (CUmodule)library;
	return CU_OK;
}

BODY(cuKernelGetFunction, CUfunction *fn, CUkernel kernel)
{
	if (!fn || !fake_get(FAKE_FUNC, kernel))
		return CU_INVALID_HANDLE;
	*fn = (CUfunction)kernel;
	return CU_OK;
}

BODY(cuFuncGetName, const char **name, CUfunction fn)
{
	struct func *f = fake_get(FAKE_FUNC, fn);

	if (!name || !f)
		return CU_INVALID_HANDLE;
	*name = f->name;
	return CU_OK;
}

BODY(cuKernelGetName, const char **name, CUkernel kernel)
{
	return body_cuFuncGetName(name, (CUfunction)kernel);
}

BODY(cuFuncGetModule, CUmodule *module, CUfunction fn)
{
	struct func *f = fake_get(FAKE_FUNC, fn);

	if (!module || !f)
		return CU_INVALID_HANDLE;
	*module = (CUmodule)f->module;
	return CU_OK;
}

BODY(cuFuncGetAttribute, int *value, int what, CUfunction fn)
{
	if (!fake_get(FAKE_FUNC, fn))
		return CU_INVALID_HANDLE;
	if (!value || what < 0)
		return CU_INVALID_VALUE;
	*value = what == 0 ? 1024 : 32;	/* threads per block; registers and the rest */
	return CU_OK;
}

BODY(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, CUfunction fn, int threads, size_t shmem)
{
	(void)shmem;
	if (!fake_get(FAKE_FUNC, fn))
		return CU_INVALID_HANDLE;
	if (!blocks || threads <= 0)
		return CU_INVALID_VALUE;
	*blocks = threads > 1024 ? 0 : 2048 / threads;
	return CU_OK;
}

/* As the real one, asks the program on its own thread; what that throws passes through here.
 * Inlined, so that the exported functions end by returning and not by a jump to this one. */
static inline __attribute__((always_inline)) CUresult potential_block_size(int *grid, int *block, CUfunction fn, size_t (*shmem_of)(int),
				     int limit)
{
	int threads = limit > 0 && limit < 1024 ? limit : 1024;

	if (!fake_get(FAKE_FUNC, fn))
		return CU_INVALID_HANDLE;
	if (!grid || !block || limit < 0)
		return CU_INVALID_VALUE;
	while (threads > 32 && shmem_of && shmem_of(threads) > 48 * 1024)
		threads /= 2;
	*block = threads;
	*grid = 2048 / threads;
	return CU_OK;
}

BODY(cuOccupancyMaxPotentialBlockSize, int *grid, int *block, CUfunction fn, size_t (*shmem_of)(int),
     size_t shmem, int limit)
{
	(void)shmem;
	return potential_block_size(grid, block, fn, shmem_of, limit);
}

BODY(cuOccupancyMaxPotentialBlockSizeWithFlags, int *grid, int *block, CUfunction fn,
     size_t (*shmem_of)(int), size_t shmem, int limit, unsigned int flags)
{
	(void)shmem, (void)flags;
	return potential_block_size(grid, block, fn, shmem_of, limit);
}

/* --- launches ------------------------------------------------------------------ */

static void run_add(struct fake_item *it)
{
	float *c = (float *)(uintptr_t)it->add.c;
	const float *a = (const float *)(uintptr_t)it->add.a, *b = (const float *)(uintptr_t)it->add.b;
	size_t bytes = it->add.n * sizeof(float);

	if (!fake_range_ok(it->add.c, bytes, true) || !fake_range_ok(it->add.a, bytes, false) ||
	    !fake_range_ok(it->add.b, bytes, false)) {
		fake_break(CU_ILLEGAL_ADDRESS);
		return;
	}
	for (unsigned int i = 0; i < it->add.n; i++)
		c[i] = a[i] + b[i];
}

/* xpt_add(float *c, const float *a, const float *b, unsigned int n) */
static CUresult add_params(struct fake_item *it, void **params)
{
	if (!params)
		return CU_INVALID_VALUE;
	memcpy(&it->add.c, params[0], 8);
	memcpy(&it->add.a, params[1], 8);
	memcpy(&it->add.b, params[2], 8);
	memcpy(&it->add.n, params[3], 4);
	it->run = run_add;
	return CU_OK;
}

static CUresult launch(const void *fn, const CUlaunchConfig *c, void **params)
{
	struct fake_item it = { .dur_ns = fake_kernel_ns };
	struct func *f = fake_get(FAKE_FUNC, fn);
	struct fake_stream *s = fake_stream(c->hStream);
	CUresult err = CU_OK;

	if (!f || !s)
		return CU_INVALID_HANDLE;
	if (!c->gridDimX || !c->gridDimY || !c->gridDimZ || !c->blockDimX || !c->blockDimY || !c->blockDimZ ||
	    (uint64_t)c->blockDimX * c->blockDimY * c->blockDimZ > 1024 || c->sharedMemBytes > 233472)
		return CU_INVALID_VALUE;
	if (f->name[0] == 'x' && !strcmp(f->name, "xpt_add"))
		err = add_params(&it, params);
	return err ? err : fake_queue(s, &it);
}

BODY(cuLaunchKernel, CUfunction fn, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
     unsigned int by, unsigned int bz, unsigned int shmem, CUstream stream, void **params, void **extra)
{
	CUlaunchConfig c = { gx, gy, gz, bx, by, bz, shmem, stream, NULL, 0 };

	(void)extra;
	return launch(fn, &c, params);
}

BODY(cuLaunchCooperativeKernel, CUfunction fn, unsigned int gx, unsigned int gy, unsigned int gz,
     unsigned int bx, unsigned int by, unsigned int bz, unsigned int shmem, CUstream stream, void **params)
{
	CUlaunchConfig c = { gx, gy, gz, bx, by, bz, shmem, stream, NULL, 0 };

	return launch(fn, &c, params);
}

BODY(cuLaunchKernelEx, const CUlaunchConfig *config, CUfunction fn, void **params, void **extra)
{
	(void)extra;
	return config ? launch(fn, config, params) : CU_INVALID_VALUE;
}
