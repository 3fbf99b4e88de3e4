/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copies and fills of the simulated driver: the bytes really move.
 *
 * Device addresses are checked against what is allocated; a wrong one is
 * CUDA_ERROR_INVALID_VALUE, as from a real driver's synchronous calls. The
 * synchronous forms wait for the default stream and work on the caller's
 * thread, the others on the stream's worker.
 */
#include <stdlib.h>
#include <string.h>
#include "driver.h"

enum side { ON_HOST, ON_DEVICE, ANYWHERE };

struct array {
	struct fake_obj o;
	struct fake_block *block;
	size_t row, rows;
};

static void *at(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static CUresult check(uint64_t p, size_t n, enum side side, bool write)
{
	if (!n)
		return CU_OK;
	if (!p)
		return CU_INVALID_VALUE;
	if (side == ON_HOST || fake_range_ok(p, n, write))
		return CU_OK;
	return side == ON_DEVICE ? CU_INVALID_VALUE : CU_OK;
}

static void run_copy(struct fake_item *it)
{
	memmove(at(it->copy.dst), at(it->copy.src), it->copy.n);
}

/* stream (void *)-1: do it now. */
#define NOW ((CUstream)(uintptr_t)-1)

static CUresult put(const struct fake_item *it, CUstream stream)
{
	struct fake_item now = *it;
	struct fake_stream *s = fake_stream(stream == NOW ? NULL : stream);

	if (!s)
		return stream == NOW ? CU_INVALID_CONTEXT : CU_INVALID_HANDLE;
	if (stream != NOW)
		return fake_queue(s, it);
	fake_stream_sync(s);
	if (!fake_broken())
		now.run(&now);
	return fake_broken();
}

static CUresult copy(uint64_t dst, enum side to, uint64_t src, enum side from, size_t n, CUstream stream)
{
	struct fake_item it = { .run = run_copy, .copy = { dst, src, n } };
	CUresult err;

	err = check(dst, n, to, true);
	err = err ? err : check(src, n, from, false);
	return err ? err : put(&it, stream);
}

#define H(p) ((uintptr_t)(p)), ON_HOST
#define D(p) (p), ON_DEVICE
#define U(p) (p), ANYWHERE

BODY(cuMemcpy, CUdeviceptr dst, CUdeviceptr src, size_t n)
{
	return copy(U(dst), U(src), n, NOW);
}

BODY(cuMemcpyAsync, CUdeviceptr dst, CUdeviceptr src, size_t n, CUstream stream)
{
	return copy(U(dst), U(src), n, stream);
}

BODY(cuMemcpyPeer, CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t n)
{
	if (!fake_get(FAKE_CTX, to) || !fake_get(FAKE_CTX, from))
		return CU_INVALID_CONTEXT;
	return copy(D(dst), D(src), n, NOW);
}

BODY(cuMemcpyPeerAsync, CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t n,
     CUstream stream)
{
	if (!fake_get(FAKE_CTX, to) || !fake_get(FAKE_CTX, from))
		return CU_INVALID_CONTEXT;
	return copy(D(dst), D(src), n, stream);
}

BODY(cuMemcpyHtoD_v2, CUdeviceptr dst, const void *src, size_t n)
{
	return copy(D(dst), H(src), n, NOW);
}

BODY(cuMemcpyDtoH_v2, void *dst, CUdeviceptr src, size_t n)
{
	return copy(H(dst), D(src), n, NOW);
}

BODY(cuMemcpyDtoD_v2, CUdeviceptr dst, CUdeviceptr src, size_t n)
{
	return copy(D(dst), D(src), n, NOW);
}

BODY(cuMemcpyHtoDAsync_v2, CUdeviceptr dst, const void *src, size_t n, CUstream stream)
{
	return copy(D(dst), H(src), n, stream);
}

BODY(cuMemcpyDtoHAsync_v2, void *dst, CUdeviceptr src, size_t n, CUstream stream)
{
	return copy(H(dst), D(src), n, stream);
}

BODY(cuMemcpyDtoDAsync_v2, CUdeviceptr dst, CUdeviceptr src, size_t n, CUstream stream)
{
	return copy(D(dst), D(src), n, stream);
}

/* --- fills ----------------------------------------------------------------- */

static void run_set(struct fake_item *it)
{
	unsigned char *p = at(it->set.dst);

	if (it->set.width == 1) {
		memset(p, (int)it->set.value, it->set.n);
		return;
	}
	for (uint64_t i = 0; i < it->set.n; i++)
		memcpy(p + i * it->set.width, &it->set.value, it->set.width);
}

static CUresult set(uint64_t dst, uint32_t value, uint32_t width, size_t n, CUstream stream)
{
	struct fake_item it = { .run = run_set, .set = { dst, n, value, width } };
	size_t bytes;

	if (dst % width || __builtin_mul_overflow(n, width, &bytes) || check(dst, bytes, ON_DEVICE, true))
		return CU_INVALID_VALUE;
	return put(&it, stream);
}

#define SET(bits, type)                                                                  \
	BODY(cuMemsetD##bits##_v2, CUdeviceptr dst, type value, size_t n)                \
	{                                                                                \
		return set(dst, value, bits / 8, n, NOW);                                \
	}                                                                                \
	BODY(cuMemsetD##bits##Async, CUdeviceptr dst, type value, size_t n, CUstream stream) \
	{                                                                                \
		return set(dst, value, bits / 8, n, stream);                             \
	}                                                                                \
	BODY(cuMemsetD2D##bits##_v2, CUdeviceptr dst, size_t pitch, type value, size_t n, size_t rows) \
	{                                                                                \
		CUresult err = CU_OK;                                                    \
		for (size_t i = 0; i < rows && !err; i++)                                \
			err = set(dst + i * pitch, value, bits / 8, n, NOW);             \
		return err;                                                              \
	}                                                                                \
	BODY(cuMemsetD2D##bits##Async, CUdeviceptr dst, size_t pitch, type value, size_t n, size_t rows, \
	     CUstream stream)                                                            \
	{                                                                                \
		CUresult err = CU_OK;                                                    \
		for (size_t i = 0; i < rows && !err; i++)                                \
			err = set(dst + i * pitch, value, bits / 8, n, stream);          \
		return err;                                                              \
	}

SET(8, unsigned char)
SET(16, unsigned short)
SET(32, unsigned int)

/* --- 2D and 3D --------------------------------------------------------------- */

struct plane { uint64_t base; size_t pitch, height; };

static CUresult plane_of(int type, const void *host, CUdeviceptr dev, CUarray array, size_t pitch,
			 size_t height, struct plane *ret_plane)
{
	struct array *a;

	ret_plane->pitch = pitch;
	ret_plane->height = height;
	switch (type) {
	case MINI_HOST:
		ret_plane->base = (uintptr_t)host;
		return host ? CU_OK : CU_INVALID_VALUE;
	case MINI_DEVICE:
	case MINI_UNIFIED:
		ret_plane->base = dev;
		return dev ? CU_OK : CU_INVALID_VALUE;
	case MINI_ARRAY:
		a = fake_get(FAKE_ARRAY, array);
		if (!a)
			return CU_INVALID_HANDLE;
		*ret_plane = (struct plane){ a->block->start, a->row, a->rows };
		return CU_OK;
	default:
		return CU_INVALID_VALUE;
	}
}

static CUresult check_plane(int type, const struct plane *p, size_t x, size_t y, size_t z,
			    const CUmemcpy3D *c, bool write)
{
	uint64_t first = p->base + x + p->pitch * (y + p->height * z);
	uint64_t rows = p->height * (c->Depth - 1) + c->Height - 1;

	if (type == MINI_HOST)
		return CU_OK;
	return check(first, rows * p->pitch + c->WidthInBytes, type == MINI_UNIFIED ? ANYWHERE : ON_DEVICE,
		     write);
}

static CUresult planes(const CUmemcpy3D *c, struct plane *ret_src, struct plane *ret_dst)
{
	CUresult err;

	err = plane_of(c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, c->srcPitch, c->srcHeight,
		       ret_src);
	if (!err)
		err = plane_of(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, c->dstPitch,
			       c->dstHeight, ret_dst);
	if (!err)
		err = check_plane(c->srcMemoryType, ret_src, c->srcXInBytes, c->srcY, c->srcZ, c, false);
	if (!err)
		err = check_plane(c->dstMemoryType, ret_dst, c->dstXInBytes, c->dstY, c->dstZ, c, true);
	return err;
}

static void run_copy3d(struct fake_item *it)
{
	CUmemcpy3D *c = it->copy3d;
	struct plane s, d;

	if (!planes(c, &s, &d)) {
		for (size_t z = 0; z < c->Depth; z++) {
			for (size_t y = 0; y < c->Height; y++) {
				size_t from = c->srcY + y + s.height * (c->srcZ + z);
				size_t to = c->dstY + y + d.height * (c->dstZ + z);

				memmove(at(d.base + c->dstXInBytes + d.pitch * to),
					at(s.base + c->srcXInBytes + s.pitch * from), c->WidthInBytes);
			}
		}
	}
	free(c);
}

static CUresult copy3d(const CUmemcpy3D *c, CUstream stream)
{
	struct fake_item it = { .run = run_copy3d };
	struct fake_stream *to = fake_stream(stream == NOW ? NULL : stream);
	struct plane s, d;
	CUresult err;

	if (!c)
		return CU_INVALID_VALUE;
	if (!c->WidthInBytes || !c->Height || !c->Depth)
		return CU_OK;
	err = planes(c, &s, &d);
	if (err)
		return err;
	if (to && to->capture && stream != NOW)
		return CU_NOT_SUPPORTED;
	it.copy3d = malloc(sizeof(*c));
	if (!it.copy3d)
		return CU_OUT_OF_MEMORY;
	*it.copy3d = *c;
	err = put(&it, stream);
	if (err)
		free(it.copy3d);
	return err;
}

static CUresult copy2d(const CUmemcpy2D *c, CUstream stream)
{
	CUmemcpy3D c3 = { .Depth = 1 };

	if (!c)
		return CU_INVALID_VALUE;
	c3.srcXInBytes = c->srcXInBytes;
	c3.srcY = c->srcY;
	c3.srcMemoryType = c->srcMemoryType;
	c3.srcHost = c->srcHost;
	c3.srcDevice = c->srcDevice;
	c3.srcArray = c->srcArray;
	c3.srcPitch = c->srcPitch ? c->srcPitch : c->WidthInBytes;
	c3.dstXInBytes = c->dstXInBytes;
	c3.dstY = c->dstY;
	c3.dstMemoryType = c->dstMemoryType;
	c3.dstHost = c->dstHost;
	c3.dstDevice = c->dstDevice;
	c3.dstArray = c->dstArray;
	c3.dstPitch = c->dstPitch ? c->dstPitch : c->WidthInBytes;
	c3.WidthInBytes = c->WidthInBytes;
	c3.Height = c->Height;
	return copy3d(&c3, stream);
}

BODY(cuMemcpy2D_v2, const CUmemcpy2D *c)
{
	return copy2d(c, NOW);
}

BODY(cuMemcpy2DAsync_v2, const CUmemcpy2D *c, CUstream stream)
{
	return copy2d(c, stream);
}

BODY(cuMemcpy3D_v2, const CUmemcpy3D *c)
{
	return copy3d(c, NOW);
}

BODY(cuMemcpy3DAsync_v2, const CUmemcpy3D *c, CUstream stream)
{
	return copy3d(c, stream);
}

/* --- arrays ------------------------------------------------------------------- */

static size_t format_bytes(int format)
{
	switch (format) {
	case 0x01: case 0x08:
		return 1;
	case 0x02: case 0x09: case 0x10:
		return 2;
	case 0x03: case 0x0a: case 0x20:
		return 4;
	default:
		return 0;
	}
}

BODY(cuArray3DCreate_v2, CUarray *array, const CUarray3DDesc *desc)
{
	struct fake_block *b;
	struct array *a;
	size_t row, rows, bytes;
	CUresult err;

	if (!array || !desc || !desc->Width || !format_bytes(desc->Format) ||
	    (desc->NumChannels != 1 && desc->NumChannels != 2 && desc->NumChannels != 4))
		return CU_INVALID_VALUE;
	rows = desc->Height ? desc->Height : 1;
	if (__builtin_mul_overflow(desc->Width, format_bytes(desc->Format) * desc->NumChannels, &row) ||
	    __builtin_mul_overflow(row, rows, &bytes) ||
	    __builtin_mul_overflow(bytes, desc->Depth ? desc->Depth : 1, &bytes))
		return CU_INVALID_VALUE;
	b = fake_block_alloc(fake_ctx(), bytes, &err);
	if (!b)
		return err;
	a = fake_new(sizeof(*a), FAKE_ARRAY, fake_ctx());
	a->block = b;
	a->row = row;
	a->rows = rows;
	*array = (CUarray)a;
	return CU_OK;
}

BODY(cuArrayCreate_v2, CUarray *array, const CUarrayDesc *desc)
{
	CUarray3DDesc d = { 0 };

	if (!desc)
		return CU_INVALID_VALUE;
	d.Width = desc->Width;
	d.Height = desc->Height;
	d.Format = desc->Format;
	d.NumChannels = desc->NumChannels;
	return body_cuArray3DCreate_v2(array, &d);
}

BODY(cuArrayDestroy, CUarray array)
{
	struct array *a = fake_del(FAKE_ARRAY, array);

	if (!a)
		return CU_INVALID_HANDLE;
	fake_block_free(a->block->start);
	free(a);
	return CU_OK;
}
