/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events of the simulated driver: a record is work on a stream that notes the
 * stream's clock; query, synchronize and elapsed time look at that note.
 */
#include <stdlib.h>
#include "driver.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;

/* Work in a queue holds a reference, so destroy while pending is safe. */
static void put_locked(struct fake_event *e)
{
	if (!--e->o.refs)
		free(e);
}

static void run_record(struct fake_item *it)
{
	struct fake_event *e = it->event.event;

	pthread_mutex_lock(&lock);
	if (it->event.n > e->done)
		e->done = it->event.n;
	e->done_ns = it->clock;
	put_locked(e);
	pthread_cond_broadcast(&change);
	pthread_mutex_unlock(&lock);
}

static void run_wait(struct fake_item *it)
{
	struct fake_event *e = it->event.event;

	pthread_mutex_lock(&lock);
	while (e->done < it->event.n && !fake_deinit)
		pthread_cond_wait(&change, &lock);
	put_locked(e);
	pthread_mutex_unlock(&lock);
}

BODY(cuEventCreate, CUevent *event, unsigned int flags)
{
	struct fake_event *e;

	if (!event || flags > 7)
		return CU_INVALID_VALUE;
	if (!fake_ctx())
		return CU_INVALID_CONTEXT;
	e = fake_new(sizeof(*e), FAKE_EVENT, fake_ctx());
	e->o.refs = 1;
	*event = (CUevent)e;
	return CU_OK;
}

BODY(cuEventDestroy_v2, CUevent event)
{
	struct fake_event *e = fake_del(FAKE_EVENT, event);

	if (!e)
		return CU_INVALID_HANDLE;
	pthread_mutex_lock(&lock);
	put_locked(e);
	pthread_mutex_unlock(&lock);
	return CU_OK;
}

static CUresult queue_event(struct fake_event *e, CUstream stream, bool record)
{
	struct fake_stream *s = fake_stream(stream);
	struct fake_item it = { .run = record ? run_record : run_wait };
	CUresult err;

	if (!e || !s)
		return CU_INVALID_HANDLE;
	if (s->capture)	/* in a graph an event is only an order, and nodes have one */
		return CU_OK;
	pthread_mutex_lock(&lock);
	e->o.refs++;
	it.event.event = e;
	it.event.n = e->recorded += record;
	pthread_mutex_unlock(&lock);
	err = fake_queue(s, &it);
	if (err) {
		pthread_mutex_lock(&lock);
		put_locked(e);
		pthread_mutex_unlock(&lock);
	}
	return err;
}

BODY(cuEventRecord, CUevent event, CUstream stream)
{
	return queue_event(fake_get(FAKE_EVENT, event), stream, true);
}

BODY(cuEventRecordWithFlags, CUevent event, CUstream stream, unsigned int flags)
{
	return flags > 1 ? CU_INVALID_VALUE : body_cuEventRecord(event, stream);
}

BODY(cuStreamWaitEvent, CUstream stream, CUevent event, unsigned int flags)
{
	return flags > 1 ? CU_INVALID_VALUE : queue_event(fake_get(FAKE_EVENT, event), stream, false);
}

BODY(cuEventQuery, CUevent event)
{
	struct fake_event *e = fake_get(FAKE_EVENT, event);
	bool done;

	if (!e)
		return CU_INVALID_HANDLE;
	pthread_mutex_lock(&lock);
	done = e->done == e->recorded;
	pthread_mutex_unlock(&lock);
	return done ? CU_OK : CU_NOT_READY;
}

BODY(cuEventSynchronize, CUevent event)
{
	struct fake_event *e = fake_get(FAKE_EVENT, event);
	uint64_t n;

	if (!e)
		return CU_INVALID_HANDLE;
	pthread_mutex_lock(&lock);
	n = e->recorded;
	e->o.refs++;
	fake_rm_poll();
	while (e->done < n)
		pthread_cond_wait(&change, &lock);
	put_locked(e);
	pthread_mutex_unlock(&lock);
	return fake_broken();
}

BODY(cuEventElapsedTime, float *ms, CUevent start, CUevent end)
{
	struct fake_event *a = fake_get(FAKE_EVENT, start), *b = fake_get(FAKE_EVENT, end);
	CUresult err = CU_OK;

	if (!a || !b)
		return CU_INVALID_HANDLE;
	if (!ms)
		return CU_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	if (!a->recorded || !b->recorded)
		err = CU_INVALID_HANDLE;
	else if (a->done < a->recorded || b->done < b->recorded)
		err = CU_NOT_READY;
	else
		*ms = (float)((double)((int64_t)b->done_ns - (int64_t)a->done_ns) / 1e6);
	pthread_mutex_unlock(&lock);
	return err;
}
