// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A libcuda.so.1 that stands before another one and passes each call on, as those
 * that share a device among containers do. LAYER_OF names the file of the other.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int (*call)(long, long, long, long, long, long, long, long, long, long, long);

static call find(const char *name)
{
	static void *next;
	const char *path = getenv("LAYER_OF");
	call ret;

	if (!next)
		next = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	*(void **)&ret = next ? dlsym(next, name) : NULL;
	if (!ret) {
		fprintf(stderr, "layer: no %s in %s\n", name, path ? path : "nothing");
		abort();
	}
	return ret;
}

/* As many arguments as the longest function has. */
#define LAYER(name)                                                                                     \
	int name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k); \
	int name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k)  \
	{                                                                                               \
		static call next;                                                                       \
		if (!next)                                                                              \
			next = find(#name);                                                             \
		return next(a, b, c, d, e, f, g, h, i, j, k);                                           \
	}

LAYER(cuInit)
LAYER(cuDeviceGet)
LAYER(cuCtxCreate_v2)
LAYER(cuModuleLoadData)
LAYER(cuModuleGetFunction)
LAYER(cuMemHostAlloc)
LAYER(cuMemFreeHost)
LAYER(cuStreamCreate)
LAYER(cuStreamDestroy_v2)
LAYER(cuStreamSynchronize)
LAYER(cuMemAlloc_v2)
LAYER(cuMemFree_v2)
LAYER(cuMemcpyHtoDAsync_v2)
LAYER(cuMemcpyDtoHAsync_v2)
LAYER(cuLaunchKernel)
