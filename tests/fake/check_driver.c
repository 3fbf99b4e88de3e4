/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks the simulated driver from the outside, as a program would use it:
 * check_driver LIB. Prints `ok NAME` or `not ok NAME: line` per check; the
 * environment (faults, memory size) is set by tests/contract/check-fake.
 */
#include <dlfcn.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run.h"

#define MEM (64ull << 20)

static void *lib;

#define EXPECT(cond) do { if (!(cond)) return __LINE__; } while (0)

/* The answer of cuGetProcAddress is the exported symbol itself. */
static bool answers(const char *name, int version, uint64_t flags, const char *export)
{
	void *fn = NULL;
	int status = -1;
	CUresult err = cu.cuGetProcAddress_v2(name, &fn, version, flags, &status);

	if (!export)
		return err == CU_NOT_FOUND && !fn && status > 0;
	return !err && !status && fn && fn == dlsym(lib, export);
}

static int proc_address(void)
{
	EXPECT(answers("cuMemAlloc", 3020, 0, "cuMemAlloc_v2"));
	EXPECT(answers("cuMemAlloc", 3010, 0, "cuMemAlloc"));
	EXPECT(answers("cuMemAlloc", 1000, 0, NULL));
	EXPECT(answers("cuMemcpyHtoD", 7000, 2, "cuMemcpyHtoD_v2_ptds"));
	EXPECT(answers("cuMemcpyHtoDAsync", 7000, 2, "cuMemcpyHtoDAsync_v2_ptsz"));
	EXPECT(answers("cuMemcpyHtoDAsync", 3020, 0, "cuMemcpyHtoDAsync_v2"));
	EXPECT(answers("cuCtxSynchronize", 2000, 0, "cuCtxSynchronize"));
	EXPECT(answers("cuCtxSynchronize", 13000, 0, "cuCtxSynchronize_v2"));
	EXPECT(answers("cuGetProcAddress", 12000, 0, "cuGetProcAddress_v2"));
	EXPECT(answers("cuStreamGetCaptureInfo", 12030, 2, "cuStreamGetCaptureInfo_v3_ptsz"));
	EXPECT(answers("cuMemFree", 13000, 2, "cuMemFree_v2"));
	EXPECT(answers("cuMemFree_v2x", 13000, 0, NULL));
	EXPECT(answers("cudbgMain", 13000, 0, NULL));
	return 0;
}

static int before_init(void)
{
	CUdeviceptr p;
	int version = 0;

	EXPECT(cu.cuMemAlloc_v2(&p, 1) == CU_NOT_INITIALIZED);
	EXPECT(cu.cuCtxSynchronize() == CU_NOT_INITIALIZED);
	EXPECT(!cu.cuDriverGetVersion(&version) && version >= 12000);
	EXPECT(!cu.cuInit(0));
	EXPECT(cu.cuMemAlloc_v2(&p, 1) == CU_INVALID_CONTEXT);
	return 0;
}

static int memory(void)
{
	CUdeviceptr p[64], all;
	size_t free0, free1, total;

	EXPECT(!cu.cuMemGetInfo_v2(&free0, &total) && total == MEM && free0 == MEM);
	EXPECT(cu.cuMemAlloc_v2(&all, MEM + 1) == CU_OUT_OF_MEMORY);
	EXPECT(cu.cuMemAlloc_v2(&all, SIZE_MAX) == CU_OUT_OF_MEMORY);
	EXPECT(cu.cuMemAlloc_v2(&all, 0) == CU_INVALID_VALUE);
	for (unsigned int i = 0; i < 64; i++)
		EXPECT(!cu.cuMemAlloc_v2(&p[i], MEM / 64));
	EXPECT(cu.cuMemAlloc_v2(&all, 1) == CU_OUT_OF_MEMORY);
	for (unsigned int i = 0; i < 64; i += 2)
		EXPECT(!cu.cuMemFree_v2(p[i]));
	EXPECT(!cu.cuMemGetInfo_v2(&free1, &total) && free1 == MEM / 2);
	EXPECT(cu.cuMemAlloc_v2(&all, MEM / 32) == CU_OUT_OF_MEMORY);	/* in pieces */
	EXPECT(cu.cuMemFree_v2(p[0]) == CU_INVALID_VALUE);
	for (unsigned int i = 1; i < 64; i += 2)
		EXPECT(!cu.cuMemFree_v2(p[i]));
	EXPECT(!cu.cuMemAlloc_v2(&all, MEM));	/* merged again */
	EXPECT(!cu.cuMemFree_v2(all));
	return 0;
}

/* Random sizes and orders against the accounting; contents survive neighbours. */
static int random_memory(void)
{
	CUdeviceptr p[128] = { 0 };
	size_t n[128], free1, total, used = 0;
	unsigned int seed = 1;

	for (int round = 0; round < 20000; round++) {
		unsigned int i, tag = 0;

		seed = seed * 1103515245u + 12345u;
		i = seed >> 16 & 127;
		if (p[i]) {
			EXPECT(!cu.cuMemcpyDtoH_v2(&tag, p[i] + n[i] - 4, 4) && tag == i);
			EXPECT(!cu.cuMemFree_v2(p[i]));
			p[i] = 0;
			used -= (n[i] + 511) / 512 * 512;
			continue;
		}
		n[i] = 4 + (seed >> 8) % 600000;
		if (cu.cuMemAlloc_v2(&p[i], n[i])) {
			p[i] = 0;
			continue;
		}
		used += (n[i] + 511) / 512 * 512;
		EXPECT(!cu.cuMemcpyHtoD_v2(p[i] + n[i] - 4, &i, 4));
	}
	EXPECT(!cu.cuMemGetInfo_v2(&free1, &total) && free1 == total - used);
	for (int i = 0; i < 128; i++)
		if (p[i])
			EXPECT(!cu.cuMemFree_v2(p[i]));
	EXPECT(!cu.cuMemGetInfo_v2(&free1, &total) && free1 == total);
	return 0;
}

static int handles(void)
{
	CUstream wrong = (CUstream)(uintptr_t)0x1230;
	char buf[16] = "";

	EXPECT(cu.cuStreamSynchronize(wrong) == CU_INVALID_HANDLE);
	EXPECT(cu.cuEventQuery((CUevent)wrong) == CU_INVALID_HANDLE);
	EXPECT(cu.cuModuleUnload((CUmodule)wrong) == CU_INVALID_HANDLE);
	EXPECT(cu.cuCtxSetCurrent((CUcontext)wrong) == CU_INVALID_CONTEXT);
	EXPECT(cu.cuMemFree_v2(0x1230) == CU_INVALID_VALUE);
	EXPECT(cu.cuMemcpyHtoD_v2(0x1230, buf, 16) == CU_INVALID_VALUE);
	EXPECT(cu.cuMemFreeHost(buf) == CU_INVALID_VALUE);
	EXPECT(cu.cuMemHostUnregister(buf) == CU_NOT_REGISTERED);
	EXPECT(cu.cuLaunchKernel((CUfunction)wrong, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) == CU_INVALID_HANDLE);
	EXPECT(!cu.cuMemFree_v2(0));
	return 0;
}

static int launch_limits(void)
{
	CUmodule m;
	CUfunction f;

	EXPECT(!cu.cuModuleLoadData(&m, run_ptx) && !cu.cuModuleGetFunction(&f, m, "xpt_nop"));
	EXPECT(!cu.cuLaunchKernel(f, 1, 1, 1, 1024, 1, 1, 0, NULL, NULL, NULL));
	EXPECT(cu.cuLaunchKernel(f, 1, 1, 1, 1024, 2, 1, 0, NULL, NULL, NULL) == CU_INVALID_VALUE);
	EXPECT(cu.cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) == CU_INVALID_VALUE);
	EXPECT(cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 1 << 30, NULL, NULL, NULL) == CU_INVALID_VALUE);
	EXPECT(!cu.cuCtxSynchronize() && !cu.cuModuleUnload(m));
	EXPECT(cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) == CU_INVALID_HANDLE);
	return 0;
}

static void wait_for(void *gate)
{
	sem_wait(gate);
}

/* 500 kernels of simulated time take at least that long on the stream's clock. */
static int time_passes(void)
{
	CUevent a, b;
	CUmodule m;
	CUfunction f;
	float ms = 0;
	sem_t gate;

	EXPECT(!cu.cuModuleLoadData(&m, run_ptx) && !cu.cuModuleGetFunction(&f, m, "xpt_nop"));
	EXPECT(!cu.cuEventCreate(&a, 0) && !cu.cuEventCreate(&b, 0) && !cu.cuEventRecord(a, NULL));
	for (int i = 0; i < 500; i++)
		EXPECT(!cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	sem_init(&gate, 0, 0);
	EXPECT(!cu.cuLaunchHostFunc(NULL, wait_for, &gate));
	EXPECT(!cu.cuEventRecord(b, NULL) && cu.cuEventQuery(b) == CU_NOT_READY);
	EXPECT(cu.cuEventElapsedTime(&ms, a, b) == CU_NOT_READY);
	sem_post(&gate);
	EXPECT(!cu.cuEventSynchronize(b) && !cu.cuEventQuery(b));
	EXPECT(!cu.cuEventElapsedTime(&ms, a, b) && ms >= 500 * 0.1f * 0.999f);
	EXPECT(!cu.cuEventDestroy_v2(a) && !cu.cuEventDestroy_v2(b) && !cu.cuModuleUnload(m));
	return 0;
}

/* XPT_FAKE_FAULT="cuMemsetD16_v2@2=1,cuMemsetD32_v2@3=700" */
static int faults(void)
{
	CUdeviceptr p;
	const char *name;

	EXPECT(!cu.cuMemAlloc_v2(&p, 4096));
	EXPECT(!cu.cuMemsetD16_v2(p, 1, 4));
	EXPECT(cu.cuMemsetD16_v2(p, 1, 4) == CU_INVALID_VALUE);
	EXPECT(!cu.cuMemsetD16_v2(p, 1, 4));
	EXPECT(!cu.cuMemsetD32_v2(p, 1, 4) && !cu.cuMemsetD32_v2(p, 1, 4));
	EXPECT(cu.cuMemsetD32_v2(p, 1, 4) == CU_ILLEGAL_ADDRESS);
	EXPECT(cu.cuMemsetD32_v2(p, 1, 4) == CU_ILLEGAL_ADDRESS);
	EXPECT(cu.cuMemFree_v2(p) == CU_ILLEGAL_ADDRESS);
	EXPECT(cu.cuCtxSynchronize() == CU_ILLEGAL_ADDRESS);
	EXPECT(!cu.cuGetErrorName(CU_ILLEGAL_ADDRESS, &name) && !strcmp(name, "CUDA_ERROR_ILLEGAL_ADDRESS"));
	return 0;
}

static int report(const char *name, int line)
{
	if (line)
		printf("not ok driver-%s: check_driver.c line %d\n", name, line);
	else
		printf("ok driver-%s\n", name);
	return line;
}

int main(int argc, char **argv)
{
	CUcontext ctx;
	int bad;

	if (argc != 2)
		return 2;
	run.name = "check_driver";
	run.library = argv[1];
	run_load();
	lib = dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD);
	if (!lib)
		return 2;
	bad = report("proc-address", proc_address());
	bad |= report("before-init", before_init());
	if (cu.cuCtxCreate_v2(&ctx, 0, 0))
		return 1;
	bad |= report("memory", memory());
	bad |= report("random-memory", random_memory());
	bad |= report("handles", handles());
	bad |= report("launch-limits", launch_limits());
	bad |= report("time", time_passes());
	bad |= report("faults", faults());
	return bad ? 1 : 0;
}
