/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls as slices of a Perfetto trace, see pfcall.h. Ids of names are the same in
 * all sequences, so that a call needs no look-up of its function's names, and are
 * defined in a sequence when it needs them first. Values that are text (addresses,
 * constants, kernels, stacks) are interned for each sequence, as long as there is room.
 */
#include "model/picture/pfcall.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/hashmap.h"
#include "base/text_id.h"
#include "model/call.h"
#include "model/picture/pftrace.h"
#include "model/value.h"
#include "model/vocab.h"

#define MAX_STRINGS (1u << 20)	/* interned values, all threads */
#define TEXT_MAX_ (1u << 20)

struct fn_info {		/* interned ids of one function */
	const struct xpt_fn *fn;
	uint32_t name, cat[2];	/* [1]: of failed calls */
	uint32_t ann[XPT_MAX_VALS];	/* 0: not shown */
	int8_t dims;		/* value that begins grid and block, -1: none; all that */
	int8_t shmem, stream;	/* belongs to the launch is one annotation then */
};

struct string_key {
	uint64_t hash, len;
};

struct xpt_pf_names {
	struct xpt_hashmap *names;	/* hash of text -> id */
	struct fn_info *fns[XPT_MAX_FNS];
	uint32_t nr_names, nr_fn_names;
	size_t nr_strings;	/* of all sequences */
	struct xpt_strbuf *body;	/* of the call that is encoded */
	struct xpt_strbuf defs, value;
};

int xpt_pf_names__new(struct xpt_pf_names **ret_n)
{
	struct xpt_pf_names *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return -ENOMEM;
	xpt_strbuf__init(&p->defs, TEXT_MAX_);
	xpt_strbuf__init(&p->value, TEXT_MAX_);
	err = xpt_hashmap__new(sizeof(uint64_t), sizeof(uint32_t), XPT_PF_MAX_NAMES - 1, &p->names);
	if (err)
		xpt_pf_names__free(p);
	else
		*ret_n = p;
	return err;
}

void xpt_pf_names__free(struct xpt_pf_names *p)
{
	if (!p)
		return;
	xpt_hashmap__free(p->names);
	for (size_t i = 0; i < XPT_MAX_FNS; i++)
		free(p->fns[i]);
	xpt_strbuf__free(&p->defs);
	xpt_strbuf__free(&p->value);
	free(p);
}

/* --- interned names ------------------------------------------------------------ */

/* An id for a text of that kind, the same in all sequences; 0: no room. */
static uint32_t name_id(struct xpt_pf_names *p, unsigned what, const char *text)
{
	uint64_t hash = xpt_text_id(text, strlen(text)) + what;
	uint32_t *id = xpt_hashmap__get(p->names, &hash, NULL);

	if (id && !*id)
		*id = ++p->nr_names;
	return id ? *id : 0;
}

static const char *cat_text(struct xpt_pf_names *p, const struct xpt_fn *fn, bool failed)
{
	xpt_strbuf__reset(&p->value);
	xpt_strbuf__addn(&p->value, fn->domain_name, strnlen(fn->domain_name, 100));
	xpt_strbuf__addc(&p->value, ',');
	xpt_strbuf__add(&p->value, xpt_class_name(fn->cls));
	xpt_strbuf__add(&p->value, failed ? ",error" : "");
	return xpt_strbuf__str(&p->value);
}

/* The value that begins six in a row: grid and block; -1: none. */
static int find_dims(const struct xpt_fn *fn)
{
	int at = fn->role_idx[XPT_ROLE_GRID_X];

	for (int i = 0; at >= 0 && i < 6; i++)
		if (at + i >= fn->nr_caps || fn->cap[at + i].role != XPT_ROLE_GRID_X + i)
			return -1;
	return at;
}

_Static_assert(XPT_ROLE_BLOCK_Z == XPT_ROLE_GRID_X + 5, "find_dims() counts on it");

static const char *ann_name(const struct fn_info *f, int i)
{
	return i == f->dims ? "launch" : f->fn->cap_name[i];
}

static const struct fn_info *fn_info(struct xpt_pf_names *p, const struct xpt_fn *fn)
{
	struct fn_info *f = p->fns[fn->id % XPT_MAX_FNS];

	if (f && f->fn == fn)
		return f;
	if (!f)
		f = p->fns[fn->id % XPT_MAX_FNS] = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->fn = fn;
	f->name = ++p->nr_fn_names;
	f->cat[0] = name_id(p, XPT_PF_INTERN_CATEGORY, cat_text(p, fn, false));
	f->cat[1] = name_id(p, XPT_PF_INTERN_CATEGORY, cat_text(p, fn, true));
	f->dims = (int8_t)find_dims(fn);
	f->shmem = f->dims < 0 ? -1 : fn->role_idx[XPT_ROLE_SHMEM];
	f->stream = f->dims < 0 ? -1 : fn->role_idx[XPT_ROLE_STREAM];
	for (int i = 0; i < fn->nr_caps && i < XPT_MAX_VALS; i++) {
		if (!xpt_cap_is_arg(&fn->cap[i]) || i == f->shmem || i == f->stream ||
		    (f->dims >= 0 && i > f->dims && i < f->dims + 6))
			continue;
		f->ann[i] = name_id(p, XPT_PF_INTERN_ANN_NAME, ann_name(f, i));
	}
	return f;
}

/* Defines a name in the lane's sequence, once. */
static void define_name(struct xpt_pf_names *p, struct xpt_pf_known *l, unsigned what, uint32_t id, const char *text)
{
	if (!id || id >= XPT_PF_MAX_NAMES || (l->names[id / 8] >> id % 8 & 1))
		return;
	l->names[id / 8] |= (uint8_t)(1u << id % 8);
	xpt_pf__intern(&p->defs, what, id, text);
}

/* All that a call of fn needs. */
static void define_fn(struct xpt_pf_names *p, struct xpt_pf_known *l, const struct fn_info *f)
{
	uint32_t id = f->fn->id % XPT_MAX_FNS;

	if (l->fns[id / 8] >> id % 8 & 1)
		return;
	l->fns[id / 8] |= (uint8_t)(1u << id % 8);
	xpt_pf__intern(&p->defs, XPT_PF_INTERN_NAME, f->name, f->fn->name);
	for (int i = 0; i < XPT_MAX_VALS; i++)
		define_name(p, l, XPT_PF_INTERN_ANN_NAME, f->ann[i], ann_name(f, i));
}

void xpt_pf_names__end(struct xpt_pf_names *p, struct xpt_pf_known *l)
{
	p->nr_strings -= l->strings ? xpt_hashmap__len(l->strings) : 0;
	xpt_hashmap__free(l->strings);
	l->strings = NULL;
}

/* --- annotations: arguments and results ----------------------------------------- */

/* A text as value: interned, or in place where there is no room for that. */
static void add_text(struct xpt_pf_names *p, struct xpt_pf_known *l, const char *text)
{
	size_t len = strlen(text);
	struct string_key key = { xpt_text_id(text, len), len };
	uint32_t *iid = l->strings ? xpt_hashmap__find(l->strings, &key) : NULL;

	if (!l->strings)	/* without it they are all written in place */
		xpt_hashmap__new(sizeof(key), sizeof(*iid), XPT_PF_LANE_STRINGS, &l->strings);
	if (!iid && l->strings && p->nr_strings < MAX_STRINGS) {
		iid = xpt_hashmap__get(l->strings, &key, NULL);
		if (iid) {
			p->nr_strings++;
			*iid = (uint32_t)xpt_hashmap__len(l->strings);
			xpt_pf__intern(&p->defs, XPT_PF_INTERN_STRING, *iid, text);
		}
	}
	if (iid)
		xpt_pb__u64(p->body, XPT_PF_ANN_STRING_IID, *iid);
	else
		xpt_pb__str(p->body, XPT_PF_ANN_STRING, text);
}

static size_t begin_ann(struct xpt_pf_names *p, uint32_t name)
{
	size_t ann = xpt_pb__begin(p->body, XPT_PF_ANNOTATION);

	xpt_pb__u64(p->body, XPT_PF_ANN_NAME_IID, name);
	return ann;
}

/* An annotation with a name of ours; 0: no room for the name. */
static size_t begin_named(struct xpt_pf_names *p, struct xpt_pf_known *l, const char *name)
{
	uint32_t id = name_id(p, XPT_PF_INTERN_ANN_NAME, name);

	define_name(p, l, XPT_PF_INTERN_ANN_NAME, id, name);
	return id ? begin_ann(p, id) : 0;
}

static void add_named_text(struct xpt_pf_names *p, struct xpt_pf_known *l, const char *name, const char *text)
{
	size_t ann = begin_named(p, l, name);

	if (!ann)
		return;
	add_text(p, l, text);
	xpt_pb__end(p->body, ann);
}

static void add_flag(struct xpt_pf_names *p, struct xpt_pf_known *l, const char *name)
{
	size_t ann = begin_named(p, l, name);

	if (!ann)
		return;
	xpt_pb__u64(p->body, XPT_PF_ANN_BOOL, 1);
	xpt_pb__end(p->body, ann);
}

static void add_named_u64(struct xpt_pf_names *p, struct xpt_pf_known *l, const char *name,
			  uint64_t v)
{
	size_t ann = begin_named(p, l, name);

	if (!ann)
		return;
	xpt_pb__u64(p->body, XPT_PF_ANN_UINT, v);
	xpt_pb__end(p->body, ann);
}

/* Adds the thread's state of a call in flight, and the scheduler's times and counts of one
 * switched out. */
static void add_sched(struct xpt_pf_names *p, struct xpt_pf_known *l, const struct xpt_call *c)
{
	const char *cpu = xpt_call__cpu_name(c);

	if (cpu)
		add_named_text(p, l, "cpu", cpu);
	if (!(c->flags & XPT_CALL_SCHED))
		return;
	add_named_u64(p, l, "sched.runq_ns", c->sched.runq_ns);
	add_named_u64(p, l, "sched.blocked_ns", c->sched.blocked_ns);
	add_named_u64(p, l, "sched.voluntary", c->sched.voluntary);
	add_named_u64(p, l, "sched.involuntary", c->sched.involuntary);
}

/* <<<256x1x1, 128x1x1, 0, 0x55d0>>>: grid, block, shared memory, stream. */
static void add_launch(struct xpt_pf_names *p, struct xpt_pf_known *l, const struct fn_info *f,
		       const struct xpt_call *c)
{
	struct xpt_strbuf *sb = &p->value;

	xpt_strbuf__reset(sb);
	xpt_strbuf__add(sb, "<<<");
	for (int i = 0; i < 6; i++) {
		xpt_strbuf__addu64(sb, c->val[f->dims + i]);
		xpt_strbuf__add(sb, i == 2 ? ", " : i == 5 ? "" : "x");
	}
	if (f->shmem >= 0) {
		xpt_strbuf__add(sb, ", ");
		xpt_strbuf__addu64(sb, c->val[f->shmem]);
	}
	if (f->stream >= 0) {
		xpt_strbuf__add(sb, ", ");
		xpt_value__add_text(sb, c->fn, (unsigned)f->stream, c->val[f->stream]);
	}
	xpt_strbuf__add(sb, ">>>");
	add_text(p, l, xpt_strbuf__str(sb));
}

/* Numbers as numbers; addresses, constants and all else as text. */
static void add_value(struct xpt_pf_names *p, struct xpt_pf_known *l, const struct xpt_call *c, unsigned i)
{
	const struct xpt_wire_cap *cap = &c->fn->cap[i];
	const struct xpt_cap_type *type = &c->fn->cap_type[i];

	if (xpt_call__string(c, i)) {
		add_text(p, l, xpt_call__string(c, i));
	} else if (!type->constants && type->kind <= XPT_SIG_UINT && cap->role != XPT_ROLE_DIR &&
		   !xpt_role_is_hex(cap->role)) {
		xpt_pb__u64(p->body, cap->width & 0x80 ? XPT_PF_ANN_INT : XPT_PF_ANN_UINT, c->val[i]);
	} else {
		xpt_strbuf__reset(&p->value);
		xpt_value__add_text(&p->value, c->fn, i, c->val[i]);
		add_text(p, l, xpt_strbuf__str(&p->value));
	}
}

/* Everything of a launch was read. */
static bool has_launch(const struct fn_info *f, const struct xpt_call *c, unsigned n)
{
	int last = f->dims + 5;
	unsigned need = 0x3fu << f->dims;

	last = f->shmem > last ? f->shmem : last;
	last = f->stream > last ? f->stream : last;
	need |= f->shmem >= 0 ? 1u << f->shmem : 0;
	need |= f->stream >= 0 ? 1u << f->stream : 0;
	return (unsigned)last < n && (c->valid & need) == need;
}

/* A stream of 0 is the default: not worth the room. A kernel with a name needs no handle. */
static bool is_implied(const struct xpt_call *c, unsigned i)
{
	uint8_t role = c->fn->cap[i].role;

	return (role == XPT_ROLE_STREAM && !c->val[i]) ||
	       (role == XPT_ROLE_FUNC && xpt_call__kernel_known(c));
}

static void add_args(struct xpt_pf_names *p, struct xpt_pf_known *l, const struct fn_info *f,
		     const struct xpt_call *c, bool returned)
{
	unsigned n = c->nr_vals < c->fn->nr_caps ? c->nr_vals : c->fn->nr_caps;
	size_t ann;

	for (unsigned i = 0; i < n && i < XPT_MAX_VALS; i++) {
		if (!f->ann[i] || !(c->valid >> i & 1) || !xpt_call__shows_arg(c, i) ||
		    (!returned && c->fn->cap[i].op == XPT_CAP_OUT) || is_implied(c, i))
			continue;
		if ((int)i == f->dims && !has_launch(f, c, n))
			continue;
		ann = begin_ann(p, f->ann[i]);
		if ((int)i == f->dims)
			add_launch(p, l, f, c);
		else
			add_value(p, l, c, i);
		xpt_pb__end(p->body, ann);
	}
	if (xpt_call__kernel_known(c))
		add_named_text(p, l, "kernel", c->kernel);
}

static void add_stack(struct xpt_pf_names *p, struct xpt_pf_known *l, const struct xpt_stack *st)
{
	xpt_strbuf__reset(&p->value);
	for (uint32_t i = 0; i < st->nr; i++) {
		xpt_strbuf__add(&p->value, i ? " < " : "");
		xpt_strbuf__add(&p->value, st->frame[i].fn);
	}
	add_named_text(p, l, "stack", xpt_strbuf__str(&p->value));
}

int xpt_pf_names__call(struct xpt_pf_names *p, struct xpt_pf_known *l, const struct xpt_call *c,
		       bool returned, bool whole, struct xpt_strbuf *body, const void **ret_defs,
		       size_t *ret_n)
{
	const struct fn_info *f = fn_info(p, c->fn);
	bool failed = returned && c->failed;
	char buf[32];

	if (!f)
		return -ENOMEM;
	p->body = body;
	xpt_strbuf__reset(&p->defs);
	define_fn(p, l, f);
	define_name(p, l, XPT_PF_INTERN_CATEGORY, f->cat[failed], cat_text(p, c->fn, failed));
	xpt_pb__u64(body, XPT_PF_NAME_IID, f->name);
	if (f->cat[failed])
		xpt_pb__u64(body, XPT_PF_CATEGORY_IID, f->cat[failed]);
	add_args(p, l, f, c, returned);
	if (returned && c->fn->ret != XPT_RET_NONE &&
	    (c->ret || c->fn->ret == XPT_RET_VALUE || xpt_ret_is_pointer(c->fn->ret)))
		add_named_text(p, l, "result", xpt_call__result_name(c, buf, sizeof(buf)));
	add_sched(p, l, c);
	if (c->stack)
		add_stack(p, l, c->stack);
	if (!returned)
		add_flag(p, l, c->flags & XPT_CALL_LEFT ? "left" : "in_flight");
	if (!whole)
		add_flag(p, l, "overlap");
	*ret_defs = xpt_strbuf__str(&p->defs);
	*ret_n = p->defs.len;
	return xpt_strbuf__err(body) ? xpt_strbuf__err(body) : xpt_strbuf__err(&p->defs);
}
