/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory pools and virtual memory management of the simulated driver.
 *
 * A pool allocates at once and frees in stream order. cuMemCreate takes bytes
 * of the device; address ranges are reserved without access, mapping gives a
 * range to a handle and cuMemSetAccess opens it. Two mappings of one handle do
 * not show the same bytes: nothing here depends on it.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include "driver.h"

#define GRANULARITY (2u << 20)

struct phys {
	struct fake_obj o;
	struct fake_device *dev;
	size_t bytes;
	unsigned int maps;
	bool released;
};

struct mapping {
	struct mapping *next;
	uint64_t start, bytes;
	struct phys *phys;
};

struct range {
	struct fake_obj o;
	uint64_t bytes;
};

struct pool {
	struct fake_obj o;
	struct fake_device *dev;
};

static struct mapping *mappings;

static CUresult alloc_async(CUdeviceptr *ptr, size_t bytes, CUstream stream)
{
	struct fake_stream *s = fake_stream(stream);
	struct fake_block *b;
	CUresult err;

	if (!s)
		return CU_INVALID_HANDLE;
	if (!ptr)
		return CU_INVALID_VALUE;
	b = fake_block_alloc(s->o.ctx, bytes, &err);
	if (b)
		*ptr = b->start;
	return err;
}

BODY(cuMemAllocAsync, CUdeviceptr *ptr, size_t bytes, CUstream stream)
{
	return alloc_async(ptr, bytes, stream);
}

BODY(cuMemAllocFromPoolAsync, CUdeviceptr *ptr, size_t bytes, CUmemoryPool pool, CUstream stream)
{
	return fake_get(FAKE_POOL, pool) ? alloc_async(ptr, bytes, stream) : CU_INVALID_HANDLE;
}

static void run_free(struct fake_item *it)
{
	fake_block_free(it->copy.dst);
}

BODY(cuMemFreeAsync, CUdeviceptr ptr, CUstream stream)
{
	struct fake_item it = { .run = run_free, .copy = { ptr, 0, 0 } };
	struct fake_stream *s = fake_stream(stream);
	bool known;

	if (!s)
		return CU_INVALID_HANDLE;
	pthread_mutex_lock(&fake_lock);
	known = fake_get_locked(FAKE_BLOCK, ptr) != NULL;
	pthread_mutex_unlock(&fake_lock);
	return known ? fake_queue(s, &it) : CU_INVALID_VALUE;
}

BODY(cuMemPoolCreate, CUmemoryPool *pool, const CUpoolProps *props)
{
	struct pool *p;

	if (!pool || !props || !fake_device(props->location.id))
		return CU_INVALID_VALUE;
	p = fake_new(sizeof(*p), FAKE_POOL, NULL);
	p->dev = fake_device(props->location.id);
	*pool = (CUmemoryPool)p;
	return CU_OK;
}

BODY(cuMemPoolDestroy, CUmemoryPool pool)
{
	struct pool *p = fake_del(FAKE_POOL, pool);

	free(p);
	return p ? CU_OK : CU_INVALID_HANDLE;
}

BODY(cuMemPoolTrimTo, CUmemoryPool pool, size_t keep)
{
	(void)keep;
	return fake_get(FAKE_POOL, pool) ? CU_OK : CU_INVALID_HANDLE;
}

BODY(cuDeviceGetDefaultMemPool, CUmemoryPool *pool, CUdevice dev)
{
	static struct pool *pools[16];
	struct fake_device *d = fake_device(dev);

	if (!pool)
		return CU_INVALID_VALUE;
	if (!d)
		return CU_INVALID_DEVICE;
	if (!pools[dev]) {
		pools[dev] = fake_new(sizeof(**pools), FAKE_POOL, NULL);
		pools[dev]->dev = d;
	}
	*pool = (CUmemoryPool)pools[dev];
	return CU_OK;
}

BODY(cuDeviceGetMemPool, CUmemoryPool *pool, CUdevice dev)
{
	return body_cuDeviceGetDefaultMemPool(pool, dev);
}

BODY(cuDeviceSetMemPool, CUdevice dev, CUmemoryPool pool)
{
	if (!fake_device(dev))
		return CU_INVALID_DEVICE;
	return fake_get(FAKE_POOL, pool) ? CU_OK : CU_INVALID_HANDLE;
}

/* --- virtual memory management ------------------------------------------------ */

BODY(cuMemGetAllocationGranularity, size_t *granularity, const CUmemProp *prop, int option)
{
	if (!granularity || !prop || option < 0 || option > 1)
		return CU_INVALID_VALUE;
	*granularity = GRANULARITY;
	return CU_OK;
}

BODY(cuMemAddressReserve, CUdeviceptr *ptr, size_t bytes, size_t align, CUdeviceptr hint,
     unsigned long long flags)
{
	struct range *r;
	void *p;

	if (!ptr || !bytes || bytes % 4096 || flags || (align & (align - 1)))
		return CU_INVALID_VALUE;
	p = mmap((void *)(uintptr_t)hint, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		 0);
	if (p == MAP_FAILED)
		return CU_OUT_OF_MEMORY;
	r = calloc(1, sizeof(*r));
	if (!r)
		abort();
	r->bytes = bytes;
	pthread_mutex_lock(&fake_lock);
	fake_add_locked(r, FAKE_RANGE, (uintptr_t)p, NULL);
	pthread_mutex_unlock(&fake_lock);
	*ptr = (uintptr_t)p;
	return CU_OK;
}

BODY(cuMemAddressFree, CUdeviceptr ptr, size_t bytes)
{
	struct range *r;

	pthread_mutex_lock(&fake_lock);
	r = fake_get_locked(FAKE_RANGE, ptr);
	if (r && r->bytes == bytes)
		fake_del_locked(FAKE_RANGE, ptr);
	else
		r = NULL;
	pthread_mutex_unlock(&fake_lock);
	if (!r)
		return CU_INVALID_VALUE;
	munmap((void *)(uintptr_t)ptr, bytes);
	free(r);
	return CU_OK;
}

BODY(cuMemCreate, CUmemHandle *handle, size_t bytes, const CUmemProp *prop, unsigned long long flags)
{
	struct fake_device *d = prop ? fake_device(prop->location.id) : NULL;
	CUresult err = CU_OUT_OF_MEMORY;
	struct phys *p;

	if (!handle || !d || !bytes || bytes % GRANULARITY || flags)
		return CU_INVALID_VALUE;
	p = fake_new(sizeof(*p), FAKE_PHYS, NULL);
	pthread_mutex_lock(&fake_lock);
	if (bytes <= d->total - d->used) {
		d->used += bytes;
		p->dev = d;
		p->bytes = bytes;
		*handle = (uintptr_t)p;
		err = CU_OK;
	}
	pthread_mutex_unlock(&fake_lock);
	if (err) {
		fake_del(FAKE_PHYS, p);
		free(p);
	}
	return err;
}

/* Memory goes back once it is released and no mapping is left. */
static void put_phys_locked(struct phys *p)
{
	if (!p->released || p->maps)
		return;
	p->dev->used -= p->bytes;
	fake_del_locked(FAKE_PHYS, (uintptr_t)p);
	free(p);
}

static struct phys *phys_locked(CUmemHandle handle)
{
	struct phys *p = fake_get_locked(FAKE_PHYS, handle);

	return p && !p->released ? p : NULL;
}

BODY(cuMemRelease, CUmemHandle handle)
{
	struct phys *p;

	pthread_mutex_lock(&fake_lock);
	p = phys_locked(handle);
	if (p) {
		p->released = true;
		put_phys_locked(p);
	}
	pthread_mutex_unlock(&fake_lock);
	return p ? CU_OK : CU_INVALID_VALUE;
}

static bool inside_range_locked(uint64_t ptr, uint64_t bytes)
{
	for (struct fake_obj *o = fake_first(FAKE_RANGE); o; o = o->next) {
		struct range *r = (struct range *)o;

		if (ptr >= o->key && ptr - o->key < r->bytes && bytes <= r->bytes - (ptr - o->key))
			return true;
	}
	return false;
}

BODY(cuMemMap, CUdeviceptr ptr, size_t bytes, size_t offset, CUmemHandle handle, unsigned long long flags)
{
	CUresult err = CU_INVALID_VALUE;
	struct mapping *m = calloc(1, sizeof(*m));
	struct phys *p;

	if (!m)
		return CU_OUT_OF_MEMORY;
	pthread_mutex_lock(&fake_lock);
	p = phys_locked(handle);
	if (p && !flags && bytes && !offset && bytes <= p->bytes && inside_range_locked(ptr, bytes)) {
		*m = (struct mapping){ mappings, ptr, bytes, p };
		mappings = m;
		p->maps++;
		err = CU_OK;
	}
	pthread_mutex_unlock(&fake_lock);
	if (err)
		free(m);
	return err;
}

BODY(cuMemUnmap, CUdeviceptr ptr, size_t bytes)
{
	struct mapping **at, *m;
	bool any = false;

	pthread_mutex_lock(&fake_lock);
	for (at = &mappings; (m = *at);) {
		if (m->start < ptr || m->start + m->bytes > ptr + bytes) {
			at = &m->next;
			continue;
		}
		*at = m->next;
		madvise((void *)(uintptr_t)m->start, m->bytes, MADV_DONTNEED);
		mprotect((void *)(uintptr_t)m->start, m->bytes, PROT_NONE);
		m->phys->maps--;
		put_phys_locked(m->phys);
		free(m);
		any = true;
	}
	pthread_mutex_unlock(&fake_lock);
	return any ? CU_OK : CU_INVALID_VALUE;
}

BODY(cuMemSetAccess, CUdeviceptr ptr, size_t bytes, const CUmemAccess *desc, size_t count)
{
	CUresult err = CU_INVALID_VALUE;

	if (!desc || !count)
		return CU_INVALID_VALUE;
	pthread_mutex_lock(&fake_lock);
	if (inside_range_locked(ptr, bytes)) {
		int prot = desc->flags == 3 ? PROT_READ | PROT_WRITE : desc->flags ? PROT_READ : PROT_NONE;

		err = mprotect((void *)(uintptr_t)ptr, bytes, prot) ? CU_INVALID_VALUE : CU_OK;
	}
	pthread_mutex_unlock(&fake_lock);
	return err;
}

/* At exit: address ranges, mappings and host memory that the program kept. */
void fake_vmm_free(void)
{
	struct mapping *m;

	while ((m = mappings)) {
		mappings = m->next;
		free(m);
	}
	for (struct fake_obj *o = fake_first(FAKE_RANGE); o; o = o->next)
		munmap((void *)(uintptr_t)o->key, ((struct range *)o)->bytes);
	for (struct fake_obj *o = fake_first(FAKE_HOST); o; o = o->next)
		munmap((void *)(uintptr_t)o->key, ((struct range *)o)->bytes);
}
