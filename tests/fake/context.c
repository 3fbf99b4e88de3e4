/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Contexts of the simulated driver: the stack of each thread, primary contexts
 * by reference count, and the end of a context, which frees its memory and
 * streams and leaves its handle answering CUDA_ERROR_CONTEXT_IS_DESTROYED.
 */
#include <stdlib.h>
#include "driver.h"

#define MAX_STACK 32

static pthread_mutex_t primary_lock = PTHREAD_MUTEX_INITIALIZER;

static __thread struct {
	struct fake_ctx *stack[MAX_STACK];
	unsigned int depth;	/* 0: no current context */
} tls __attribute__((tls_model("initial-exec")));

static CUcontext handle(struct fake_ctx *c)
{
	return (CUcontext)c;
}

struct fake_ctx *fake_ctx(void)
{
	struct fake_ctx *c = tls.depth ? tls.stack[tls.depth - 1] : NULL;

	return c && !c->dead ? c : NULL;
}

static struct fake_ctx *lookup(CUcontext ctx)
{
	return fake_get(FAKE_CTX, ctx);
}

static CUresult open_ctx(struct fake_ctx *c, struct fake_device *dev, unsigned int flags)
{
	CUresult err = fake_rm_open_context(&c->rm);

	if (err)
		return err;
	c->dev = dev;
	c->flags = flags;
	c->dead = false;
	c->pending = 0;
	c->stream0 = fake_stream_new(c, 0);
	return CU_OK;
}

static void close_ctx(struct fake_ctx *c)
{
	struct fake_obj *o, *next;

	fake_ctx_sync(c);
	c->dead = true;
	for (o = fake_first(FAKE_STREAM); o; o = next) {
		next = o->next;
		if (o->ctx == c)
			fake_stream_end((struct fake_stream *)o);
	}
	c->stream0 = NULL;
	pthread_mutex_lock(&fake_lock);
	fake_ctx_free_memory_locked(c);
	pthread_mutex_unlock(&fake_lock);
	fake_rm_close_context(&c->rm);
}

void fake_ctx_sync(struct fake_ctx *c)
{
	struct fake_stream *s[256];
	unsigned int n = 0;
	struct fake_obj *o;

	if (!__atomic_load_n(&c->pending, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&fake_lock);
	for (o = fake_first(FAKE_STREAM); o && n < 256; o = o->next)
		if (o->ctx == c && __atomic_add_fetch(&o->refs, 1, __ATOMIC_RELAXED))
			s[n++] = (struct fake_stream *)o;
	pthread_mutex_unlock(&fake_lock);
	while (n) {
		fake_stream_sync(s[--n]);
		fake_stream_put(s[n]);
	}
}

/* At exit: contexts that were created; primary contexts lie in their device. */
void fake_contexts_free(void)
{
	struct fake_obj *o, *next;

	for (o = fake_first(FAKE_CTX); o; o = next) {
		struct fake_ctx *c = (struct fake_ctx *)o;

		next = o->next;
		if (c != &c->dev->primary)
			free(c);
	}
}

static CUresult push(struct fake_ctx *c)
{
	if (tls.depth == MAX_STACK)
		return CU_INVALID_CONTEXT;
	tls.stack[tls.depth++] = c;
	return CU_OK;
}

BODY(cuCtxCreate_v2, CUcontext *ctx, unsigned int flags, CUdevice dev)
{
	struct fake_device *d = fake_device(dev);
	struct fake_ctx *c;
	CUresult err;

	if (!ctx)
		return CU_INVALID_VALUE;
	if (!d)
		return CU_INVALID_DEVICE;
	c = fake_new(sizeof(*c), FAKE_CTX, NULL);
	c->dev = d;
	err = open_ctx(c, d, flags);
	if (err) {
		free(fake_del(FAKE_CTX, c));
		return err;
	}
	*ctx = handle(c);
	return push(c);
}

BODY(cuCtxCreate_v3, CUcontext *ctx, void *params, int nr, unsigned int flags, CUdevice dev)
{
	(void)params;
	return nr < 0 ? CU_INVALID_VALUE : body_cuCtxCreate_v2(ctx, flags, dev);
}

BODY(cuCtxCreate_v4, CUcontext *ctx, void *params, unsigned int flags, CUdevice dev)
{
	(void)params;
	return body_cuCtxCreate_v2(ctx, flags, dev);
}

BODY(cuCtxDestroy_v2, CUcontext ctx)
{
	struct fake_ctx *c = lookup(ctx);

	if (!c || c == &c->dev->primary)
		return CU_INVALID_CONTEXT;
	if (c->dead)
		return CU_CONTEXT_IS_DESTROYED;
	close_ctx(c);
	if (tls.depth && tls.stack[tls.depth - 1] == c)
		tls.depth--;
	return CU_OK;
}

BODY(cuCtxDetach, CUcontext ctx)
{
	return body_cuCtxDestroy_v2(ctx);
}

BODY(cuCtxPushCurrent_v2, CUcontext ctx)
{
	struct fake_ctx *c = lookup(ctx);

	if (!c)
		return CU_INVALID_CONTEXT;
	return c->dead ? CU_CONTEXT_IS_DESTROYED : push(c);
}

BODY(cuCtxPopCurrent_v2, CUcontext *ctx)
{
	if (!tls.depth)
		return CU_INVALID_CONTEXT;
	tls.depth--;
	if (ctx)
		*ctx = handle(tls.stack[tls.depth]);
	return CU_OK;
}

BODY(cuCtxSetCurrent, CUcontext ctx)
{
	struct fake_ctx *c = ctx ? lookup(ctx) : NULL;

	if (ctx && !c)
		return CU_INVALID_CONTEXT;
	if (c && c->dead)
		return CU_CONTEXT_IS_DESTROYED;
	if (tls.depth)
		tls.depth--;
	return c ? push(c) : CU_OK;
}

BODY(cuCtxGetCurrent, CUcontext *ctx)
{
	if (!ctx)
		return CU_INVALID_VALUE;
	*ctx = tls.depth ? handle(tls.stack[tls.depth - 1]) : NULL;
	return CU_OK;
}

BODY(cuCtxGetDevice, CUdevice *dev)
{
	struct fake_ctx *c = fake_ctx();

	if (!dev)
		return CU_INVALID_VALUE;
	if (!c)
		return CU_INVALID_CONTEXT;
	*dev = c->dev->id;
	return CU_OK;
}

BODY(cuCtxGetDevice_v2, CUdevice *dev, CUcontext ctx)
{
	struct fake_ctx *c = ctx ? lookup(ctx) : fake_ctx();

	if (!dev)
		return CU_INVALID_VALUE;
	if (!c)
		return CU_INVALID_CONTEXT;
	*dev = c->dev->id;
	return CU_OK;
}

BODY(cuCtxGetFlags, unsigned int *flags)
{
	struct fake_ctx *c = fake_ctx();

	if (!flags)
		return CU_INVALID_VALUE;
	if (!c)
		return CU_INVALID_CONTEXT;
	*flags = c->flags;
	return CU_OK;
}

BODY(cuCtxGetApiVersion, CUcontext ctx, unsigned int *version)
{
	if (!version)
		return CU_INVALID_VALUE;
	if (ctx && !lookup(ctx))
		return CU_INVALID_CONTEXT;
	*version = 3020;
	return CU_OK;
}

BODY(cuCtxGetStreamPriorityRange, int *least, int *greatest)
{
	if (least)
		*least = 0;
	if (greatest)
		*greatest = -5;
	return fake_ctx() ? CU_OK : CU_INVALID_CONTEXT;
}

BODY(cuCtxSynchronize, void)
{
	struct fake_ctx *c = fake_ctx();

	if (!c)
		return CU_INVALID_CONTEXT;
	fake_ctx_sync(c);
	return fake_broken();
}

BODY(cuCtxSynchronize_v2, CUcontext ctx)
{
	struct fake_ctx *c = ctx ? lookup(ctx) : fake_ctx();

	if (!c || c->dead)
		return CU_INVALID_CONTEXT;
	fake_ctx_sync(c);
	return fake_broken();
}

BODY(cuDevicePrimaryCtxRetain, CUcontext *ctx, CUdevice dev)
{
	struct fake_device *d = fake_device(dev);
	struct fake_ctx *c;
	CUresult err = CU_OK;

	if (!ctx)
		return CU_INVALID_VALUE;
	if (!d)
		return CU_INVALID_DEVICE;
	c = &d->primary;
	pthread_mutex_lock(&primary_lock);
	pthread_mutex_lock(&fake_lock);
	if (!c->o.kind)
		fake_add_locked(c, FAKE_CTX, (uintptr_t)c, NULL);
	pthread_mutex_unlock(&fake_lock);
	if (!c->stream0)
		err = open_ctx(c, d, c->flags);
	c->retained += !err;
	pthread_mutex_unlock(&primary_lock);
	if (err)
		return err;
	*ctx = handle(c);
	return CU_OK;
}

BODY(cuDevicePrimaryCtxRelease_v2, CUdevice dev)
{
	struct fake_device *d = fake_device(dev);

	if (!d)
		return CU_INVALID_DEVICE;
	if (!d->primary.retained)
		return CU_INVALID_CONTEXT;
	if (!--d->primary.retained)
		close_ctx(&d->primary);
	return CU_OK;
}

BODY(cuDevicePrimaryCtxReset_v2, CUdevice dev)
{
	struct fake_device *d = fake_device(dev);

	if (!d)
		return CU_INVALID_DEVICE;
	if (!d->primary.stream0)
		return CU_OK;
	close_ctx(&d->primary);
	return d->primary.retained ? open_ctx(&d->primary, d, d->primary.flags) : CU_OK;
}

BODY(cuDevicePrimaryCtxGetState, CUdevice dev, unsigned int *flags, int *active)
{
	struct fake_device *d = fake_device(dev);

	if (!flags || !active)
		return CU_INVALID_VALUE;
	if (!d)
		return CU_INVALID_DEVICE;
	*flags = d->primary.flags;
	*active = d->primary.stream0 != NULL;
	return CU_OK;
}

BODY(cuCtxGetLimit, size_t *value, int limit)
{
	if (!value || limit < 0)
		return CU_INVALID_VALUE;
	*value = 8u << 20;
	return fake_ctx() ? CU_OK : CU_INVALID_CONTEXT;
}
