/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The few declarations of the CUDA driver API that the examples and the
 * simulated driver need, so that both build where no CUDA toolkit is
 * installed. Names, numbers and layouts are those of the public ABI; handles
 * are opaque. MINICUDA_DRIVER(X) lists the functions, X(name, arguments).
 */
#ifndef MINICUDA_H
#define MINICUDA_H

#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUmemHandle;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUarray_st *CUarray;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef void (*CUhostFn)(void *data);
typedef void (*CUstreamCallback)(CUstream stream, CUresult status, void *data);
typedef struct { char bytes[16]; } CUuuid;

enum {
	CU_OK = 0,
	CU_INVALID_VALUE = 1,
	CU_OUT_OF_MEMORY = 2,
	CU_NOT_INITIALIZED = 3,
	CU_DEINITIALIZED = 4,
	CU_NO_DEVICE = 100,
	CU_INVALID_DEVICE = 101,
	CU_INVALID_IMAGE = 200,
	CU_INVALID_CONTEXT = 201,
	CU_INVALID_HANDLE = 400,
	CU_NOT_FOUND = 500,
	CU_NOT_READY = 600,
	CU_ILLEGAL_ADDRESS = 700,
	CU_PRIMARY_CONTEXT_ACTIVE = 708,
	CU_CONTEXT_IS_DESTROYED = 709,
	CU_ALREADY_REGISTERED = 712,
	CU_NOT_REGISTERED = 713,
	CU_LAUNCH_FAILED = 719,
	CU_NOT_SUPPORTED = 801,
};

enum { MINI_HOST = 1, MINI_DEVICE = 2, MINI_ARRAY = 3, MINI_UNIFIED = 4 };	/* memory types */

/* One side of a 2D or 3D copy, in the order of the ABI. */
typedef struct {
	size_t srcXInBytes, srcY;
	int srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	size_t srcPitch;
	size_t dstXInBytes, dstY;
	int dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	size_t dstPitch;
	size_t WidthInBytes, Height;
} CUmemcpy2D;

typedef struct {
	size_t srcXInBytes, srcY, srcZ, srcLOD;
	int srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	void *srcContext;
	size_t srcPitch, srcHeight;
	size_t dstXInBytes, dstY, dstZ, dstLOD;
	int dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	void *dstContext;
	size_t dstPitch, dstHeight;
	size_t WidthInBytes, Height, Depth;
} CUmemcpy3D;

typedef struct {
	size_t Width, Height;
	int Format;
	unsigned int NumChannels;
} CUarrayDesc;

typedef struct {
	size_t Width, Height, Depth;
	int Format;
	unsigned int NumChannels, Flags;
} CUarray3DDesc;

typedef struct {
	unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
	CUstream hStream;
	void *attrs;
	unsigned int numAttrs;
} CUlaunchConfig;

typedef struct {
	CUfunction func;
	unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
	void **kernelParams, **extra;
} CUkernelNode;

typedef struct {
	unsigned char pool[88];		/* what kind of memory, and where */
	const void *accessDescs;
	size_t accessDescCount, bytesize;
	CUdeviceptr dptr;		/* out */
} CUmemAllocNode;

typedef struct {
	CUdeviceptr dst;
	size_t pitch;
	unsigned int value, elementSize;
	size_t width, height;
} CUmemsetNode;

typedef struct { int type, id; } CUmemLocation;

typedef struct {
	int type, requestedHandleTypes;
	CUmemLocation location;
	void *win32HandleMetaData;
	unsigned char allocFlags[8];
} CUmemProp;

typedef struct {
	CUmemLocation location;
	int flags;
} CUmemAccess;

typedef struct {
	int allocType, handleTypes;
	CUmemLocation location;
	void *win32SecurityAttributes;
	size_t maxSize;
	unsigned char reserved[56];
} CUpoolProps;

#include "minicuda_fns.h"

#endif
