/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls with known arguments of every kind that a signature can name: enums,
 * flags, strings, handles, floating point, out-parameters, structs by pointer
 * and by value, arguments on the stack, NULL where a pointer is expected. Some
 * are calls that the simulated driver only refuses: arguments are seen all the same.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "run.h"

static void *lib;

static void *find(const char *name)
{
	void *fn = dlsym(lib, name);

	if (!fn) {
		fprintf(stderr, "args: no %s\n", name);
		exit(1);
	}
	return fn;
}

/* Calls a function of the library that the examples have no prototype of. */
#define CALL(name, types, ...) ((CUresult (*) types)find(name))(__VA_ARGS__)

struct location {
	int type, id;
};

static void attributes(void)
{
	int v;

	CU(cuDeviceGetAttribute, &v, 10, 0);
	CU(cuDeviceGetAttribute, &v, 9999, 0);
	CU(cuDeviceGetAttribute, NULL, 10, 0);
	CALL("cuCtxSetLimit", (int, size_t), 2, 4096);
	CALL("cuFuncSetAttribute", (void *, int, int), (void *)0x1230, 8, -1);
	CALL("cuGetErrorName", (int, const char **), 700, (const char **)&(void *){ NULL });
}

static void flags(void)
{
	struct location device = { 1, 3 };
	CUdeviceptr ptr;
	CUevent event;
	void *host;

	CU(cuEventCreate, &event, 3);
	CU(cuMemHostAlloc, &host, 4096, 5);
	CU(cuMemAllocManaged, &ptr, 4096, 1);
	CALL("cuMemAdvise", (CUdeviceptr, size_t, int, int), ptr, 4096, 3, -1);
	CALL("cuMemAdvise_v2", (CUdeviceptr, size_t, int, struct location), ptr, 4096, 5, device);
	CALL("cuStreamWaitValue32_v2", (void *, CUdeviceptr, uint32_t, unsigned int), NULL, ptr, 7,
	     1u << 30 | 1);
	CU(cuMemFree_v2, ptr);
	CU(cuMemFreeHost, host);
	CU(cuEventDestroy_v2, event);
}

static void strings(void)
{
	void *fn;

	CALL("cuGetProcAddress_v2", (const char *, void **, int, uint64_t, int *),
	     "cuMemAlloc", &fn, 12000, 2, &(int){ 0 });
	CALL("cuDeviceGetByPCIBusId", (int *, const char *), &(int){ 0 }, (const char *)1);
	CALL("cuGraphDebugDotPrint", (void *, const char *, unsigned int), (void *)0x10, "/tmp/a b", 17);
}

int main(int argc, char **argv)
{
	run.name = "args";
	run.help = "calls with known arguments";
	run_start(argc, argv);
	lib = dlopen(run.library, RTLD_NOW);
	attributes();
	flags();
	strings();
	CALL("cuTexRefSetMipmapLevelClamp", (void *, float, float), (void *)0x20, 1.5f, 2.5f);
	return run_end(0);
}
