/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which streams are being captured, see capturing.h. Two small tables, empty nearly
 * always, so that calls outside of captures cost one look at their length.
 */
#include "pipeline/calls/capturing.h"

#include <errno.h>
#include <stdlib.h>
#include "base/hashmap.h"
#include "model/call.h"

#define MAX_STREAMS 4096
#define MAX_EVENTS 16384
#define PER_THREAD 2	/* CU_STREAM_PER_THREAD; functions with _ptsz call it 0 */

struct key {
	const struct xpt_proc *proc;
	uint64_t handle, tid;	/* tid: of a thread's default stream, else 0 */
};

struct member {			/* of a capture */
	uint64_t number;	/* of that */
	uint64_t since_ns;	/* when the call that made it one returned */
};

struct xpt_capturing {
	struct xpt_hashmap *streams, *events;	/* struct key -> struct member */
	uint64_t last, *evicted;
};

enum xpt_capturing_act xpt_capturing__act(const struct xpt_fn *fn)
{
	bool stream = fn->role_idx[XPT_ROLE_STREAM] >= 0;

	switch (fn->cls) {
	case XPT_CLASS_MODIFY:
		return stream && fn->kind == XPT_KIND_GRAPH ? XPT_CAPTURING_BEGIN
							    : XPT_CAPTURING_NOTHING;
	case XPT_CLASS_CREATE:
		if (stream && fn->kind == XPT_KIND_GRAPH)
			return XPT_CAPTURING_END;
		return fn->role_idx[XPT_ROLE_HANDLE] >= 0 ? XPT_CAPTURING_MADE
							  : XPT_CAPTURING_NOTHING;
	case XPT_CLASS_LAUNCH:
	case XPT_CLASS_COPY:
	case XPT_CLASS_SET:
	case XPT_CLASS_SUBMIT:
		return stream ? XPT_CAPTURING_WORK : XPT_CAPTURING_NOTHING;
	case XPT_CLASS_RECORD:
		return stream ? XPT_CAPTURING_RECORD : XPT_CAPTURING_NOTHING;
	case XPT_CLASS_SYNC:
		return stream ? XPT_CAPTURING_SYNC : XPT_CAPTURING_NOTHING;
	case XPT_CLASS_OTHER:
		return stream && fn->role_idx[XPT_ROLE_EVENT] >= 0 ? XPT_CAPTURING_WAIT
								   : XPT_CAPTURING_NOTHING;
	case XPT_CLASS_DESTROY:
		return fn->role_idx[XPT_ROLE_HANDLE] >= 0 ? XPT_CAPTURING_DESTROY
							  : XPT_CAPTURING_NOTHING;
	default:
		return XPT_CAPTURING_NOTHING;
	}
}

int xpt_capturing__new(uint64_t *evicted, struct xpt_capturing **ret_c)
{
	struct xpt_capturing *s = calloc(1, sizeof(*s));
	int err = s ? 0 : -ENOMEM;

	if (!err)
		err = xpt_hashmap__new(sizeof(struct key), sizeof(struct member), MAX_STREAMS,
				       &s->streams);
	if (!err)
		err = xpt_hashmap__new(sizeof(struct key), sizeof(struct member), MAX_EVENTS,
				       &s->events);
	if (err) {
		xpt_capturing__free(s);
		return err;
	}
	s->evicted = evicted;
	*ret_c = s;
	return 0;
}

void xpt_capturing__free(struct xpt_capturing *s)
{
	if (!s)
		return;
	xpt_hashmap__free(s->streams);
	xpt_hashmap__free(s->events);
	free(s);
}

/* The legacy default stream (0 elsewhere, 1) cannot be captured, so 0 is the thread's. */
static bool stream_of(const struct xpt_call *c, struct key *ret_key)
{
	struct key key = { .proc = c->proc };

	if (!xpt_call__role(c, XPT_ROLE_STREAM, &key.handle))
		return false;
	if (!key.handle)
		key.handle = PER_THREAD;
	if (key.handle == PER_THREAD)
		key.tid = c->tid;
	*ret_key = key;
	return true;
}

static void put_member(struct xpt_capturing *s, struct xpt_hashmap *map, struct key key, uint64_t number,
		       const struct xpt_call *c)
{
	struct member *at = xpt_hashmap__get(map, &key, NULL);

	if (at)
		*at = (struct member){ number, xpt_call__end_ns(c) };
	else
		(*s->evicted)++;
}

/* The capture that it belongs to; 0: to none. */
static uint64_t number_of(const struct xpt_hashmap *map, struct key key)
{
	const struct member *m = xpt_hashmap__find(map, &key);

	return m ? m->number : 0;
}

/* Removes the members of a capture (number 0: of any) of the process. */
static void drop_members(struct xpt_hashmap *map, const struct xpt_proc *proc, uint64_t number)
{
	const void *key;
	size_t pos = 0;
	void *val;

	while (xpt_hashmap__len(map) && xpt_hashmap__next(map, &pos, &key, &val)) {
		struct key k = *(const struct key *)key;

		if (k.proc == proc && (!number || ((const struct member *)val)->number == number))
			xpt_hashmap__del(map, &k);
	}
}

/* A call of a runtime and the one of the driver inside it are the same begin. */
static void begin_capture(struct xpt_capturing *s, struct key key, const struct xpt_call *c)
{
	const struct member *m = xpt_hashmap__find(s->streams, &key);
	bool inner = m && m->since_ns >= c->start_ns;

	put_member(s, s->streams, key, inner ? m->number : ++s->last, c);
}

/* Ends the capture, even if the call reports that its operations form no graph. */
static void end_capture(struct xpt_capturing *s, struct key key)
{
	uint64_t number = number_of(s->streams, key);

	if (!number)
		return;
	drop_members(s->streams, key.proc, number);
	drop_members(s->events, key.proc, number);
}

static void join_capture(struct xpt_capturing *s, struct key stream, const struct xpt_call *c)
{
	struct key event = { .proc = c->proc };
	uint64_t number;

	if (!xpt_call__role(c, XPT_ROLE_EVENT, &event.handle))
		return;
	number = number_of(s->events, event);
	if (number && !number_of(s->streams, stream))
		put_member(s, s->streams, stream, number, c);
}

static bool record_event(struct xpt_capturing *s, struct key stream, const struct xpt_call *c)
{
	struct key event = { .proc = c->proc };
	uint64_t number = number_of(s->streams, stream);

	if (!xpt_call__role(c, XPT_ROLE_EVENT, &event.handle))
		return number;
	if (number)
		put_member(s, s->events, event, number, c);
	else
		xpt_hashmap__del(s->events, &event);
	return number;
}

static void take_out(struct xpt_hashmap *map, struct key key, const struct xpt_call *c)
{
	const struct member *m = xpt_hashmap__find(map, &key);

	if (m && xpt_call__may_end(c, m->since_ns))
		xpt_hashmap__del(map, &key);
}

/*
 * A new stream or event: the previous owner of its handle is gone, though the call that destroyed it may not have
 * returned.
 */
static void on_made(struct xpt_capturing *s, const struct xpt_call *c)
{
	struct key key = { .proc = c->proc };

	if (!xpt_call__role(c, XPT_ROLE_HANDLE, &key.handle))
		return;
	xpt_hashmap__del(s->streams, &key);
	xpt_hashmap__del(s->events, &key);
}

static void destroy_member(struct xpt_capturing *s, const struct xpt_call *c)
{
	struct key key = { .proc = c->proc };

	if (!xpt_call__role(c, XPT_ROLE_HANDLE, &key.handle))
		return;
	take_out(s->streams, key, c);
	take_out(s->events, key, c);
}

bool xpt_capturing__call(struct xpt_capturing *s, enum xpt_capturing_act act,
			 const struct xpt_call *c)
{
	bool worked = !(c->flags & XPT_CALL_FAILED);
	struct key key;

	if (act != XPT_CAPTURING_BEGIN && !xpt_hashmap__len(s->streams) && !xpt_hashmap__len(s->events))
		return false;
	if (act == XPT_CAPTURING_DESTROY || act == XPT_CAPTURING_MADE) {
		if (worked)
			(act == XPT_CAPTURING_MADE ? on_made : destroy_member)(s, c);
		return false;
	}
	if (!stream_of(c, &key))
		return false;
	if (act == XPT_CAPTURING_END)
		end_capture(s, key);
	if (!worked)
		return false;
	switch (act) {
	case XPT_CAPTURING_BEGIN:
		begin_capture(s, key, c);
		return false;
	case XPT_CAPTURING_SYNC:
		end_capture(s, key);
		return false;
	case XPT_CAPTURING_WAIT:
		join_capture(s, key, c);
		return false;
	case XPT_CAPTURING_RECORD:
		return record_event(s, key, c);
	case XPT_CAPTURING_WORK:
		return number_of(s->streams, key);
	default:
		return false;
	}
}

void xpt_capturing__forget(struct xpt_capturing *s, const struct xpt_proc *proc)
{
	drop_members(s->streams, proc, 0);
	drop_members(s->events, proc, 0);
}
