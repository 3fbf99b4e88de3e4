// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The calls in the code of each function: direct calls and tail jumps by relocation or, within a section, by their
 * displacement; indirect calls by the facts of flow.c about the pointer, matched with the tables in data whose
 * size, place and prototype fit. Errnos are collected on the way.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rdma/graph/build.h"
#include "rdma/graph/result.h"

/*
 * Offsets in struct ib_device from which on an unknown pointer is taken for an
 * operation: smaller ones are those of members of too many structs. Most
 * objects of RDMA have their device first, which makes a guess better.
 */
enum { MIN_GUESS = 0x100, MIN_GUESS_FIRST = 0x30, MIN_UNTYPED_TABLE = 64 };
/* More functions of one prototype than these tell nothing of which one is called. */
enum { MAX_BY_PROTO = 12, MAX_BY_TABLE = 32 };

struct walk {
	struct xpt_rdma_build *b;
	struct xpt_rdma_bmod *m;
	struct xpt_code *code;
	struct xpt_flow_call *calls;
	uint32_t cap_calls;
	uint32_t fn, base;	/* the function; where its section's offsets start for it */
	const struct xpt_code_insn *insns;
	uint32_t ops_struct;	/* struct ib_device_ops in this module's BTF; 0 */
	uint32_t ops_offset;	/* of struct ib_device.ops */
	int err;
};

static void add_edge(struct walk *w, uint32_t callee, enum xpt_rdma_call_kind kind, bool narrowed)
{
	struct xpt_rdma_build *b = w->b;

	if (w->err || callee == w->fn)
		return;
	w->err = xpt_rdma__grow((void **)&b->edges, b->nr_edges, &b->cap_edges, sizeof(*b->edges));
	if (!w->err)
		b->edges[b->nr_edges++] = (struct xpt_rdma_edge){
			.caller = w->fn, .callee = callee, .kind = (uint16_t)kind,
			.narrowed = narrowed, .unread = kind == XPT_RDMA_CALL && !narrowed };
}

static void add_errno(struct walk *w, int code)
{
	struct xpt_rdma_build *b = w->b;

	if (w->err)
		return;
	w->err = xpt_rdma__grow((void **)&b->errs, b->nr_errs, &b->cap_errs, sizeof(*b->errs));
	if (!w->err)
		b->errs[b->nr_errs++] = (struct xpt_rdma_err){ .fn = w->fn, .code = code };
}

static uint8_t reg_by_name(const char *name)
{
	static const char *const names[XPT_NR_REGS] = {
		"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	};
	uint8_t i;

	for (i = 0; i < XPT_NR_REGS; i++)
		if (!strcmp(name, names[i]))
			return i;
	return XPT_REG_NONE;
}

static bool starts_with(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* Returns whether it is a function that the compiler and the kernel's own instruments call in every function. */
static bool is_plumbing(const char *name)
{
	return starts_with(name, "__SCT__") || starts_with(name, "__stack_chk_fail") ||
	       starts_with(name, "__sanitizer_") || starts_with(name, "__asan_") ||
	       starts_with(name, "__ubsan_") || starts_with(name, "__tsan_") || starts_with(name, "__kcsan_");
}

/*
 * Returns whether the result has 64 bits, of which a caller's int may be the low half. Without types the kernel's
 * own functions that return the rest of a time are known by name.
 */
static bool is_long(const struct xpt_rdma_fn *f, const char *name)
{
	static const char *const by_name[] = {
		"wait_for_completion_timeout", "wait_for_completion_io_timeout",
		"wait_for_completion_interruptible_timeout", "wait_for_completion_killable_timeout",
		"dma_resv_wait_timeout", "dma_fence_wait_timeout", "schedule_timeout",
		"schedule_timeout_interruptible", "schedule_timeout_killable",
		"schedule_timeout_uninterruptible",
	};
	size_t i;

	if (f->ret != XPT_RDMA_RET_UNKNOWN || f->module != XPT_RDMA_KERNEL)
		return f->ret == XPT_RDMA_RET_LONG || f->ret == XPT_RDMA_RET_ULONG;
	for (i = 0; i < sizeof(by_name) / sizeof(by_name[0]); i++)
		if (!strcmp(name, by_name[i]))
			return true;
	return false;
}

/* A function of another module or of the kernel. */
static void to_external(struct walk *w, const char *name, enum xpt_rdma_call_kind kind,
			struct xpt_flow_call *c)
{
	const struct xpt_rdma_fn *f;
	struct xpt_proto p;
	int64_t fn;

	if (!strcmp(name, "__fentry__") || !strcmp(name, "mcount")) {
		c->to = XPT_TO_NOTHING;
		return;
	}
	if (starts_with(name, "__x86_return_thunk")) {
		c->to = XPT_TO_CALLER;
		return;
	}
	if (starts_with(name, "__x86_indirect_")) {
		c->to = XPT_TO_POINTER;
		c->reg = reg_by_name(strrchr(name, '_') + 1);
		return;
	}
	c->to = XPT_TO_FUNCTION;
	if (is_plumbing(name))
		return;
	fn = xpt_rdma__external(w->b, name);
	if (fn < 0) {
		w->err = (int)fn;
		return;
	}
	c->fn = (uint32_t)fn;
	f = &w->b->g->fns[fn];
	c->returns_long = is_long(f, name);
	/* Ids of structs differ between modules: look it up by name in this one. */
	if (f->ret == XPT_RDMA_RET_POINTER && f->module == XPT_RDMA_KERNEL &&
	    xpt_types__func(w->b->src->kernel, name, &p) && w->m->types)
		c->ret_struct = p.ret_struct;
	else if (f->ret == XPT_RDMA_RET_POINTER && f->module != XPT_RDMA_KERNEL && w->m->types &&
		 xpt_types__func(w->b->mods[f->module].types, name, &p) && p.ret_struct)
		c->ret_struct = xpt_types__struct(w->m->types,
			xpt_types__name(w->b->mods[f->module].types, p.ret_struct));
	add_edge(w, c->fn, kind, false);
}

static void to_local(struct walk *w, const struct xpt_rdma_range *from, uint32_t sec,
		     uint64_t offset, enum xpt_rdma_call_kind kind, bool relocated,
		     struct xpt_flow_call *c)
{
	const struct xpt_rdma_range *range;
	uint32_t fn = xpt_rdma__fn_at(w->m, sec, offset, &range);
	const struct xpt_rdma_fn *f;
	struct xpt_proto p;

	c->to = XPT_TO_FUNCTION;
	if (fn == XPT_RDMA_NONE)
		return;
	/* Own code: the other part of it is looked at by itself. */
	if (fn == w->fn && kind == XPT_RDMA_TAIL) {
		c->to = range == from && !relocated ? XPT_TO_SELF : XPT_TO_NOTHING;
		return;
	}
	f = &w->b->g->fns[fn];
	c->fn = fn;
	c->returns_long = is_long(f, xpt_rdma_fn_name(w->b->g, fn));
	if (f->ret == XPT_RDMA_RET_POINTER &&
	    xpt_types__func(w->m->types, xpt_rdma_fn_name(w->b->g, fn), &p))
		c->ret_struct = p.ret_struct;
	add_edge(w, fn, kind, false);
}

/* The relocation of an instruction's operand, or NULL. */
static const struct xpt_mod_rel *operand_rel(const struct walk *w, const struct xpt_rdma_range *r,
					     const struct xpt_code_insn *i)
{
	uint32_t nr;
	const struct xpt_mod_sec *sec = &xpt_module__secs(w->m->src->mod, &nr)[r->sec];
	const struct xpt_mod_rel *rel = xpt_module__rel_from(w->m->src->mod, sec, i->offset);

	return rel && rel->offset < (uint64_t)i->offset + i->len ? rel : NULL;
}

static void add_direct(struct walk *w, const struct xpt_rdma_range *r, const struct xpt_code_insn *i,
		       struct xpt_flow_call *c)
{
	enum xpt_rdma_call_kind kind = i->op == XPT_CODE_CALL ? XPT_RDMA_CALL : XPT_RDMA_TAIL;
	const struct xpt_mod_rel *rel = operand_rel(w, r, i);
	const struct xpt_mod_sym *s;
	uint32_t nr;

	if (!rel) {
		to_local(w, r, r->sec, i->target, kind, false, c);
		return;
	}
	s = &xpt_module__syms(w->m->src->mod, &nr)[rel->sym];
	if (!s->sec)
		to_external(w, s->name, kind, c);
	else
		to_local(w, r, s->sec, s->value + (uint64_t)rel->addend + 4, kind, true, c);
}

static void add_indirect(struct walk *w, const struct xpt_rdma_range *r, const struct xpt_code_insn *i,
			 struct xpt_flow_call *c)
{
	bool mem = i->op == XPT_CODE_CALL_MEM || i->op == XPT_CODE_JUMP_MEM;

	c->to = XPT_TO_POINTER;
	c->reg = mem ? XPT_REG_NONE : i->src;
	/* A variable of the kernel, as those of paravirtual operations: not an RDMA call. */
	if (mem && operand_rel(w, r, i))
		c->to = XPT_TO_FUNCTION;
}

static void classify_call(struct walk *w, const struct xpt_rdma_range *r, uint32_t n)
{
	const struct xpt_code_insn *i = &w->insns[n];
	struct xpt_flow_call *c = &w->calls[n];

	*c = (struct xpt_flow_call){ .reg = XPT_REG_NONE, .fn = XPT_RDMA_NONE };
	switch (i->op) {
	case XPT_CODE_CALL:
	case XPT_CODE_JUMP:
	case XPT_CODE_BRANCH:
		add_direct(w, r, i, c);
		break;
	case XPT_CODE_CALL_REG:
	case XPT_CODE_JUMP_REG:
	case XPT_CODE_CALL_MEM:
	case XPT_CODE_JUMP_MEM:
		add_indirect(w, r, i, c);
		break;
	case XPT_CODE_RETURN:
		c->to = XPT_TO_CALLER;
		break;
	}
}

/*
 * A function whose address the instruction holds: as it is, or as a distance from the
 * instruction's end.
 */
static void note_address(struct walk *w, const struct xpt_code_insn *i, const struct xpt_mod_rel *rel)
{
	uint32_t nr, fn = XPT_RDMA_NONE, *global;
	const struct xpt_mod_sym *s = &xpt_module__syms(w->m->src->mod, &nr)[rel->sym];
	uint64_t at = s->value + (uint64_t)rel->addend, key;
	const struct xpt_rdma_range *range;

	if (rel->type == R_X86_64_PC32 || rel->type == R_X86_64_PLT32)
		at += i->offset + i->len - rel->offset;
	if (s->sec) {
		fn = xpt_rdma__fn_at(w->m, s->sec, at, &range);
		if (fn != XPT_RDMA_NONE && (range->start != at || range->cold))
			fn = XPT_RDMA_NONE;
	} else {
		key = xpt_hash(s->name, strlen(s->name));
		global = xpt_hashmap__find(w->b->globals, &key);
		fn = global ? *global : XPT_RDMA_NONE;
	}
	if (fn != XPT_RDMA_NONE)
		w->b->g->fns[fn].flags |= XPT_RDMA_FN_TAKEN;
}

static void note_addresses(struct walk *w, const struct xpt_rdma_range *r, const struct xpt_code_insn *i)
{
	uint32_t nr_secs, nr;
	const struct xpt_mod_sec *sec = &xpt_module__secs(w->m->src->mod, &nr_secs)[r->sec];
	const struct xpt_mod_rel *rel = xpt_module__rel_from(w->m->src->mod, sec, i->offset);
	const struct xpt_mod_rel *end = xpt_module__rels(w->m->src->mod, &nr) + sec->first_rel + sec->nr_rels;

	for (; rel && rel < end && rel->offset < (uint64_t)i->offset + i->len; rel++)
		note_address(w, i, rel);
}

/* Edges to all functions in tables of the member's struct; how many there are. */
static uint32_t add_targets(struct walk *w, uint64_t size, uint64_t offset, uint64_t sig)
{
	const struct xpt_rdma_build *b = w->b;
	uint32_t i, n = 0;

	for (i = 0; size && i < b->nr_pointers; i++) {
		const struct xpt_rdma_pointer *p = &b->pointers[i];
		uint64_t its = b->sigs[p->fn];

		if (p->size % size || p->offset % size != offset)
			continue;
		if (its != sig && (its || size < MIN_UNTYPED_TABLE))
			continue;
		add_edge(w, p->fn, XPT_RDMA_INDIRECT, false);
		n++;
	}
	return n;
}

/*
 * Fills text, nr_targets and how, where the pointer is a member of a struct. *sig: its prototype's,
 * where no table in data has such a member: then code stores it.
 */
static void resolve_pointer(struct walk *w, uint32_t id, uint32_t offset, enum xpt_rdma_resolution resolution,
			    char *text, size_t n, struct xpt_rdma_site *s, uint64_t *sig)
{
	struct xpt_member m;
	const char *name;

	xpt_types__member(w->m->types, id, offset, &m);
	if (m.kind != XPT_MEMBER_FN_PTR)
		return;
	name = xpt_types__name(w->m->types, m.id);
	snprintf(text, n, "%s.%s", *name ? name : "(anonymous)", m.name);
	s->nr_targets = add_targets(w, m.size, m.offset, m.proto.sig);
	if (s->nr_targets)
		s->resolution = resolution;
	else if (!strcmp(name, "ib_device_ops"))
		s->resolution = XPT_RDMA_BY_NOBODY;
	else
		*sig = m.proto.sig;
}

/*
 * The same without types: the core's modules call an operation where they load it from so far after the
 * beginning of a device, if a driver's table has one there.
 */
static void resolve_untyped(struct walk *w, const struct xpt_value *v, char *text, size_t n, struct xpt_rdma_site *s)
{
	const struct xpt_rdma_build *b = w->b;
	uint32_t offset = (uint32_t)v->off - b->ops_offset, i;

	if (w->m->types || w->m->src->vendor || w->m->src->shared || !b->ops_offset ||
	    v->off < (v->id ? MIN_GUESS_FIRST : MIN_GUESS) || (uint32_t)v->off < b->ops_offset)
		return;
	for (i = 0; i < b->nr_pointers; i++) {
		if (!b->pointers[i].is_ops || b->pointers[i].offset != offset)
			continue;
		add_edge(w, b->pointers[i].fn, XPT_RDMA_INDIRECT, false);
		s->nr_targets++;
	}
	if (!s->nr_targets)
		return;
	s->resolution = XPT_RDMA_BY_OFFSET;
	snprintf(text, n, "ib_device_ops+0x%x", offset);
}

static bool may_guess(const struct walk *w, const struct xpt_value *v)
{
	return w->ops_struct && v->off >= (v->id ? MIN_GUESS_FIRST : MIN_GUESS) &&
	       (uint32_t)v->off >= w->ops_offset;
}

static void on_site(void *ctx, uint32_t n, const struct xpt_value *v)
{
	struct walk *w = ctx;
	struct xpt_rdma_build *b = w->b;
	struct xpt_rdma_site s = { .offset = w->insns[n].offset - w->base };
	char text[256] = "";
	struct xpt_proto p;
	uint64_t sig = 0;
	int64_t member;

	if (v->kind == XPT_VALUE_FN)
		resolve_pointer(w, v->id, (uint32_t)v->off, XPT_RDMA_BY_TYPE, text, sizeof(text), &s, &sig);
	else if (v->kind == XPT_VALUE_LOADED && may_guess(w, v))
		resolve_pointer(w, w->ops_struct, (uint32_t)v->off - w->ops_offset, XPT_RDMA_BY_OFFSET, text,
				sizeof(text), &s, &sig);
	else if (v->kind == XPT_VALUE_LOADED)
		resolve_untyped(w, v, text, sizeof(text), &s);
	else if (v->kind == XPT_VALUE_CALLBACK && xpt_types__proto(w->m->types, v->id, &p))
		sig = p.sig;
	if (v->kind == XPT_VALUE_LOADED && !*text)
		snprintf(text, sizeof(text), "?+0x%x", (uint32_t)v->off);
	member = xpt_rdma__text(b, text);
	if (!w->err && member < 0)
		w->err = (int)member;
	if (!w->err)
		w->err = xpt_rdma__grow((void **)&b->places, b->nr_places, &b->cap_places,
					sizeof(*b->places));
	if (w->err)
		return;
	s.member = (uint32_t)member;
	b->places[b->nr_places++] = (struct xpt_rdma_place){ .fn = w->fn, .site = s, .sig = sig };
}

static void on_narrow(void *ctx, uint32_t fn)
{
	struct walk *w = ctx;

	if (fn != XPT_RDMA_NONE)
		add_edge(w, fn, XPT_RDMA_CALL, true);
}

static bool returns_nothing(void *ctx, uint32_t fn)
{
	const struct walk *w = ctx;

	return fn != XPT_RDMA_NONE && w->b->g->fns[fn].ret == XPT_RDMA_RET_VOID;
}

static void note_read(struct walk *w, uint32_t callee, uint32_t first_edge)
{
	uint32_t i;

	for (i = first_edge; i < w->b->nr_edges; i++)
		if (w->b->edges[i].callee == callee)
			w->b->edges[i].unread = false;
}

/* Whose results are read: of functions that are called directly. is_whole: it begins with these instructions. */
static void note_results(struct walk *w, const struct xpt_flow *f, bool is_whole, uint32_t first_edge)
{
	bool is_void = w->b->g->fns[w->fn].ret == XPT_RDMA_RET_VOID;
	uint32_t n;

	if (w->b->g->fns[w->fn].ret == XPT_RDMA_RET_UNKNOWN && is_whole &&
	    xpt_rdma_result__is_unset(f, returns_nothing, w))
		w->b->g->fns[w->fn].flags |= XPT_RDMA_FN_RESULT_UNSET;

	for (n = 0; n < f->nr; n++) {
		uint32_t fn = f->calls[n].fn;

		if (fn == XPT_RDMA_NONE || f->calls[n].to != XPT_TO_FUNCTION)
			continue;
		if (f->insns[n].op == XPT_CODE_CALL ? xpt_rdma_result__is_read(f, n, is_void) : !is_void) {
			w->b->g->fns[fn].flags |= XPT_RDMA_FN_RESULT_READ;
			note_read(w, fn, first_edge);
		} else {
			w->b->g->fns[fn].flags |= XPT_RDMA_FN_RESULT_UNREAD;
		}
	}
}

/* Functions of the object of data that an instruction refers to, if it is a table; their number is n then. */
static uint32_t add_table(const struct walk *w, uint32_t sec, uint64_t at, uint32_t *v, uint32_t n)
{
	const struct xpt_rdma_build *b = w->b;
	uint32_t i, k, mod = (uint32_t)(w->m - b->mods);

	for (i = 0; i < b->nr_pointers; i++) {
		const struct xpt_rdma_pointer *p = &b->pointers[i];

		if (p->mod != mod || p->sec != sec || at < p->start || at - p->start >= p->size)
			continue;
		for (k = 0; k < n && v[k] != p->fn; k++)
			;
		if (k == n && n < MAX_BY_TABLE)
			v[n++] = p->fn;
	}
	return n;
}

/*
 * A function that calls pointers of which nothing is known takes them from the tables that it refers
 * to: an array of steps, one called after the other.
 */
static void look_into_tables(struct walk *w, const struct xpt_rdma_range *r, uint32_t nr, uint32_t first_place)
{
	uint32_t nr_secs, nr_all, i, k, n = 0, v[MAX_BY_TABLE];
	const struct xpt_mod_sec *sec = &xpt_module__secs(w->m->src->mod, &nr_secs)[r->sec];
	const struct xpt_mod_rel *rel = xpt_module__rel_from(w->m->src->mod, sec, r->start);
	const struct xpt_mod_rel *end = xpt_module__rels(w->m->src->mod, &nr_all) + sec->first_rel + sec->nr_rels;

	for (i = 0; rel && rel < end && i < nr; rel++) {
		const struct xpt_mod_sym *s = &xpt_module__syms(w->m->src->mod, &nr_all)[rel->sym];
		uint64_t at = s->value + (uint64_t)rel->addend;

		while (i < nr && (uint64_t)w->insns[i].offset + w->insns[i].len <= rel->offset)
			i++;
		if (i == nr || !s->sec || w->insns[i].op >= XPT_CODE_CALL)
			continue;
		if (rel->type == R_X86_64_PC32)
			at += w->insns[i].offset + w->insns[i].len - rel->offset;
		n = add_table(w, s->sec, at, v, n);
	}
	for (i = first_place; n && i < w->b->nr_places; i++) {
		struct xpt_rdma_place *p = &w->b->places[i];

		if (p->sig || p->site.resolution != XPT_RDMA_UNRESOLVED)
			continue;
		p->site.resolution = XPT_RDMA_BY_TABLE;
		p->site.nr_targets = n;
		for (k = 0; k < n; k++)
			add_edge(w, v[k], XPT_RDMA_INDIRECT, false);
	}
}

static bool has_open(const struct xpt_rdma_build *b, uint32_t first_place)
{
	uint32_t i;

	for (i = first_place; i < b->nr_places; i++)
		if (!b->places[i].sig && b->places[i].site.resolution == XPT_RDMA_UNRESOLVED)
			return true;
	return false;
}

static int one_range(struct walk *w, const struct xpt_rdma_range *r)
{
	uint32_t nr_secs, nr, n, first_place, first_edge;
	const struct xpt_mod_sec *sec = &xpt_module__secs(w->m->src->mod, &nr_secs)[r->sec];
	struct xpt_flow f = { .types = w->m->types, .ctx = w, .on_site = on_site,
			      .on_narrow = on_narrow };
	struct xpt_proto p;
	int err;

	if (r->start > UINT32_MAX - r->size)
		return 0;
	w->fn = r->fn;
	w->base = (uint32_t)r->start;
	err = xpt_code__read(w->code, sec->data + r->start, r->size, (uint32_t)r->start, &w->insns,
			     &nr);
	while (!err && nr && nr > w->cap_calls)
		err = xpt_rdma__grow((void **)&w->calls, w->cap_calls, &w->cap_calls,
				     sizeof(*w->calls));
	if (err)
		return err;
	first_edge = w->b->nr_edges;
	for (n = 0; n < nr && !w->err; n++) {
		classify_call(w, r, n);
		if (w->insns[n].op < XPT_CODE_CALL)
			note_addresses(w, r, &w->insns[n]);
		if (w->insns[n].errno_)
			add_errno(w, w->insns[n].errno_);
	}
	if (w->err)
		return w->err;
	f.insns = w->insns;
	f.calls = w->calls;
	f.nr = nr;
	note_results(w, &f, !r->cold, first_edge);
	f.returns_int = w->b->g->fns[r->fn].ret == XPT_RDMA_RET_INT ||
			w->b->g->fns[r->fn].ret == XPT_RDMA_RET_UNKNOWN;	/* it may be one */
	if (!r->cold && xpt_types__func(w->m->types, xpt_rdma_fn_name(w->b->g, r->fn), &p))
		f.proto = p.id;
	first_place = w->b->nr_places;
	err = xpt_flow__run(&f);
	if (!err && has_open(w->b, first_place))
		look_into_tables(w, r, nr, first_place);
	return err ? err : w->err;
}

/* Where struct ib_device keeps its operations, by this module's BTF; without it, nowhere. */
static void find_ops(struct walk *w)
{
	uint32_t dev = xpt_types__struct(w->m->types, "ib_device");
	struct xpt_member m;
	uint32_t offset;

	w->ops_struct = w->ops_offset = 0;
	for (offset = 0; dev && !w->m->src->vendor && offset < 64; offset += 8) {
		xpt_types__member(w->m->types, dev, offset + 64, &m);
		if (m.kind == XPT_MEMBER_FN_PTR && m.offset <= offset + 64 &&
		    !strcmp(xpt_types__name(w->m->types, m.id), "ib_device_ops")) {
			w->ops_struct = m.id;
			w->ops_offset = offset + 64 - m.offset;
			return;
		}
	}
}

/* Whether all who call it are seen here: the compiler changed it, or nobody takes its address. */
static bool has_known_callers(const struct xpt_rdma_build *b, uint32_t fn)
{
	const struct xpt_rdma_fn *f = &b->g->fns[fn];

	return strchr(xpt_rdma_fn_name(b->g, fn), '.') ||
	       (f->module != XPT_RDMA_KERNEL && !(f->flags & XPT_RDMA_FN_TAKEN));
}

/*
 * Functions whose types are not known: a function has no result where its code leaves none, or where none of its
 * callers reads one. The register holds something then all the same, often the caller's own errno.
 */
static void drop_results(struct xpt_rdma_build *b)
{
	uint32_t i;

	for (i = 0; i < b->nr_pointers; i++)
		b->g->fns[b->pointers[i].fn].flags |= XPT_RDMA_FN_TAKEN;
	for (i = 0; i < b->g->nr_fns; i++) {
		struct xpt_rdma_fn *f = &b->g->fns[i];
		bool unread = f->flags & XPT_RDMA_FN_RESULT_UNREAD && !(f->flags & XPT_RDMA_FN_RESULT_READ);

		if (f->ret == XPT_RDMA_RET_UNKNOWN &&
		    (f->flags & XPT_RDMA_FN_RESULT_UNSET || (unread && has_known_callers(b, i))))
			f->ret = XPT_RDMA_RET_VOID;
	}
}

/* Functions of a prototype whose address code takes; at most n are put into v. */
static uint32_t find_taken(const struct xpt_rdma_build *b, uint64_t sig, uint32_t *v, uint32_t n)
{
	uint32_t i, found = 0;

	for (i = 0; i < b->g->nr_fns; i++) {
		if (!(b->g->fns[i].flags & XPT_RDMA_FN_TAKEN) || b->sigs[i] != sig)
			continue;
		if (found < n)
			v[found] = i;
		found++;
	}
	return found;
}

/*
 * Resolves pointers that code stores, or hands over as an argument: no table in data has them. After all modules,
 * since the functions of one module are called by another.
 */
static int resolve_taken(struct walk *w)
{
	struct xpt_rdma_build *b = w->b;
	uint32_t v[MAX_BY_PROTO], i, k, n;

	for (i = 0; i < b->nr_places && !w->err; i++) {
		struct xpt_rdma_place *p = &b->places[i];

		if (!p->sig || p->site.resolution != XPT_RDMA_UNRESOLVED)
			continue;
		n = find_taken(b, p->sig, v, MAX_BY_PROTO);
		if (!n || n > MAX_BY_PROTO)
			continue;
		p->site.resolution = XPT_RDMA_BY_PROTO;
		p->site.nr_targets = n;
		w->fn = p->fn;
		for (k = 0; k < n; k++)
			add_edge(w, v[k], XPT_RDMA_LIKELY, false);
	}
	return w->err;
}

int xpt_rdma__calls(struct xpt_rdma_build *b)
{
	struct walk w = { .b = b };
	uint32_t i, k;
	int err = xpt_code__new(&w.code);

	for (i = 0; i < b->src->nr && !err; i++) {
		w.m = &b->mods[i];
		find_ops(&w);
		for (k = 0; k < w.m->nr_ranges && !err; k++)
			err = one_range(&w, &w.m->ranges[k]);
	}
	if (!err)
		err = resolve_taken(&w);
	if (!err)
		drop_results(b);
	xpt_code__free(w.code);
	free(w.calls);
	return err;
}
