/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The driver functions that the examples call: X(exported name, arguments).
 *
 * minicuda.h includes it; examples/run.h makes a table of pointers of it, the
 * simulated driver checks its bodies against it.
 */
#define MINICUDA_DRIVER(X)                                                                     \
	X(cuInit, (unsigned int flags))                                                        \
	X(cuDriverGetVersion, (int *version))                                                  \
	X(cuGetErrorName, (CUresult error, const char **name))                                 \
	X(cuGetErrorString, (CUresult error, const char **text))                               \
	X(cuGetProcAddress_v2, (const char *name, void **fn, int version, uint64_t flags, int *status)) \
	X(cuDeviceGet, (CUdevice *dev, int ordinal))                                           \
	X(cuDeviceGetCount, (int *count))                                                      \
	X(cuDeviceGetName, (char *name, int len, CUdevice dev))                                \
	X(cuDeviceTotalMem_v2, (size_t *bytes, CUdevice dev))                                  \
	X(cuDeviceGetAttribute, (int *value, int attribute, CUdevice dev))                     \
	X(cuDeviceGetUuid, (CUuuid *uuid, CUdevice dev))                                       \
	X(cuDevicePrimaryCtxRetain, (CUcontext *ctx, CUdevice dev))                            \
	X(cuDevicePrimaryCtxRelease_v2, (CUdevice dev))                                        \
	X(cuDevicePrimaryCtxReset_v2, (CUdevice dev))                                          \
	X(cuCtxCreate_v2, (CUcontext *ctx, unsigned int flags, CUdevice dev))                  \
	X(cuCtxDestroy_v2, (CUcontext ctx))                                                    \
	X(cuCtxPushCurrent_v2, (CUcontext ctx))                                                \
	X(cuCtxPopCurrent_v2, (CUcontext *ctx))                                                \
	X(cuCtxSetCurrent, (CUcontext ctx))                                                    \
	X(cuCtxGetCurrent, (CUcontext *ctx))                                                   \
	X(cuCtxGetDevice, (CUdevice *dev))                                                     \
	X(cuCtxSynchronize, (void))                                                            \
	X(cuMemGetInfo_v2, (size_t *free_bytes, size_t *total))                                \
	X(cuMemAlloc_v2, (CUdeviceptr *ptr, size_t bytes))                                     \
	X(cuMemAllocPitch_v2, (CUdeviceptr *ptr, size_t *pitch, size_t width, size_t height, unsigned int element)) \
	X(cuMemAllocManaged, (CUdeviceptr *ptr, size_t bytes, unsigned int flags))             \
	X(cuMemFree_v2, (CUdeviceptr ptr))                                                     \
	X(cuMemHostAlloc, (void **ptr, size_t bytes, unsigned int flags))                      \
	X(cuMemAllocHost_v2, (void **ptr, size_t bytes))                                       \
	X(cuMemFreeHost, (void *ptr))                                                          \
	X(cuMemHostRegister_v2, (void *ptr, size_t bytes, unsigned int flags))                 \
	X(cuMemHostUnregister, (void *ptr))                                                    \
	X(cuMemAllocAsync, (CUdeviceptr *ptr, size_t bytes, CUstream stream))                  \
	X(cuMemFreeAsync, (CUdeviceptr ptr, CUstream stream))                                  \
	X(cuMemAllocFromPoolAsync, (CUdeviceptr *ptr, size_t bytes, CUmemoryPool pool, CUstream stream)) \
	X(cuMemPoolCreate, (CUmemoryPool *pool, const CUpoolProps *props))                     \
	X(cuMemPoolDestroy, (CUmemoryPool pool))                                               \
	X(cuMemAddressReserve, (CUdeviceptr *ptr, size_t bytes, size_t align, CUdeviceptr at, unsigned long long flags)) \
	X(cuMemAddressFree, (CUdeviceptr ptr, size_t bytes))                                   \
	X(cuMemCreate, (CUmemHandle *handle, size_t bytes, const CUmemProp *prop, unsigned long long flags)) \
	X(cuMemRelease, (CUmemHandle handle))                                                  \
	X(cuMemMap, (CUdeviceptr ptr, size_t bytes, size_t offset, CUmemHandle handle, unsigned long long flags)) \
	X(cuMemUnmap, (CUdeviceptr ptr, size_t bytes))                                         \
	X(cuMemSetAccess, (CUdeviceptr ptr, size_t bytes, const CUmemAccess *desc, size_t count)) \
	X(cuMemGetAllocationGranularity, (size_t *granularity, const CUmemProp *prop, int option)) \
	X(cuArrayCreate_v2, (CUarray *array, const CUarrayDesc *desc))                         \
	X(cuArray3DCreate_v2, (CUarray *array, const CUarray3DDesc *desc))                     \
	X(cuArrayDestroy, (CUarray array))                                                     \
	X(cuMemcpy, (CUdeviceptr dst, CUdeviceptr src, size_t bytes))                          \
	X(cuMemcpyAsync, (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream))    \
	X(cuMemcpyHtoD_v2, (CUdeviceptr dst, const void *src, size_t bytes))                   \
	X(cuMemcpyDtoH_v2, (void *dst, CUdeviceptr src, size_t bytes))                         \
	X(cuMemcpyDtoD_v2, (CUdeviceptr dst, CUdeviceptr src, size_t bytes))                   \
	X(cuMemcpyHtoDAsync_v2, (CUdeviceptr dst, const void *src, size_t bytes, CUstream stream)) \
	X(cuMemcpyDtoHAsync_v2, (void *dst, CUdeviceptr src, size_t bytes, CUstream stream))   \
	X(cuMemcpyDtoDAsync_v2, (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)) \
	X(cuMemcpyHtoDAsync_v2_ptsz, (CUdeviceptr dst, const void *src, size_t bytes, CUstream stream)) \
	X(cuMemcpy2D_v2, (const CUmemcpy2D *copy))                                             \
	X(cuMemcpy2DAsync_v2, (const CUmemcpy2D *copy, CUstream stream))                       \
	X(cuMemcpy3D_v2, (const CUmemcpy3D *copy))                                             \
	X(cuMemcpy3DAsync_v2, (const CUmemcpy3D *copy, CUstream stream))                       \
	X(cuMemsetD8_v2, (CUdeviceptr dst, unsigned char value, size_t count))                 \
	X(cuMemsetD16_v2, (CUdeviceptr dst, unsigned short value, size_t count))               \
	X(cuMemsetD32_v2, (CUdeviceptr dst, unsigned int value, size_t count))                 \
	X(cuMemsetD8Async, (CUdeviceptr dst, unsigned char value, size_t count, CUstream stream)) \
	X(cuMemsetD32Async, (CUdeviceptr dst, unsigned int value, size_t count, CUstream stream)) \
	X(cuStreamCreate, (CUstream *stream, unsigned int flags))                              \
	X(cuStreamDestroy_v2, (CUstream stream))                                               \
	X(cuStreamSynchronize, (CUstream stream))                                              \
	X(cuStreamQuery, (CUstream stream))                                                    \
	X(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags))             \
	X(cuStreamAddCallback, (CUstream stream, CUstreamCallback fn, void *data, unsigned int flags)) \
	X(cuStreamBeginCapture_v2, (CUstream stream, int mode))                                \
	X(cuStreamEndCapture, (CUstream stream, CUgraph *graph))                               \
	X(cuLaunchHostFunc, (CUstream stream, CUhostFn fn, void *data))                        \
	X(cuEventCreate, (CUevent *event, unsigned int flags))                                 \
	X(cuEventRecord, (CUevent event, CUstream stream))                                     \
	X(cuEventSynchronize, (CUevent event))                                                 \
	X(cuEventQuery, (CUevent event))                                                       \
	X(cuEventElapsedTime, (float *ms, CUevent start, CUevent end))                         \
	X(cuEventDestroy_v2, (CUevent event))                                                  \
	X(cuModuleLoadData, (CUmodule *module, const void *image))                             \
	X(cuModuleUnload, (CUmodule module))                                                   \
	X(cuModuleGetFunction, (CUfunction *fn, CUmodule module, const char *name))            \
	X(cuLaunchKernel, (CUfunction fn, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, \
			   unsigned int by, unsigned int bz, unsigned int shmem, CUstream stream,      \
			   void **params, void **extra))                                               \
	X(cuLaunchKernelEx, (const CUlaunchConfig *config, CUfunction fn, void **params, void **extra)) \
	X(cuLaunchCooperativeKernel, (CUfunction fn, unsigned int gx, unsigned int gy, unsigned int gz,     \
				      unsigned int bx, unsigned int by, unsigned int bz, unsigned int shmem,  \
				      CUstream stream, void **params))                                 \
	X(cuGraphCreate, (CUgraph *graph, unsigned int flags))                                 \
	X(cuGraphDestroy, (CUgraph graph))                                                     \
	X(cuGraphAddMemAllocNode, (CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t nr, CUmemAllocNode *params)) \
	X(cuGraphAddMemFreeNode, (CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t nr, CUdeviceptr ptr)) \
	X(cuGraphInstantiateWithFlags, (CUgraphExec *exec, CUgraph graph, unsigned long long flags)) \
	X(cuGraphExecDestroy, (CUgraphExec exec))                                              \
	X(cuGraphLaunch, (CUgraphExec exec, CUstream stream))
