/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Device and host memory of the simulated driver.
 *
 * A device is one reserved address range backed by host pages on first touch.
 * Blocks lie in address order, free ones in bins by power of two; free merges
 * neighbours. Accounting is in units of 512 bytes. Host memory is mmapped.
 * Every free gives touched pages back, so a long run stays small.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "driver.h"

#define UNIT 512u
#define BIN_TRIES 16

struct host_mem {
	struct fake_obj o;
	size_t bytes;
};

static unsigned int bin_of(uint64_t size)
{
	return 63u - (unsigned int)__builtin_clzll(size);
}

static void bin_add(struct fake_device *d, struct fake_block *b)
{
	unsigned int i = bin_of(b->size);

	b->bin_prev = NULL;
	b->bin_next = d->bins[i];
	if (b->bin_next)
		b->bin_next->bin_prev = b;
	d->bins[i] = b;
	d->bin_map |= 1ull << i;
}

static void bin_del(struct fake_device *d, struct fake_block *b)
{
	unsigned int i = bin_of(b->size);

	if (b->bin_prev)
		b->bin_prev->bin_next = b->bin_next;
	else
		d->bins[i] = b->bin_next;
	if (b->bin_next)
		b->bin_next->bin_prev = b->bin_prev;
	if (!d->bins[i])
		d->bin_map &= ~(1ull << i);
}

static struct fake_block *bin_find(struct fake_device *d, uint64_t size)
{
	unsigned int i = bin_of(size);
	struct fake_block *b = d->bins[i];
	uint64_t higher;

	for (int n = 0; b && n < BIN_TRIES; b = b->bin_next, n++)
		if (b->size >= size)
			return b;
	higher = d->bin_map & ~((2ull << i) - 1);
	if (higher)
		return d->bins[__builtin_ctzll(higher)];
	for (b = d->bins[i]; b; b = b->bin_next)
		if (b->size >= size)
			return b;
	return NULL;
}

static struct fake_block *new_block(struct fake_device *d, uint64_t start, uint64_t size)
{
	struct fake_block *b = calloc(1, sizeof(*b));

	if (!b)
		abort();
	b->dev = d;
	b->start = start;
	b->size = size;
	return b;
}

static bool arena(struct fake_device *d)
{
	void *p;

	if (d->base)
		return true;
	p = mmap(NULL, d->total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		 -1, 0);
	if (p == MAP_FAILED)
		return false;
	d->base = (uintptr_t)p;
	d->lowest = new_block(d, d->base, d->total / UNIT * UNIT);
	bin_add(d, d->lowest);
	return true;
}

/* Cuts size bytes off the front of the free block b and returns them. */
static struct fake_block *cut(struct fake_device *d, struct fake_block *b, uint64_t size)
{
	struct fake_block *front;

	bin_del(d, b);
	if (b->size == size)
		return b;
	front = new_block(d, b->start, size);
	front->lower = b->lower;
	front->upper = b;
	if (b->lower)
		b->lower->upper = front;
	else
		d->lowest = front;
	b->lower = front;
	b->start += size;
	b->size -= size;
	bin_add(d, b);
	return front;
}

struct fake_block *fake_block_alloc(struct fake_ctx *ctx, size_t bytes, CUresult *ret_err)
{
	uint64_t size = ((uint64_t)bytes + UNIT - 1) / UNIT * UNIT;
	struct fake_device *d;
	struct fake_block *b = NULL;

	*ret_err = !ctx ? CU_INVALID_CONTEXT : !bytes ? CU_INVALID_VALUE : CU_OUT_OF_MEMORY;
	if (!ctx || !bytes || size < bytes)
		return NULL;
	d = ctx->dev;
	pthread_mutex_lock(&fake_lock);
	if (arena(d) && size <= d->total - d->used)
		b = bin_find(d, size);
	if (b) {
		b = cut(d, b, size);
		b->used = true;
		b->touched = false;
		b->asked = bytes;
		d->used += size;
		fake_add_locked(b, FAKE_BLOCK, b->start, ctx);
		*ret_err = CU_OK;
	}
	pthread_mutex_unlock(&fake_lock);
	if (b)
		*ret_err = fake_rm_memory(size, &b->rm);
	if (b && *ret_err) {
		fake_block_free(b->start);
		b = NULL;
	}
	return b;
}

/* The free block `upper` becomes part of the free block `b` below it. */
static void merge(struct fake_device *d, struct fake_block *b, struct fake_block *upper)
{
	bin_del(d, upper);
	b->size += upper->size;
	b->upper = upper->upper;
	if (b->upper)
		b->upper->lower = b;
	free(upper);
}

static void release_locked(struct fake_block *b)
{
	struct fake_device *d = b->dev;

	/* 512-byte neighbours share pages: give back only the pages wholly inside. */
	if (b->touched) {
		uint64_t from = (b->start + 4095) & ~4095ull, to = (b->start + b->size) & ~4095ull;

		if (to > from)
			madvise((void *)(uintptr_t)from, to - from, MADV_DONTNEED);
	}
	fake_rm_free(b->rm);
	b->rm = 0;
	b->used = false;
	d->used -= b->size;
	if (b->upper && !b->upper->used)
		merge(d, b, b->upper);
	if (b->lower && !b->lower->used) {
		struct fake_block *lower = b->lower;

		bin_del(d, lower);
		bin_add(d, b);	/* merge() takes it out again */
		merge(d, lower, b);
		b = lower;
	}
	bin_add(d, b);
}

CUresult fake_block_free(CUdeviceptr ptr)
{
	struct fake_graph_mem *m;
	struct fake_block *b;
	bool ok;

	pthread_mutex_lock(&fake_lock);
	m = fake_get_locked(FAKE_GRAPH_MEM, ptr);
	b = m ? NULL : fake_del_locked(FAKE_BLOCK, ptr);
	ok = m ? m->live : b != NULL;
	if (m)
		m->live = false;
	if (b)
		release_locked(b);
	pthread_mutex_unlock(&fake_lock);
	return ok ? CU_OK : CU_INVALID_VALUE;
}

void fake_ctx_free_memory_locked(struct fake_ctx *ctx)
{
	struct fake_obj *o, *next;

	for (o = fake_first(FAKE_BLOCK); o; o = next) {
		next = o->next;
		if (o->ctx == ctx)
			release_locked(fake_del_locked(FAKE_BLOCK, o->key));
	}
}

/* The block that ptr points into; starts are found by hash, the rest by walking. */
static struct fake_block *block_of(CUdeviceptr ptr)
{
	struct fake_block *b = fake_get_locked(FAKE_BLOCK, ptr);
	struct fake_obj *o;

	for (o = fake_first(FAKE_BLOCK); !b && o; o = o->next) {
		struct fake_block *x = (struct fake_block *)o;

		if (ptr >= x->start && ptr - x->start < x->size)
			b = x;
	}
	return b;
}

struct range {
	struct fake_obj o;
	uint64_t bytes;
};

/* True if n bytes at ptr lie inside one allocation or reserved address range. */
bool fake_range_ok(CUdeviceptr ptr, size_t n, bool write)
{
	struct fake_block *b;
	struct fake_obj *o;
	bool ok = false;

	pthread_mutex_lock(&fake_lock);
	b = block_of(ptr);
	if (b) {
		ok = n <= b->size - (ptr - b->start);
		b->touched |= write;
	}
	for (o = fake_first(FAKE_RANGE); !b && !ok && o; o = o->next)
		ok = ptr >= o->key && ptr - o->key < ((struct range *)o)->bytes &&
		     n <= ((struct range *)o)->bytes - (ptr - o->key);
	pthread_mutex_unlock(&fake_lock);
	return ok;
}

void fake_memory_free(void)
{
	for (int i = 0; i < fake_nr_devices(); i++) {
		struct fake_device *d = fake_device(i);
		struct fake_block *b, *next;

		for (b = d->lowest; b; b = next) {
			next = b->upper;
			free(b);
		}
		if (d->base)
			munmap((void *)(uintptr_t)d->base, d->total);
		d->lowest = NULL;
		d->base = 0;
	}
}

static CUresult alloc(CUdeviceptr *ptr, size_t bytes, bool touched)
{
	struct fake_block *b;
	CUresult err;

	if (!ptr)
		return CU_INVALID_VALUE;
	b = fake_block_alloc(fake_ctx(), bytes, &err);
	if (!b)
		return err;
	b->touched = touched;
	*ptr = b->start;
	return CU_OK;
}

BODY(cuMemAlloc_v2, CUdeviceptr *ptr, size_t bytes)
{
	return alloc(ptr, bytes, false);
}

BODY(cuMemAllocPitch_v2, CUdeviceptr *ptr, size_t *pitch, size_t width, size_t height, unsigned int element)
{
	size_t row = (width + UNIT - 1) / UNIT * UNIT, bytes;
	CUresult err;

	if (!pitch || (element != 4 && element != 8 && element != 16))
		return CU_INVALID_VALUE;
	if (__builtin_mul_overflow(row, height, &bytes))
		return CU_OUT_OF_MEMORY;
	err = alloc(ptr, bytes, false);
	if (!err)
		*pitch = row;
	return err;
}

/* The program may touch managed memory itself, so its pages count as touched. */
BODY(cuMemAllocManaged, CUdeviceptr *ptr, size_t bytes, unsigned int flags)
{
	if (flags != 1 && flags != 2)
		return CU_INVALID_VALUE;
	return alloc(ptr, bytes, true);
}

BODY(cuMemFree_v2, CUdeviceptr ptr)
{
	struct fake_ctx *c = fake_ctx();

	if (!c)
		return CU_INVALID_CONTEXT;
	if (!ptr)
		return CU_OK;
	fake_ctx_sync(c);
	return fake_block_free(ptr);
}

BODY(cuMemGetInfo_v2, size_t *free_bytes, size_t *total)
{
	struct fake_ctx *c = fake_ctx();

	if (!free_bytes || !total)
		return CU_INVALID_VALUE;
	if (!c)
		return CU_INVALID_CONTEXT;
	pthread_mutex_lock(&fake_lock);
	*free_bytes = c->dev->total - c->dev->used;
	*total = c->dev->total;
	pthread_mutex_unlock(&fake_lock);
	return CU_OK;
}

BODY(cuMemGetAddressRange_v2, CUdeviceptr *base, size_t *bytes, CUdeviceptr ptr)
{
	struct fake_block *b;

	pthread_mutex_lock(&fake_lock);
	b = block_of(ptr);
	if (b && base)
		*base = b->start;
	if (b && bytes)
		*bytes = b->asked;
	pthread_mutex_unlock(&fake_lock);
	return b ? CU_OK : CU_NOT_FOUND;
}

/* --- host memory ----------------------------------------------------------- */

BODY(cuMemHostAlloc, void **ptr, size_t bytes, unsigned int flags)
{
	struct host_mem *h;
	void *p;

	if (!ptr || !bytes || flags > 7)
		return CU_INVALID_VALUE;
	if (!fake_ctx())
		return CU_INVALID_CONTEXT;
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return CU_OUT_OF_MEMORY;
	h = calloc(1, sizeof(*h));
	if (!h)
		abort();
	h->bytes = bytes;
	pthread_mutex_lock(&fake_lock);
	fake_add_locked(h, FAKE_HOST, (uintptr_t)p, fake_ctx());
	pthread_mutex_unlock(&fake_lock);
	*ptr = p;
	return CU_OK;
}

BODY(cuMemAllocHost_v2, void **ptr, size_t bytes)
{
	return body_cuMemHostAlloc(ptr, bytes, 0);
}

BODY(cuMemFreeHost, void *ptr)
{
	struct fake_ctx *c = fake_ctx();
	struct host_mem *h;

	if (!c)
		return CU_INVALID_CONTEXT;
	fake_ctx_sync(c);
	h = fake_del(FAKE_HOST, ptr);
	if (!h)
		return CU_INVALID_VALUE;
	munmap(ptr, h->bytes);
	free(h);
	return CU_OK;
}

BODY(cuMemHostGetDevicePointer_v2, CUdeviceptr *dev, void *ptr, unsigned int flags)
{
	if (!dev || flags)
		return CU_INVALID_VALUE;
	if (!fake_get(FAKE_HOST, ptr) && !fake_get(FAKE_HOSTREG, ptr))
		return CU_INVALID_VALUE;
	*dev = (uintptr_t)ptr;
	return CU_OK;
}

BODY(cuMemHostGetFlags, unsigned int *flags, void *ptr)
{
	if (!flags || !fake_get(FAKE_HOST, ptr))
		return CU_INVALID_VALUE;
	*flags = 0;
	return CU_OK;
}

BODY(cuMemHostRegister_v2, void *ptr, size_t bytes, unsigned int flags)
{
	struct host_mem *h;

	if (!ptr || !bytes || flags > 15)
		return CU_INVALID_VALUE;
	if (!fake_ctx())
		return CU_INVALID_CONTEXT;
	if (fake_get(FAKE_HOSTREG, ptr))
		return CU_ALREADY_REGISTERED;
	h = calloc(1, sizeof(*h));
	if (!h)
		abort();
	h->bytes = bytes;
	pthread_mutex_lock(&fake_lock);
	fake_add_locked(h, FAKE_HOSTREG, (uintptr_t)ptr, fake_ctx());
	pthread_mutex_unlock(&fake_lock);
	return CU_OK;
}

BODY(cuMemHostUnregister, void *ptr)
{
	struct host_mem *h = fake_del(FAKE_HOSTREG, ptr);

	free(h);
	return h ? CU_OK : CU_NOT_REGISTERED;
}
