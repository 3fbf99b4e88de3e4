/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inside the simulated libcudart: the driver functions that it asks for.
 *
 * CUDART_DRIVER lists X(field, base name, version, flags, arguments) with the
 * versions that a real CUDA runtime asks for; the driver answers with the
 * export of the newest ABI that is not above (cuMemAlloc 3020: cuMemAlloc_v2).
 */
#ifndef FAKE_CUDART_H
#define FAKE_CUDART_H

#include "minicuda.h"

#define CUDART_NO_DRIVER 35

#define CUDART(name, ...)            \
	int name(__VA_ARGS__);       \
	int name(__VA_ARGS__)

struct cudart_dim3 { unsigned int x, y, z; };

#define LAUNCH_ARGS (CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, \
		     unsigned int, unsigned int, CUstream, void **, void **)
#define LIBRARY_ARGS (CUlibrary *, const void *, int *, void **, unsigned int, int *, void **, unsigned int)

#define CUDART_DRIVER(X)                                                                        \
	X(init, cuInit, 2000, 0, (unsigned int))                                                \
	X(version, cuDriverGetVersion, 2020, 0, (int *))                                        \
	X(device_count, cuDeviceGetCount, 2000, 0, (int *))                                     \
	X(device_attribute, cuDeviceGetAttribute, 2000, 0, (int *, int, CUdevice))              \
	X(retain, cuDevicePrimaryCtxRetain, 7000, 0, (CUcontext *, CUdevice))                   \
	X(reset, cuDevicePrimaryCtxReset, 7000, 0, (CUdevice))                                  \
	X(set_current, cuCtxSetCurrent, 4000, 0, (CUcontext))                                   \
	X(ctx_sync, cuCtxSynchronize, 2000, 0, (void))                                          \
	X(mem_info, cuMemGetInfo, 3020, 0, (size_t *, size_t *))                                \
	X(alloc, cuMemAlloc, 3020, 0, (CUdeviceptr *, size_t))                                  \
	X(free, cuMemFree, 3020, 0, (CUdeviceptr))                                              \
	X(alloc_pitch, cuMemAllocPitch, 3020, 0, (CUdeviceptr *, size_t *, size_t, size_t, unsigned int)) \
	X(alloc_managed, cuMemAllocManaged, 6000, 0, (CUdeviceptr *, size_t, unsigned int))     \
	X(alloc_async, cuMemAllocAsync, 11020, 0, (CUdeviceptr *, size_t, CUstream))            \
	X(alloc_async_ptsz, cuMemAllocAsync, 11020, 2, (CUdeviceptr *, size_t, CUstream))       \
	X(free_async, cuMemFreeAsync, 11020, 0, (CUdeviceptr, CUstream))                        \
	X(free_async_ptsz, cuMemFreeAsync, 11020, 2, (CUdeviceptr, CUstream))                   \
	X(host_alloc, cuMemHostAlloc, 2020, 0, (void **, size_t, unsigned int))                 \
	X(host_free, cuMemFreeHost, 2000, 0, (void *))                                          \
	X(host_register, cuMemHostRegister, 6050, 0, (void *, size_t, unsigned int))            \
	X(host_unregister, cuMemHostUnregister, 4000, 0, (void *))                              \
	X(copy, cuMemcpy, 4000, 0, (CUdeviceptr, CUdeviceptr, size_t))                          \
	X(copy_async, cuMemcpyAsync, 4000, 0, (CUdeviceptr, CUdeviceptr, size_t, CUstream))     \
	X(h2d, cuMemcpyHtoD, 3020, 0, (CUdeviceptr, const void *, size_t))                      \
	X(h2d_ptds, cuMemcpyHtoD, 7000, 2, (CUdeviceptr, const void *, size_t))                 \
	X(d2h, cuMemcpyDtoH, 3020, 0, (void *, CUdeviceptr, size_t))                            \
	X(d2h_ptds, cuMemcpyDtoH, 7000, 2, (void *, CUdeviceptr, size_t))                       \
	X(d2d, cuMemcpyDtoD, 3020, 0, (CUdeviceptr, CUdeviceptr, size_t))                       \
	X(d2d_ptds, cuMemcpyDtoD, 7000, 2, (CUdeviceptr, CUdeviceptr, size_t))                  \
	X(h2d_async, cuMemcpyHtoDAsync, 3020, 0, (CUdeviceptr, const void *, size_t, CUstream)) \
	X(h2d_async_ptsz, cuMemcpyHtoDAsync, 7000, 2, (CUdeviceptr, const void *, size_t, CUstream)) \
	X(d2h_async, cuMemcpyDtoHAsync, 3020, 0, (void *, CUdeviceptr, size_t, CUstream))       \
	X(d2h_async_ptsz, cuMemcpyDtoHAsync, 7000, 2, (void *, CUdeviceptr, size_t, CUstream))  \
	X(d2d_async, cuMemcpyDtoDAsync, 3020, 0, (CUdeviceptr, CUdeviceptr, size_t, CUstream))  \
	X(d2d_async_ptsz, cuMemcpyDtoDAsync, 7000, 2, (CUdeviceptr, CUdeviceptr, size_t, CUstream)) \
	X(set8, cuMemsetD8, 3020, 0, (CUdeviceptr, unsigned char, size_t))                      \
	X(set8_async, cuMemsetD8Async, 3020, 0, (CUdeviceptr, unsigned char, size_t, CUstream)) \
	X(stream_create, cuStreamCreate, 2000, 0, (CUstream *, unsigned int))                   \
	X(stream_destroy, cuStreamDestroy, 4000, 0, (CUstream))                                 \
	X(stream_sync, cuStreamSynchronize, 2000, 0, (CUstream))                                \
	X(stream_sync_ptsz, cuStreamSynchronize, 7000, 2, (CUstream))                           \
	X(stream_query, cuStreamQuery, 2000, 0, (CUstream))                                     \
	X(stream_wait, cuStreamWaitEvent, 3020, 0, (CUstream, CUevent, unsigned int))           \
	X(host_func, cuLaunchHostFunc, 10000, 0, (CUstream, CUhostFn, void *))                  \
	X(event_create, cuEventCreate, 2000, 0, (CUevent *, unsigned int))                      \
	X(event_destroy, cuEventDestroy, 4000, 0, (CUevent))                                    \
	X(event_record, cuEventRecord, 2000, 0, (CUevent, CUstream))                            \
	X(event_sync, cuEventSynchronize, 2000, 0, (CUevent))                                   \
	X(event_query, cuEventQuery, 2000, 0, (CUevent))                                        \
	X(event_elapsed, cuEventElapsedTime, 2000, 0, (float *, CUevent, CUevent))              \
	X(module_load, cuModuleLoadData, 2000, 0, (CUmodule *, const void *))                   \
	X(get_function, cuModuleGetFunction, 2000, 0, (CUfunction *, CUmodule, const char *))   \
	X(library_load, cuLibraryLoadData, 12000, 0, LIBRARY_ARGS)                              \
	X(library_kernel, cuLibraryGetKernel, 12000, 0, (CUkernel *, CUlibrary, const char *))  \
	X(library_unload, cuLibraryUnload, 12000, 0, (CUlibrary))                               \
	X(launch, cuLaunchKernel, 4000, 0, LAUNCH_ARGS)                                         \
	X(launch_ptsz, cuLaunchKernel, 7000, 2, LAUNCH_ARGS)

struct cudart_driver {
#define X(field, name, version, flags, args) CUresult (*field) args;
	CUDART_DRIVER(X)
#undef X
};

extern struct cudart_driver cudart_drv __attribute__((visibility("hidden")));

/* Not exported, although libcudart.map's cuda* would. */
#define CUDART_INTERNAL __attribute__((visibility("hidden")))
/* Loads the driver and makes a context current, once. */
CUDART_INTERNAL int cudart_enter(void);
/* Keeps err for cudaGetLastError and returns it. */
CUDART_INTERNAL int cudart_fail(int err);

/* What does not return int. */
const char *cudaGetErrorName(int err);
const char *cudaGetErrorString(int err);
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device_fn, const char *name, int limit,
			    void *tid, void *bid, void *bdim, void *gdim, int *wsize);

#endif
