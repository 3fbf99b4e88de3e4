/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Streams and events of the simulated driver.
 *
 * Each stream that gets work has a worker thread with a bounded queue. Work
 * takes simulated device time on the stream's own clock: the worker sleeps
 * until an item's end and starts the next one at that end, not at its own
 * wake-up, so that late wake-ups do not add up. A full queue blocks the caller,
 * as a real driver's does. The default stream does not wait for the others.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include "driver.h"

#define SYNC_CALLBACK 0x58505446u	/* see README.md: cuStreamAddCallback in the call itself */

static void finish_item(struct fake_stream *s, const struct fake_item *it)
{
	uint64_t now = fake_now(), end;

	end = (s->clock > it->queued_ns ? s->clock : it->queued_ns) + it->dur_ns;
	if (now > end && it->run)
		end = now;
	if (end > now) {
		struct timespec t = { (time_t)(end / 1000000000u), (long)(end % 1000000000u) };

		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
			;
	}
	s->clock = end;
}

static void *work(void *arg)
{
	struct fake_stream *s = arg;
	struct fake_item it;

	prctl(PR_SET_TIMERSLACK, 1);
	prctl(PR_SET_NAME, "fake-stream");
	pthread_mutex_lock(&s->lock);
	for (;;) {
		while (s->head == s->tail && !s->stop)
			pthread_cond_wait(&s->work, &s->lock);
		if (s->head == s->tail)
			break;
		it = s->ring[s->head % FAKE_QUEUE];
		pthread_mutex_unlock(&s->lock);
		it.clock = s->clock > it.queued_ns ? s->clock : it.queued_ns;
		if (it.run)
			it.run(&it);
		finish_item(s, &it);
		pthread_mutex_lock(&s->lock);
		s->head++;
		__atomic_sub_fetch(&s->o.ctx->pending, 1, __ATOMIC_RELEASE);
		if (s->waiters)
			pthread_cond_broadcast(&s->change);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

struct fake_stream *fake_stream_new(struct fake_ctx *ctx, unsigned int flags)
{
	struct fake_stream *s = calloc(1, sizeof(*s));

	if (!s)
		abort();
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->work, NULL);
	pthread_cond_init(&s->change, NULL);
	s->flags = flags;
	s->o.refs = 1;
	/* Whole before others see it: fake_ctx_sync() walks all streams. */
	pthread_mutex_lock(&fake_lock);
	fake_add_locked(&s->o, FAKE_STREAM, (uintptr_t)s, ctx);
	pthread_mutex_unlock(&fake_lock);
	return s;
}

/* One thread may wait for all streams of a context while another destroys one. */
void fake_stream_put(struct fake_stream *s)
{
	if (!__atomic_sub_fetch(&s->o.refs, 1, __ATOMIC_ACQ_REL))
		free(s);
}

struct fake_stream *fake_stream(CUstream handle)
{
	struct fake_ctx *c = fake_ctx();

	if ((uintptr_t)handle > 2)
		return fake_get(FAKE_STREAM, handle);
	return c ? c->stream0 : NULL;
}

/* A worker must not take the program's signals. */
static bool start_worker(struct fake_stream *s)
{
	sigset_t all, old;

	s->ring = calloc(FAKE_QUEUE, sizeof(*s->ring));
	if (!s->ring)
		return false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	s->started = !pthread_create(&s->worker, NULL, work, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!s->started) {
		free(s->ring);
		s->ring = NULL;
	}
	return s->started;
}

CUresult fake_queue(struct fake_stream *s, const struct fake_item *it)
{
	struct fake_item *slot;
	CUresult err = CU_OK;

	if (s->capture)
		return fake_graph_add(s->capture, it);
	pthread_mutex_lock(&s->lock);
	if (!it->dur_ns && !it->run && s->head == s->tail)
		goto out;
	if (!s->started && !start_worker(s)) {
		err = CU_OUT_OF_MEMORY;
		goto out;
	}
	while (s->tail - s->head == FAKE_QUEUE) {
		s->waiters++;
		pthread_cond_wait(&s->change, &s->lock);
		s->waiters--;
	}
	slot = &s->ring[s->tail % FAKE_QUEUE];
	*slot = *it;
	slot->queued_ns = fake_now();
	__atomic_add_fetch(&s->o.ctx->pending, 1, __ATOMIC_RELEASE);
	if (s->tail++ == s->head)
		pthread_cond_signal(&s->work);
out:
	pthread_mutex_unlock(&s->lock);
	return err;
}

void fake_stream_sync(struct fake_stream *s)
{
	uint64_t until;

	pthread_mutex_lock(&s->lock);
	until = s->tail;
	while (s->head < until) {
		s->waiters++;
		pthread_cond_wait(&s->change, &s->lock);
		s->waiters--;
	}
	pthread_mutex_unlock(&s->lock);
}

static void stop(struct fake_stream *s)
{
	if (!s->started)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->work);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->worker, NULL);
	s->started = false;
	free(s->ring);
	s->ring = NULL;
}

void fake_stream_end(struct fake_stream *s)
{
	fake_del(FAKE_STREAM, s);
	stop(s);
	fake_stream_put(s);
}

/*
 * At exit: what is queued is dropped, workers end. One that sits in a callback
 * of the program cannot be waited for.
 */
void fake_streams_stop(void)
{
	struct fake_obj *o, *next;

	for (o = fake_first(FAKE_STREAM); o; o = next) {
		struct fake_stream *s = (struct fake_stream *)o;
		struct timespec t;

		next = o->next;
		if (!s->started)
			continue;
		pthread_mutex_lock(&s->lock);
		s->stop = true;
		if (s->tail > s->head + 1)
			s->tail = s->head + 1;
		pthread_cond_signal(&s->work);
		pthread_mutex_unlock(&s->lock);
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_sec++;
		if (pthread_self() != s->worker && !pthread_timedjoin_np(s->worker, NULL, &t))
			free(s->ring);
		else
			fake_del(FAKE_STREAM, s);
		s->started = false;
	}
}

BODY(cuStreamCreate, CUstream *stream, unsigned int flags)
{
	struct fake_ctx *c = fake_ctx();

	if (!stream || flags > 1)
		return CU_INVALID_VALUE;
	if (!c)
		return CU_INVALID_CONTEXT;
	*stream = (CUstream)fake_stream_new(c, flags);
	return CU_OK;
}

BODY(cuStreamCreateWithPriority, CUstream *stream, unsigned int flags, int priority)
{
	(void)priority;
	return body_cuStreamCreate(stream, flags);
}

BODY(cuStreamDestroy_v2, CUstream stream)
{
	struct fake_stream *s = (uintptr_t)stream > 2 ? fake_stream(stream) : NULL;

	if (!s || s == s->o.ctx->stream0)
		return CU_INVALID_HANDLE;
	fake_stream_end(s);
	return CU_OK;
}

BODY(cuStreamSynchronize, CUstream stream)
{
	struct fake_stream *s = fake_stream(stream);

	if (!s)
		return CU_INVALID_HANDLE;
	fake_stream_sync(s);
	return fake_broken();
}

BODY(cuStreamQuery, CUstream stream)
{
	struct fake_stream *s = fake_stream(stream);
	bool idle;

	if (!s)
		return CU_INVALID_HANDLE;
	pthread_mutex_lock(&s->lock);
	idle = s->head == s->tail;
	pthread_mutex_unlock(&s->lock);
	return idle ? fake_broken() : CU_NOT_READY;
}

BODY(cuStreamGetFlags, CUstream stream, unsigned int *flags)
{
	struct fake_stream *s = fake_stream(stream);

	if (!s)
		return CU_INVALID_HANDLE;
	if (!flags)
		return CU_INVALID_VALUE;
	*flags = s->flags;
	return CU_OK;
}

BODY(cuStreamGetPriority, CUstream stream, int *priority)
{
	if (!fake_stream(stream))
		return CU_INVALID_HANDLE;
	if (!priority)
		return CU_INVALID_VALUE;
	*priority = 0;
	return CU_OK;
}

BODY(cuStreamGetCtx, CUstream stream, CUcontext *ctx)
{
	struct fake_stream *s = fake_stream(stream);

	if (!s)
		return CU_INVALID_HANDLE;
	if (!ctx)
		return CU_INVALID_VALUE;
	*ctx = (CUcontext)s->o.ctx;
	return CU_OK;
}

BODY(cuStreamGetId, CUstream stream, unsigned long long *id)
{
	struct fake_stream *s = fake_stream(stream);

	if (!s)
		return CU_INVALID_HANDLE;
	if (!id)
		return CU_INVALID_VALUE;
	*id = (uintptr_t)s >> 4;
	return CU_OK;
}

static void run_host_fn(struct fake_item *it)
{
	((CUhostFn)it->call.fn)(it->call.data);
}

BODY(cuLaunchHostFunc, CUstream stream, CUhostFn fn, void *data)
{
	struct fake_stream *s = fake_stream(stream);
	struct fake_item it = { .run = run_host_fn, .call = { (void *)fn, data, s } };

	if (!s)
		return CU_INVALID_HANDLE;
	return fn ? fake_queue(s, &it) : CU_INVALID_VALUE;
}

static void run_callback(struct fake_item *it)
{
	((CUstreamCallback)it->call.fn)((CUstream)it->call.stream, CU_OK, it->call.data);
}

/* With the flag SYNC_CALLBACK fn runs inside this call, on the caller's thread. */
BODY(cuStreamAddCallback, CUstream stream, CUstreamCallback fn, void *data, unsigned int flags)
{
	struct fake_stream *s = fake_stream(stream);
	struct fake_item it = { .run = run_callback, .call = { (void *)fn, data, s } };

	if (!s)
		return CU_INVALID_HANDLE;
	if (!fn || (flags && flags != SYNC_CALLBACK))
		return CU_INVALID_VALUE;
	if (!flags)
		return fake_queue(s, &it);
	fn(stream, CU_OK, data);
	return CU_OK;
}
