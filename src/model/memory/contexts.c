/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Contexts of processes and the stack of current ones of each thread. Both are
 * small and bounded: a process keeps its newest MAX_CONTEXTS, a thread the
 * topmost MAX_STACK; a thread table that is full is emptied, after which the
 * place of those threads is unknown until they choose a context again.
 *
 * The driver hands a handle out again before the call that destroyed its context has
 * returned. So several contexts may have one handle: the youngest has it now, the
 * others wait for that return, whose start time says which of them it ended.
 */
#include "model/memory/contexts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/hashmap.h"
#include "model/call.h"
#include "model/forget.h"

#define MAX_PROCS 65536
#define MAX_THREADS 65536
#define MAX_CONTEXTS 16
#define MAX_STACK 8

struct context {
	uint64_t handle, begin_ns;
	uint64_t since_ns;	/* when the call that handed it out returned */
	uint32_t device;
	bool primary;	/* handed out by device: it outlives its resets */
};

struct cproc {
	struct context context[MAX_CONTEXTS];
	unsigned nr, next;	/* nr: ever begun, but for those of a handle that another still has */
};

struct thread_key {
	const struct xpt_proc *proc;
	uint64_t tid;
};

struct thread {
	uint64_t stack[MAX_STACK];
	unsigned nr;
};

struct xpt_contexts {
	struct xpt_hashmap *procs;	/* proc pointer -> struct cproc */
	struct xpt_hashmap *threads;	/* struct thread_key -> struct thread */
};

int xpt_contexts__new(struct xpt_contexts **ret_cs)
{
	struct xpt_contexts *cs = calloc(1, sizeof(*cs));
	int err;

	if (!cs)
		return -ENOMEM;
	err = xpt_hashmap__new(sizeof(void *), sizeof(struct cproc), MAX_PROCS, &cs->procs);
	if (!err)
		err = xpt_hashmap__new(sizeof(struct thread_key), sizeof(struct thread),
				       MAX_THREADS, &cs->threads);
	if (err) {
		xpt_contexts__free(cs);
		return err;
	}
	*ret_cs = cs;
	return 0;
}

void xpt_contexts__free(struct xpt_contexts *cs)
{
	if (!cs)
		return;
	xpt_hashmap__free(cs->procs);
	xpt_hashmap__free(cs->threads);
	free(cs);
}

/* Stands for the context of a device whose handle was not seen; no pointer is that high. */
static uint64_t stand_in(uint64_t device)
{
	return ~(uint64_t)(uint32_t)device;
}

/* Returns the youngest context of that handle that existed at until_ns. */
static struct context *by_handle_at(struct cproc *p, uint64_t handle, uint64_t until_ns)
{
	struct context *found = NULL, *ctx;

	for (unsigned i = 0; p && handle && i < MAX_CONTEXTS; i++) {
		ctx = &p->context[i];
		if (ctx->handle == handle && ctx->since_ns <= until_ns &&
		    (!found || ctx->since_ns > found->since_ns))
			found = ctx;
	}
	return found;
}

static struct context *by_handle(struct cproc *p, uint64_t handle)
{
	return by_handle_at(p, handle, UINT64_MAX);
}

/* When the first context of that handle after after_ns was handed out; 0: there is none. */
static uint64_t again_ns(const struct cproc *p, uint64_t handle, uint64_t after_ns)
{
	uint64_t first = 0;

	for (unsigned i = 0; p && handle && i < MAX_CONTEXTS; i++) {
		const struct context *ctx = &p->context[i];

		if (ctx->handle == handle && ctx->since_ns > after_ns &&
		    (!first || ctx->since_ns < first))
			first = ctx->since_ns;
	}
	return first;
}

static struct context *primary_of(struct cproc *p, uint32_t device)
{
	for (unsigned i = 0; p && i < MAX_CONTEXTS; i++)
		if (p->context[i].handle && p->context[i].primary && p->context[i].device == device)
			return &p->context[i];
	return NULL;
}

static struct thread *thread_of(struct xpt_contexts *cs, const struct xpt_call *c)
{
	struct thread_key key = { c->proc, c->tid };
	struct thread *t = xpt_hashmap__get(cs->threads, &key, NULL);

	if (!t) {
		xpt_hashmap__clear(cs->threads);
		t = xpt_hashmap__get(cs->threads, &key, NULL);
	}
	return t;
}

static void push_context(struct thread *t, uint64_t handle)
{
	if (t->nr == MAX_STACK)
		memmove(t->stack, t->stack + 1, --t->nr * sizeof(t->stack[0]));
	t->stack[t->nr++] = handle;
}

static void set_context(struct thread *t, uint64_t handle)
{
	t->nr -= t->nr > 0;
	if (handle)
		push_context(t, handle);
}

/* An unused place, or that of the one that has it for longest. */
static struct context *new_context(struct cproc *p)
{
	for (unsigned i = 0; i < MAX_CONTEXTS; i++)
		if (!p->context[i].handle)
			return &p->context[i];
	return &p->context[p->next++ % MAX_CONTEXTS];
}

/* Keeps when a context was first handed out; a primary one is so again and again. */
static void begin_context(struct xpt_contexts *cs, const struct xpt_call *c, bool current)
{
	uint64_t handle, device = XPT_NO_DEVICE;
	struct context *had;
	struct cproc *p;

	if (!xpt_call__role(c, XPT_ROLE_CONTEXT, &handle) || !handle)
		return;
	p = xpt_hashmap__get(cs->procs, &c->proc, NULL);
	had = by_handle(p, handle);
	if (!p || (had && (had->primary || !current)))
		return;
	xpt_call__role(c, XPT_ROLE_DEVICE, &device);
	p->nr += !had;
	*new_context(p) = (struct context){
		.handle = handle, .begin_ns = c->start_ns, .since_ns = xpt_call__end_ns(c),
		.device = (uint32_t)device, .primary = !current && device != XPT_NO_DEVICE,
	};
}

/* A thread chooses a device: its primary context, unless it works there already. */
static uint64_t context_on(struct cproc *p, const struct thread *t, uint64_t device)
{
	uint64_t top = t->nr ? t->stack[t->nr - 1] : 0;
	const struct context *ctx = by_handle(p, top);

	if (ctx && ctx->device == (uint32_t)device)
		return top;
	ctx = primary_of(p, (uint32_t)device);
	return ctx ? ctx->handle : stand_in(device);
}

static void make_current(struct xpt_contexts *cs, const struct xpt_call *c, uint64_t how)
{
	struct cproc *p = xpt_hashmap__find(cs->procs, &c->proc);
	uint64_t handle = 0, device;
	struct thread *t = thread_of(cs, c);

	if (!t)
		return;
	if (!xpt_call__role(c, XPT_ROLE_CONTEXT, &handle) &&
	    xpt_call__role(c, XPT_ROLE_DEVICE, &device))
		handle = context_on(p, t, device);
	if (how == XPT_CURRENT_POP)
		t->nr -= t->nr > 0;
	else if (how == XPT_CURRENT_PUSH && handle)
		push_context(t, handle);
	else if (how == XPT_CURRENT_SET)
		set_context(t, handle);
}

void xpt_contexts__call(struct xpt_contexts *cs, const struct xpt_call *c)
{
	bool current = c->fn->role_idx[XPT_ROLE_CURRENT] >= 0;
	uint64_t how;

	if (c->fn->cls == XPT_CLASS_INIT)
		begin_context(cs, c, current);
	if (current && xpt_call__role(c, XPT_ROLE_CURRENT, &how))
		make_current(cs, c, how);
}

/* Of a process that had one handle only: that, 0 if its context has ended. */
static uint64_t only_handle(const struct cproc *p)
{
	uint64_t handle = 0;

	for (unsigned i = 0; !handle && i < MAX_CONTEXTS; i++)
		handle = p->context[i].handle;
	return handle;
}

struct xpt_place xpt_contexts__where(const struct xpt_contexts *cs, const struct xpt_proc *proc,
				     uint32_t tid)
{
	struct xpt_place at = { 0, XPT_NO_DEVICE };
	struct cproc *p = xpt_hashmap__find(cs->procs, &proc);
	struct thread_key key = { proc, tid };
	const struct thread *t = xpt_hashmap__find(cs->threads, &key);
	const struct context *ctx;

	if (t && t->nr)
		at.context = t->stack[t->nr - 1];
	else if (p && p->nr == 1)
		at.context = only_handle(p);
	ctx = by_handle(p, at.context);
	if (ctx)
		at.device = ctx->device;
	else if (at.context && at.context >= stand_in(UINT16_MAX))
		at.device = (uint32_t)~at.context;
	return at;
}

struct xpt_ending xpt_contexts__end(struct xpt_contexts *cs, const struct xpt_call *c)
{
	struct xpt_ending e = { .place = { 0, XPT_NO_DEVICE }, .until_ns = c->start_ns };
	struct cproc *p = xpt_hashmap__find(cs->procs, &c->proc);
	struct thread_key key = { c->proc, c->tid };
	struct thread *t = xpt_hashmap__find(cs->threads, &key);
	struct context *ctx;
	uint64_t device;

	if (xpt_call__role(c, XPT_ROLE_CONTEXT, &e.place.context)) {
		ctx = by_handle_at(p, e.place.context, c->start_ns);
	} else if (xpt_call__role(c, XPT_ROLE_DEVICE, &device)) {
		e.place = (struct xpt_place){ stand_in(device), (uint32_t)device };
		ctx = primary_of(p, (uint32_t)device);
	} else {
		e.place = xpt_contexts__where(cs, c->proc, c->tid);
		ctx = by_handle_at(p, e.place.context, c->start_ns);
	}
	if (!ctx)
		return e;
	e.place = (struct xpt_place){ ctx->handle, ctx->device };
	e.begin_ns = ctx->begin_ns;
	if (ctx->primary) {
		ctx->begin_ns = xpt_call__end_ns(c);
		return e;
	}
	if (t && t->nr && t->stack[t->nr - 1] == ctx->handle)
		t->nr--;
	e.until_ns = again_ns(p, ctx->handle, c->start_ns);
	*ctx = (struct context){ 0 };
	return e;
}

bool xpt_ending__takes(const struct xpt_ending *e, struct xpt_place place, uint64_t open_ns)
{
	if (e->until_ns && open_ns > e->until_ns)
		return false;
	if (!place.context)
		return open_ns >= e->begin_ns;
	if (!e->place.context || place.context == e->place.context)
		return true;
	/* One of the two is only known by its device. */
	return e->place.device != XPT_NO_DEVICE && place.device == e->place.device &&
	       (place.context == stand_in(place.device) ||
		e->place.context == stand_in(place.device));
}

void xpt_contexts__gone(struct xpt_contexts *cs, const struct xpt_proc *proc)
{
	struct thread_key first = { proc, proc->pid };	/* the one that survives exec */

	xpt_hashmap__del(cs->procs, &proc);
	xpt_hashmap__del(cs->threads, &first);
}

void xpt_contexts__forget(struct xpt_contexts *cs)
{
	xpt_forget__map(cs->procs, NULL, NULL);
	xpt_forget__map(cs->threads, NULL, NULL);
}
