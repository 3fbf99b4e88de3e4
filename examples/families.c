/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One round through the families of the driver API: pools, virtual memory,
 * arrays, pitched and managed memory, registered host memory, 2D and 3D copies,
 * fills, events, callbacks, graphs, primary context. Data is compared where
 * it comes back.
 */
#include <stdio.h>
#include <string.h>
#include "run.h"

#define BYTES (1u << 20)
#define CHECK(call) do {                                                                 \
	CUresult err_ = (call);                                                          \
	if (err_) {                                                                      \
		fprintf(stderr, "families: line %d: CUDA error %d\n", __LINE__, err_);   \
		return err_;                                                             \
	}                                                                                \
} while (0)

static unsigned char host[BYTES], back[BYTES];
static CUstream stream;

static int pools(void)
{
	CUpoolProps props = { .allocType = 1, .location = { 1, 0 } };
	CUmemoryPool pool;
	CUdeviceptr p, q;

	CHECK(CU(cuMemAllocAsync, &p, BYTES, stream));
	truth_opened("cuMemAllocAsync", p, BYTES);
	CHECK(CU(cuMemPoolCreate, &pool, &props));
	CHECK(CU(cuMemAllocFromPoolAsync, &q, 2 * BYTES, pool, stream));
	truth_opened("cuMemAllocFromPoolAsync", q, 2 * BYTES);
	CHECK(CU(cuMemFreeAsync, p, stream));
	truth_closed(p);
	CHECK(CU(cuMemFreeAsync, q, stream));
	truth_closed(q);
	CHECK(CU(cuStreamSynchronize, stream));
	CHECK(CU(cuMemPoolDestroy, pool));
	return 0;
}

static int vmm(void)
{
	CUmemProp prop = { .type = 1, .location = { 1, 0 } };
	CUmemAccess access = { { 1, 0 }, 3 };
	CUmemHandle handle;
	CUdeviceptr va;
	size_t granularity;

	CHECK(CU(cuMemGetAllocationGranularity, &granularity, &prop, 0));
	CHECK(CU(cuMemAddressReserve, &va, granularity, 0, 0, 0));
	CHECK(CU(cuMemCreate, &handle, granularity, &prop, 0));
	truth_opened("cuMemCreate", handle, granularity);
	CHECK(CU(cuMemMap, va, granularity, 0, handle, 0));
	CHECK(CU(cuMemSetAccess, va, granularity, &access, 1));
	CHECK(run_h2d(va, host, BYTES));
	CHECK(run_d2h(back, va, BYTES));
	CHECK(CU(cuMemUnmap, va, granularity));
	CHECK(CU(cuMemRelease, handle));
	truth_closed(handle);
	CHECK(CU(cuMemAddressFree, va, granularity));
	return memcmp(host, back, BYTES);
}

static int shapes(void)
{
	CUarrayDesc desc = { 64, 32, 0x20, 1 };
	CUmemcpy2D c = { 0 };
	CUarray array;
	CUdeviceptr p;
	size_t pitch;

	memset(back, 0, BYTES);
	CHECK(CU(cuMemAllocPitch_v2, &p, &pitch, 300, 32, 4));
	truth_opened("cuMemAllocPitch_v2", p, pitch * 32);
	CHECK(CU(cuArrayCreate_v2, &array, &desc));
	truth_opened("cuArrayCreate_v2", (unsigned long)array, 64 * 32 * 4);
	c.srcMemoryType = MINI_HOST;
	c.srcHost = host;
	c.dstMemoryType = MINI_DEVICE;
	c.dstDevice = p;
	c.dstPitch = pitch;
	c.WidthInBytes = c.srcPitch = 256;
	c.Height = 32;
	CHECK(CU(cuMemcpy2D_v2, &c));
	truth_copied(RUN_H2D, 256 * 32);
	c.srcMemoryType = MINI_DEVICE;
	c.srcDevice = p;
	c.srcPitch = pitch;
	c.dstMemoryType = MINI_ARRAY;
	c.dstArray = array;
	CHECK(CU(cuMemcpy2DAsync_v2, &c, stream));
	truth_copied(RUN_D2D, 256 * 32);
	CHECK(CU(cuStreamSynchronize, stream));
	c.srcMemoryType = MINI_ARRAY;
	c.srcArray = array;
	c.dstMemoryType = MINI_HOST;
	c.dstHost = back;
	c.dstPitch = 256;
	CHECK(CU(cuMemcpy2D_v2, &c));
	truth_copied(RUN_D2H, 256 * 32);
	CHECK(CU(cuArrayDestroy, array));
	truth_closed((unsigned long)array);
	CHECK(run_free(p));
	return memcmp(host, back, 256 * 32);
}

static int host_memory(void)
{
	static unsigned char registered[65536] __attribute__((aligned(4096)));
	CUdeviceptr managed, p;
	void *pinned;

	CHECK(CU(cuMemAllocHost_v2, &pinned, BYTES));
	truth_opened("cuMemAllocHost_v2", (uintptr_t)pinned, BYTES);
	CHECK(CU(cuMemHostRegister_v2, registered, sizeof(registered), 0));
	CHECK(CU(cuMemAllocManaged, &managed, BYTES, 1));
	truth_opened("cuMemAllocManaged", managed, BYTES);
	CHECK(run_alloc(&p, BYTES));
	CHECK(CU(cuMemsetD8_v2, p, 7, BYTES));
	CHECK(CU(cuMemsetD32Async, p, 0x07070707, BYTES / 8, stream));
	CHECK(CU(cuStreamSynchronize, stream));
	CHECK(run_d2h(pinned, p, BYTES));
	for (unsigned int i = 0; i < BYTES; i++)
		if (((unsigned char *)pinned)[i] != 7)
			return 1;
	CHECK(run_free(p));
	CHECK(run_free(managed));
	CHECK(CU(cuMemHostUnregister, registered));
	CHECK(CU(cuMemFreeHost, pinned));
	truth_closed((uintptr_t)pinned);
	return 0;
}

static void callback(CUstream s, CUresult status, void *data)
{
	(void)s;
	*(int *)data += 1 + status;
}

static int order(CUfunction fn)
{
	CUlaunchConfig config = { 2, 1, 1, 64, 1, 1, 0, stream, NULL, 0 };
	CUevent start, end;
	int called = 0;
	float ms;

	CHECK(CU(cuEventCreate, &start, 0));
	CHECK(CU(cuEventCreate, &end, 0));
	CHECK(CU(cuEventRecord, start, stream));
	CHECK(run_launch(fn, 2, 64, stream, NULL));
	CHECK(CU(cuLaunchKernelEx, &config, fn, NULL, NULL));
	truth_launched();
	CHECK(CU(cuStreamAddCallback, stream, callback, &called, 0));
	CHECK(CU(cuEventRecord, end, stream));
	CHECK(CU(cuStreamWaitEvent, NULL, end, 0));
	CHECK(CU(cuEventSynchronize, end));
	CHECK(CU(cuEventQuery, end));
	CHECK(CU(cuEventElapsedTime, &ms, start, end));
	CHECK(CU(cuCtxSynchronize));
	CHECK(CU(cuEventDestroy_v2, start));
	CHECK(CU(cuEventDestroy_v2, end));
	return called != 1 || ms < 0;
}

static int contexts(void)
{
	CUcontext primary, before;
	CUdevice dev;
	CUdeviceptr p;
	size_t free_bytes, total;

	CHECK(CU(cuCtxGetCurrent, &before));
	CHECK(CU(cuDevicePrimaryCtxRetain, &primary, 0));
	CHECK(CU(cuCtxPushCurrent_v2, primary));
	CHECK(CU(cuCtxGetDevice, &dev));
	CHECK(CU(cuMemGetInfo_v2, &free_bytes, &total));
	CHECK(run_alloc(&p, BYTES));
	truth_dropped(p);	/* by the reset */
	CHECK(CU(cuDevicePrimaryCtxReset_v2, dev));
	CHECK(CU(cuCtxSetCurrent, before));
	CHECK(CU(cuDevicePrimaryCtxRelease_v2, dev));
	return total < free_bytes;
}

int main(int argc, char **argv)
{
	CUmodule module;
	CUfunction fn;
	int bad = 0;

	run.name = "families";
	run.help = "one round through most families of the driver API";
	run.iterations = 1;
	run_start(argc, argv);
	for (unsigned int i = 0; i < BYTES; i++)
		host[i] = (unsigned char)(i * 31 >> 3);
	fn = run_kernel(&module, "xpt_nop");
	if (CU(cuStreamCreate, &stream, 1))
		return run_end(1);
	for (uint64_t i = 0; !bad && i < run.iterations; i++)
		bad = pools() || vmm() || shapes() || host_memory() || order(fn) || contexts();
	if (bad)
		fprintf(stderr, "families: failed\n");
	CU(cuStreamDestroy_v2, stream);
	CU(cuModuleUnload, module);
	return run_end(bad);
}
