/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The simulated libcudart's memory, copies, streams and events: each function
 * makes a context current if there is none and calls the driver once.
 */
#include <stdbool.h>
#include <string.h>
#include "cudart.h"

enum kind { H2H, H2D, D2H, D2D, ANY };

/* One driver call in a context; its error is kept. */
#define DRIVE(call) do {                                        \
	int err_ = cudart_enter();                              \
	return cudart_fail(err_ ? err_ : cudart_drv.call);      \
} while (0)

CUDART(cudaMalloc, void **ptr, size_t bytes)
{
	DRIVE(alloc((CUdeviceptr *)ptr, bytes));
}

CUDART(cudaFree, void *ptr)
{
	DRIVE(free((uintptr_t)ptr));
}

CUDART(cudaMallocPitch, void **ptr, size_t *pitch, size_t width, size_t height)
{
	DRIVE(alloc_pitch((CUdeviceptr *)ptr, pitch, width, height, 4));
}

CUDART(cudaMallocManaged, void **ptr, size_t bytes, unsigned int flags)
{
	DRIVE(alloc_managed((CUdeviceptr *)ptr, bytes, flags));
}

CUDART(cudaMallocAsync, void **ptr, size_t bytes, CUstream stream)
{
	DRIVE(alloc_async((CUdeviceptr *)ptr, bytes, stream));
}

CUDART(cudaMallocAsync_ptsz, void **ptr, size_t bytes, CUstream stream)
{
	DRIVE(alloc_async_ptsz((CUdeviceptr *)ptr, bytes, stream));
}

CUDART(cudaFreeAsync, void *ptr, CUstream stream)
{
	DRIVE(free_async((uintptr_t)ptr, stream));
}

CUDART(cudaFreeAsync_ptsz, void *ptr, CUstream stream)
{
	DRIVE(free_async_ptsz((uintptr_t)ptr, stream));
}

CUDART(cudaMallocHost, void **ptr, size_t bytes)
{
	DRIVE(host_alloc(ptr, bytes, 0));
}

CUDART(cudaHostAlloc, void **ptr, size_t bytes, unsigned int flags)
{
	DRIVE(host_alloc(ptr, bytes, flags));
}

CUDART(cudaFreeHost, void *ptr)
{
	DRIVE(host_free(ptr));
}

CUDART(cudaHostRegister, void *ptr, size_t bytes, unsigned int flags)
{
	DRIVE(host_register(ptr, bytes, flags));
}

CUDART(cudaHostUnregister, void *ptr)
{
	DRIVE(host_unregister(ptr));
}

CUDART(cudaMemGetInfo, size_t *free_bytes, size_t *total)
{
	DRIVE(mem_info(free_bytes, total));
}

static int copy(void *dst, const void *src, size_t n, enum kind kind, bool per_thread)
{
	CUdeviceptr d = (uintptr_t)dst, s = (uintptr_t)src;
	int err = cudart_enter();

	if (err)
		return cudart_fail(err);
	switch (kind) {
	case H2H:
		memmove(dst, src, n);
		break;
	case H2D:
		err = (per_thread ? cudart_drv.h2d_ptds : cudart_drv.h2d)(d, src, n);
		break;
	case D2H:
		err = (per_thread ? cudart_drv.d2h_ptds : cudart_drv.d2h)(dst, s, n);
		break;
	case D2D:
		err = (per_thread ? cudart_drv.d2d_ptds : cudart_drv.d2d)(d, s, n);
		break;
	case ANY:
		err = cudart_drv.copy(d, s, n);
		break;
	default:
		err = CU_INVALID_VALUE;
	}
	return cudart_fail(err);
}

static int copy_async(void *dst, const void *src, size_t n, enum kind kind, CUstream st, bool per_thread)
{
	CUdeviceptr d = (uintptr_t)dst, s = (uintptr_t)src;
	int err = cudart_enter();

	if (err)
		return cudart_fail(err);
	switch (kind) {
	case H2D:
		err = (per_thread ? cudart_drv.h2d_async_ptsz : cudart_drv.h2d_async)(d, src, n, st);
		break;
	case D2H:
		err = (per_thread ? cudart_drv.d2h_async_ptsz : cudart_drv.d2h_async)(dst, s, n, st);
		break;
	case D2D:
		err = (per_thread ? cudart_drv.d2d_async_ptsz : cudart_drv.d2d_async)(d, s, n, st);
		break;
	case H2H:
	case ANY:
		err = cudart_drv.copy_async(d, s, n, st);
		break;
	default:
		err = CU_INVALID_VALUE;
	}
	return cudart_fail(err);
}

CUDART(cudaMemcpy, void *dst, const void *src, size_t n, int kind)
{
	return copy(dst, src, n, (enum kind)kind, false);
}

CUDART(cudaMemcpy_ptds, void *dst, const void *src, size_t n, int kind)
{
	return copy(dst, src, n, (enum kind)kind, true);
}

CUDART(cudaMemcpyAsync, void *dst, const void *src, size_t n, int kind, CUstream stream)
{
	return copy_async(dst, src, n, (enum kind)kind, stream, false);
}

CUDART(cudaMemcpyAsync_ptsz, void *dst, const void *src, size_t n, int kind, CUstream stream)
{
	return copy_async(dst, src, n, (enum kind)kind, stream, true);
}

CUDART(cudaMemset, void *dst, int value, size_t n)
{
	DRIVE(set8((uintptr_t)dst, (unsigned char)value, n));
}

CUDART(cudaMemsetAsync, void *dst, int value, size_t n, CUstream stream)
{
	DRIVE(set8_async((uintptr_t)dst, (unsigned char)value, n, stream));
}

CUDART(cudaStreamCreate, CUstream *stream)
{
	DRIVE(stream_create(stream, 0));
}

CUDART(cudaStreamCreateWithFlags, CUstream *stream, unsigned int flags)
{
	DRIVE(stream_create(stream, flags));
}

CUDART(cudaStreamDestroy, CUstream stream)
{
	DRIVE(stream_destroy(stream));
}

CUDART(cudaStreamSynchronize, CUstream stream)
{
	DRIVE(stream_sync(stream));
}

CUDART(cudaStreamSynchronize_ptsz, CUstream stream)
{
	DRIVE(stream_sync_ptsz(stream));
}

CUDART(cudaStreamQuery, CUstream stream)
{
	DRIVE(stream_query(stream));
}

CUDART(cudaStreamWaitEvent, CUstream stream, CUevent event, unsigned int flags)
{
	DRIVE(stream_wait(stream, event, flags));
}

CUDART(cudaEventCreate, CUevent *event)
{
	DRIVE(event_create(event, 0));
}

CUDART(cudaEventCreateWithFlags, CUevent *event, unsigned int flags)
{
	DRIVE(event_create(event, flags));
}

CUDART(cudaEventDestroy, CUevent event)
{
	DRIVE(event_destroy(event));
}

CUDART(cudaEventRecord, CUevent event, CUstream stream)
{
	DRIVE(event_record(event, stream));
}

CUDART(cudaEventSynchronize, CUevent event)
{
	DRIVE(event_sync(event));
}

CUDART(cudaEventQuery, CUevent event)
{
	DRIVE(event_query(event));
}

CUDART(cudaEventElapsedTime, float *ms, CUevent start, CUevent end)
{
	DRIVE(event_elapsed(ms, start, end));
}
