/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counter tracks and arrows, see tracks.h. Bytes come from the ledger of open
 * blocks. For each CUDA stream, the number of launches since the last wait for
 * it is kept, and the last launch; a wait that names no stream is for all
 * streams of the process. A wait for a CUDA event counts as a wait for the
 * stream on which the event was recorded.
 */
#include "model/picture/tracks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "base/hashmap.h"
#include "model/forget.h"
#include "model/memory/ledger.h"
#include "model/vocab.h"

#define MAX_PROCS 16384
#define MAX_STREAMS 64		/* of one process with launches in flight */
#define MAX_EVENTS 65536	/* recorded on streams, all processes */
#define MAX_BLOCKS (1u << 20)

struct series {			/* one track, thinned */
	uint64_t value;		/* as it is now */
	uint64_t step;		/* the time step to which the members below belong; 0: nothing is held back */
	uint64_t emitted;	/* the value that was emitted last */
	uint64_t last_ns, max_ns, max;
};

struct stream {
	uint64_t handle;
	uint64_t launches;	/* since the last wait for the stream */
	struct xpt_launch last;
};

struct proc {
	const struct xpt_proc *proc;
	unsigned nr_streams;
	struct stream stream[MAX_STREAMS];
	uint64_t rate_step, rate_count;
	struct series series[XPT_TRACK__MAX];
};

struct event_key {
	const struct xpt_proc *proc;
	uint64_t event;
};

struct xpt_tracks {
	struct xpt_track_ops ops;
	void *ctx;
	uint64_t now_ns;		/* of the event that is fed */
	struct xpt_hashmap *procs;	/* pointer -> struct proc * */
	struct xpt_hashmap *events;	/* struct event_key -> stream */
	struct xpt_ledger *ledger;
};

static void on_opened(void *ctx, struct xpt_block *b);
static void on_closed(void *ctx, const struct xpt_block *b, enum xpt_close why,
		      const struct xpt_call *c, uint64_t ts_ns);

int xpt_tracks__new(const struct xpt_track_ops *ops, void *ctx, struct xpt_tracks **ret_t)
{
	static const struct xpt_ledger_ops ledger_ops = { .opened = on_opened, .closed = on_closed };
	struct xpt_tracks *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return -ENOMEM;
	t->ops = *ops;
	t->ctx = ctx;
	err = xpt_hashmap__new(sizeof(void *), sizeof(struct proc *), MAX_PROCS, &t->procs);
	if (!err)
		err = xpt_hashmap__new(sizeof(struct event_key), sizeof(uint64_t), MAX_EVENTS,
				       &t->events);
	if (!err)
		err = xpt_ledger__new(MAX_BLOCKS, true, &ledger_ops, t, &t->ledger);
	if (err)
		xpt_tracks__free(t);
	else
		*ret_t = t;
	return err;
}

void xpt_tracks__free(struct xpt_tracks *t)
{
	size_t pos = 0;
	void *val;

	if (!t)
		return;
	while (t->procs && xpt_hashmap__next(t->procs, &pos, NULL, &val))
		free(*(struct proc **)val);
	xpt_hashmap__free(t->procs);
	xpt_hashmap__free(t->events);
	xpt_ledger__free(t->ledger);
	free(t);
}

/* Returns NULL if there is no room: then this process has no tracks. */
static struct proc *get_proc(struct xpt_tracks *t, const struct xpt_proc *p)
{
	struct proc **at = xpt_hashmap__find(t->procs, &p);

	if (at)
		return *at;
	at = xpt_hashmap__get(t->procs, &p, NULL);
	if (!at)
		return NULL;
	*at = calloc(1, sizeof(**at));
	if (!*at) {
		xpt_hashmap__del(t->procs, &p);
		return NULL;
	}
	(*at)->proc = p;
	return *at;
}

/* --- series ------------------------------------------------------------------- */

static void emit_value(struct xpt_tracks *t, const struct proc *p, enum xpt_track track, uint64_t ts_ns,
		       uint64_t value)
{
	t->ops.point(t->ctx, p->proc, track, ts_ns, value);
}

/* Emits the rest of a step; a value that has returned to the last emitted one is not emitted
 * again. */
static void end_step(struct xpt_tracks *t, struct proc *p, enum xpt_track track)
{
	struct series *s = &p->series[track];

	if (!s->step)
		return;
	if (s->max_ns != s->last_ns && s->max > s->value)
		emit_value(t, p, track, s->max_ns, s->max);
	if (s->value != s->emitted || (s->max_ns != s->last_ns && s->max > s->value))
		emit_value(t, p, track, s->last_ns, s->value);
	s->emitted = s->value;
	s->step = 0;
}

static void set_value(struct xpt_tracks *t, struct proc *p, enum xpt_track track, uint64_t value)
{
	struct series *s = &p->series[track];
	uint64_t step = t->now_ns / XPT_TRACK_STEP_NS + 1;
	uint64_t ts = t->now_ns > s->last_ns ? t->now_ns : s->last_ns;

	if (s->value == value)
		return;
	if (step > s->step)
		end_step(t, p, track);
	s->value = value;
	s->last_ns = ts;
	if (!s->step || value > s->max) {
		s->max = value;
		s->max_ns = ts;
	}
	if (!s->step)
		s->step = step;
}

static void count_launch(struct xpt_tracks *t, struct proc *p, uint64_t ts_ns)
{
	uint64_t step = ts_ns / XPT_RATE_STEP_NS;

	if (step > p->rate_step) {
		if (p->rate_count)
			emit_value(t, p, XPT_TRACK_LAUNCH_RATE, p->rate_step * XPT_RATE_STEP_NS,
				   p->rate_count * (1000000000 / XPT_RATE_STEP_NS));
		if (p->rate_count && step > p->rate_step + 1)
			emit_value(t, p, XPT_TRACK_LAUNCH_RATE, (p->rate_step + 1) * XPT_RATE_STEP_NS, 0);
		p->rate_step = step;
		p->rate_count = 0;
	}
	p->rate_count++;
}

static void end_proc(struct xpt_tracks *t, struct proc *p)
{
	for (unsigned i = XPT_TRACK_IN_FLIGHT; i < XPT_TRACK__MAX; i++)
		end_step(t, p, i);
	count_launch(t, p, (p->rate_step + 2) * XPT_RATE_STEP_NS);
	p->rate_count = 0;
}

/* --- memory ------------------------------------------------------------------- */

static void change_live(struct xpt_tracks *t, const struct xpt_block *b, bool add)
{
	struct proc *p = get_proc(t, b->proc);
	enum xpt_track track = XPT_TRACK_LIVE + b->kind;
	uint64_t v;

	if (!p || b->kind >= XPT_KIND__MAX || !xpt_kind_is_memory(b->kind))
		return;
	v = p->series[track].value;
	if (add)
		v = v + b->bytes < v ? UINT64_MAX : v + b->bytes;
	else
		v = v > b->bytes ? v - b->bytes : 0;
	set_value(t, p, track, v);
}

static void on_opened(void *ctx, struct xpt_block *b)
{
	change_live(ctx, b, true);
}

static void on_closed(void *ctx, const struct xpt_block *b, enum xpt_close why,
		      const struct xpt_call *c, uint64_t ts_ns)
{
	(void)c;
	(void)ts_ns;
	if (why != XPT_CLOSE_END)
		change_live(ctx, b, false);
}

/* --- launches and waits ------------------------------------------------------- */

static struct stream *get_stream(struct proc *p, uint64_t handle)
{
	struct stream *s = p->stream;

	for (; s < p->stream + p->nr_streams; s++)
		if (s->handle == handle)
			return s;
	if (p->nr_streams == MAX_STREAMS) {	/* the oldest is evicted */
		memmove(p->stream, p->stream + 1, sizeof(*s) * (MAX_STREAMS - 1));
		p->nr_streams--;
	}
	s = &p->stream[p->nr_streams++];
	*s = (struct stream){ .handle = handle };
	return s;
}

static uint64_t in_flight(const struct proc *p)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < p->nr_streams; i++)
		sum += p->stream[i].launches;
	return sum;
}

static uint64_t stream_of(const struct xpt_call *c)
{
	uint64_t v = 0;

	xpt_call__role(c, XPT_ROLE_STREAM, &v);
	return v;
}

static void on_launch(struct xpt_tracks *t, struct proc *p, const struct xpt_call *c)
{
	struct stream *s = get_stream(p, stream_of(c));

	s->launches++;
	s->last = (struct xpt_launch){ c->proc, c->tid, c->id, c->start_ns };
	count_launch(t, p, c->start_ns);
	set_value(t, p, XPT_TRACK_IN_FLIGHT, in_flight(p));
}

static void on_sync(struct xpt_tracks *t, struct proc *p, const struct xpt_call *c)
{
	struct event_key key = { .proc = c->proc };
	uint64_t handle = 0, *recorded;
	bool one = xpt_call__role(c, XPT_ROLE_STREAM, &handle);
	unsigned left = 0;

	if (!one && xpt_call__role(c, XPT_ROLE_EVENT, &key.event)) {
		recorded = xpt_hashmap__find(t->events, &key);
		if (!recorded)
			return;
		handle = *recorded;
		one = true;
	}
	for (unsigned i = 0; i < p->nr_streams; i++) {
		struct stream *s = &p->stream[i];

		if (one && s->handle != handle)
			p->stream[left++] = *s;
		else if (t->ops.arrow)
			t->ops.arrow(t->ctx, &s->last, c);
	}
	p->nr_streams = left;
	set_value(t, p, XPT_TRACK_IN_FLIGHT, in_flight(p));
}

static void on_record(struct xpt_tracks *t, const struct xpt_call *c)
{
	struct event_key key = { .proc = c->proc };
	uint64_t *at;

	if (!xpt_call__role(c, XPT_ROLE_EVENT, &key.event))
		return;
	at = xpt_hashmap__get(t->events, &key, NULL);
	if (!at) {
		xpt_hashmap__clear(t->events);
		at = xpt_hashmap__get(t->events, &key, NULL);
	}
	if (at)
		*at = stream_of(c);
}

static void on_call(struct xpt_tracks *t, const struct xpt_call *c)
{
	uint8_t cls = c->fn->cls;
	struct proc *p;

	xpt_ledger__call(t->ledger, c);
	if (cls != XPT_CLASS_LAUNCH && cls != XPT_CLASS_SYNC && cls != XPT_CLASS_RECORD)
		return;
	if (!xpt_call__counts(c) || (c->flags & XPT_CALL_FAILED))
		return;
	p = get_proc(t, c->proc);
	if (!p)
		return;
	if (cls == XPT_CLASS_LAUNCH)
		on_launch(t, p, c);
	else if (cls == XPT_CLASS_SYNC)
		on_sync(t, p, c);
	else
		on_record(t, c);
}

static void on_gone(struct xpt_tracks *t, const struct xpt_proc *proc, enum xpt_close why)
{
	struct proc *p;

	xpt_ledger__gone(t->ledger, proc, why, t->now_ns);
	p = get_proc(t, proc);
	if (!p)
		return;
	p->nr_streams = 0;
	set_value(t, p, XPT_TRACK_IN_FLIGHT, 0);
	if (why == XPT_CLOSE_EXIT)
		end_proc(t, p);
}

static void drop_proc(void *ctx, void *val)
{
	struct proc *p = *(struct proc **)val;

	end_proc(ctx, p);
	free(p);
}

static void forget_gone(struct xpt_tracks *t)
{
	xpt_ledger__forget(t->ledger, t->now_ns);
	xpt_forget__map(t->procs, drop_proc, t);
	xpt_forget__map(t->events, NULL, NULL);
}

void xpt_tracks__event(struct xpt_tracks *t, const struct xpt_event *ev)
{
	size_t pos = 0;
	void *val;

	t->now_ns = ev->ts_ns;
	switch (ev->kind) {
	case XPT_EV_CALL:
		on_call(t, &ev->u.call);
		break;
	case XPT_EV_PROC:
		if (ev->u.proc.exec)
			on_gone(t, ev->u.proc.proc, XPT_CLOSE_EXEC);
		break;
	case XPT_EV_EXIT:
		on_gone(t, ev->u.proc.proc, XPT_CLOSE_EXIT);
		break;
	case XPT_EV_FORGET:
		forget_gone(t);
		break;
	case XPT_EV_END:
		while (xpt_hashmap__next(t->procs, &pos, NULL, &val))
			end_proc(t, *(struct proc **)val);
		break;
	default:
		break;
	}
}

const char *xpt_track_name(enum xpt_track track, char *buf, size_t n)
{
	if (track == XPT_TRACK_LAUNCH_RATE)
		return "launches per second";
	if (track == XPT_TRACK_IN_FLIGHT)
		return "launches in flight";
	snprintf(buf, n, "live %s bytes", xpt_kind_name(track - XPT_TRACK_LIVE));
	return buf;
}

bool xpt_track_is_bytes(enum xpt_track track)
{
	return track >= XPT_TRACK_LIVE;
}

const char *xpt_exit_text(const struct xpt_proc *proc, char *buf, size_t n)
{
	if (WIFSIGNALED(proc->exit_status))
		snprintf(buf, n, "killed by signal %d", WTERMSIG(proc->exit_status));
	else
		snprintf(buf, n, "exited with %d", WEXITSTATUS(proc->exit_status));
	return buf;
}

const char *xpt_lost_text(enum xpt_loss loss, uint64_t count, char *buf, size_t n)
{
	snprintf(buf, n, "lost: %llu %s", (unsigned long long)count, xpt_loss_text(loss));
	return buf;
}
