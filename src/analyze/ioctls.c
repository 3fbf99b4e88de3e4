/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ioctls by the function that makes them: how many, how much of its time they
 * take, and which one failed when the function did.
 *
 * A call's event comes when the call returns, nested calls first. So the ioctls
 * of a thread are summed up by depth until the event of the enclosing call
 * comes, and are then added to the sums of the call that encloses that one.
 * Only events are used: calls without an event are missing here.
 */
#include <stdlib.h>
#include <string.h>
#include "base/hashmap.h"
#include "model/output/analyzer.h"
#include "model/value.h"

#define MAX_THREADS 4096
#define MAX_CAUSES 1024
#define TOP 20
#define ERROR_LEN 40

struct rec_causes {
	const char *function;
	uint64_t calls, ioctls, ioctl_ns, time_ns, self_ns;
};

static const struct xpt_field cause_fields[] = {
	XPT_FIELD(struct rec_causes, function, STR, NONE, "function"),
	XPT_FIELD(struct rec_causes, calls, U64, COUNT, "calls"),
	XPT_FIELD(struct rec_causes, ioctls, U64, COUNT, "ioctls"),
	XPT_FIELD(struct rec_causes, time_ns, U64, NS, "total"),
	XPT_FIELD(struct rec_causes, ioctl_ns, U64, NS, "in ioctls"),
	XPT_FIELD(struct rec_causes, self_ns, U64, NS, "outside"),
};

static const struct xpt_schema cause_schema = {
	.name = "ioctl_callers", .title = "Ioctls by caller",
	.help = "Functions that made ioctls, those of functions that they called included, and "
		"their time inside and outside of these; \"(no call)\" is what came from elsewhere",
	.layout = XPT_LAYOUT_TABLE, .order = 39, XPT_RECORD(struct rec_causes, cause_fields),
};

struct rec_blame {
	const char *function, *result, *ioctl, *error;
	uint64_t calls;
};

static const struct xpt_field blame_fields[] = {
	XPT_FIELD(struct rec_blame, function, STR, NONE, "function"),
	XPT_FIELD(struct rec_blame, result, STR, NONE, "result"),
	XPT_FIELD(struct rec_blame, ioctl, STR, NONE, "last failed ioctl"),
	XPT_FIELD(struct rec_blame, error, STR, NONE, "error"),
	XPT_FIELD(struct rec_blame, calls, U64, COUNT, "calls"),
};

static const struct xpt_schema blame_schema = {
	.name = "ioctl_errors", .title = "Failed ioctls below failed calls",
	.help = "The last ioctl that failed, by errno or by the driver's status in its argument, "
		"inside a call that failed, too",
	.layout = XPT_LAYOUT_TABLE, .order = 92, XPT_RECORD(struct rec_blame, blame_fields),
};

static const struct xpt_schema *const emits[] = { &cause_schema, &blame_schema, NULL };

struct failure {		/* a failed ioctl; fn NULL: none failed */
	const struct xpt_fn *fn;
	char error[ERROR_LEN];
};

struct below {			/* sums of the ioctls below an open call of some depth */
	uint64_t first_ns, ioctls, ns;
	struct failure last;
};

struct thread {
	struct below below[XPT_MAX_DEPTH];
};

struct cause {
	const struct xpt_fn *fn;
	uint64_t calls, ioctls, ioctl_ns, time_ns;
};

struct blame_key {
	const struct xpt_fn *fn;
	int64_t ret;
	struct failure last;
};

struct blame {
	struct blame_key key;
	uint64_t calls;
	char result[ERROR_LEN];
};

struct ioctls {
	struct xpt_hashmap *threads;	/* tid -> struct thread */
	struct xpt_hashmap *causes;	/* struct xpt_fn * -> struct cause */
	struct xpt_hashmap *blames;
	struct cause none;		/* ioctls outside of any call */
	uint64_t lost;
};

static void copy_text(char *to, const char *text)
{
	size_t n = strlen(text) < ERROR_LEN ? strlen(text) : ERROR_LEN - 1;

	memset(to, 0, ERROR_LEN);	/* part of a key */
	memcpy(to, text, n);
}

/* Returns whether the ioctl failed, and why: the errno, or the status that the driver put into the argument. */
static bool failure_of(const struct xpt_call *c, struct failure *f)
{
	memset(f, 0, sizeof(*f));	/* a key */
	f->fn = c->fn;
	return xpt_value__failure(c, f->error, sizeof(f->error));
}

static void on_ioctl(struct ioctls *s, const struct xpt_call *c)
{
	struct failure failed;
	struct thread *t;
	struct below *b;

	if (!c->depth || c->depth > XPT_MAX_DEPTH) {
		s->none.ioctls++;
		s->none.ioctl_ns += c->dur_ns;
		return;
	}
	t = xpt_hashmap__get(s->threads, &c->tid, NULL);
	if (!t) {
		s->lost++;
		return;
	}
	b = &t->below[c->depth - 1];
	if (!b->ioctls)
		b->first_ns = c->start_ns;
	b->ioctls++;
	b->ns += c->dur_ns;
	if (failure_of(c, &failed))
		b->last = failed;
}

static void blame_ioctl(struct ioctls *s, const struct xpt_call *c, const struct failure *last)
{
	struct blame_key key;
	char buf[ERROR_LEN];
	struct blame *b;

	memset(&key, 0, sizeof(key));
	key.fn = c->fn;
	key.ret = c->ret;
	key.last = *last;
	b = xpt_hashmap__get(s->blames, &key, NULL);
	if (!b) {
		s->lost++;
		return;
	}
	b->key = key;
	b->calls++;
	copy_text(b->result, xpt_call__result_name(c, buf, sizeof(buf)));
}

/* Adds the sums below a call to those of its enclosing call. */
static void pass_on(struct below *outer, const struct below *b)
{
	if (!outer->ioctls)
		outer->first_ns = b->first_ns;
	outer->ioctls += b->ioctls;
	outer->ns += b->ns;
	if (b->last.fn)
		outer->last = b->last;
}

static void on_call(struct ioctls *s, const struct xpt_call *c)
{
	struct thread *t = xpt_hashmap__find(s->threads, &c->tid);
	struct cause *cause;
	struct below *b;

	if (!t || c->depth >= XPT_MAX_DEPTH || !t->below[c->depth].ioctls)
		return;
	b = &t->below[c->depth];
	if (b->first_ns >= c->start_ns) {	/* else of a call whose event was lost */
		cause = xpt_hashmap__get(s->causes, &c->fn, NULL);
		if (cause) {
			cause->fn = c->fn;
			cause->calls++;
			cause->ioctls += b->ioctls;
			cause->ioctl_ns += b->ns;
			cause->time_ns += c->dur_ns;
		} else {
			s->lost++;
		}
		if (c->failed && b->last.fn)
			blame_ioctl(s, c, &b->last);
		if (c->depth)
			pass_on(&t->below[c->depth - 1], b);
	}
	memset(b, 0, sizeof(*b));
}

static int by_time(const void *a, const void *b)
{
	const struct cause *x = *(struct cause *const *)a, *y = *(struct cause *const *)b;

	if (x->ioctl_ns != y->ioctl_ns)
		return x->ioctl_ns < y->ioctl_ns ? 1 : -1;
	return strcmp(x->fn->name, y->fn->name);
}

static void emit_cause(const char *name, const struct cause *c, bool call, struct xpt_out *out)
{
	struct rec_causes rec = {
		.function = name, .calls = call ? c->calls : XPT_ABSENT,
		.ioctls = c->ioctls, .ioctl_ns = c->ioctl_ns,
		.time_ns = call ? c->time_ns : XPT_ABSENT,
		.self_ns = call ? c->time_ns - (c->ioctl_ns < c->time_ns ? c->ioctl_ns : c->time_ns)
				: XPT_ABSENT,
	};

	xpt_out__emit(out, &cause_schema, &rec);
}

static void emit_causes(struct ioctls *s, struct xpt_out *out)
{
	size_t nr;
	void **all = xpt_hashmap__sorted(s->causes, by_time, &nr);

	for (size_t i = 0; i < nr && i < TOP; i++)
		emit_cause(((const struct cause *)all[i])->fn->name, all[i], true, out);
	if (s->none.ioctls)
		emit_cause("(no call)", &s->none, false, out);
	free(all);
}

static int by_calls(const void *a, const void *b)
{
	const struct blame *x = *(struct blame *const *)a, *y = *(struct blame *const *)b;
	int order;

	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	order = strcmp(x->key.fn->name, y->key.fn->name);
	if (!order)
		order = strcmp(x->key.last.fn->name, y->key.last.fn->name);
	return order ? order : strcmp(x->key.last.error, y->key.last.error);
}

static void emit_blames(struct ioctls *s, struct xpt_out *out)
{
	size_t nr;
	void **all = xpt_hashmap__sorted(s->blames, by_calls, &nr);

	for (size_t i = 0; i < nr && i < TOP; i++) {
		const struct blame *b = all[i];
		struct rec_blame rec = { b->key.fn->name, b->result, b->key.last.fn->name, b->key.last.error, b->calls };

		xpt_out__emit(out, &blame_schema, &rec);
	}
	free(all);
}

static void ioctls__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct ioctls *s = st;

	if (ev->kind == XPT_EV_CALL && ev->u.call.fn->layer == XPT_LAYER_IOCTL)
		on_ioctl(s, &ev->u.call);
	else if (ev->kind == XPT_EV_CALL && xpt_hashmap__len(s->threads))
		on_call(s, &ev->u.call);
	if (ev->kind == XPT_EV_END) {
		emit_causes(s, out);
		emit_blames(s, out);
	}
	if (s->lost)
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, s->lost);
	s->lost = 0;
}

const struct xpt_analyzer xpt_analyzer_ioctls = {
	.name = "ioctls",
	.help = "ioctls by the function that makes them, and which failed when it did",
	.emits = emits,
	.state_size = sizeof(struct ioctls),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct ioctls, threads, uint32_t, struct thread, MAX_THREADS, 0),
		XPT_MAP(struct ioctls, causes, void *, struct cause, XPT_MAX_FNS, 0),
		XPT_MAP(struct ioctls, blames, struct blame_key, struct blame, MAX_CAUSES, 0),
		{ 0 }
	},
	.event = ioctls__event,
};
