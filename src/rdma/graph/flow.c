// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See flow.h. A forward analysis over the instructions in their order, with a state at every target of a jump;
 * where paths meet, only values on which both agree are kept (but a long result stays one: there it is enough that
 * some path has it). Repeated until nothing changes, at most MAX_PASSES times.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rdma/graph/flow.h"

enum { NR_SLOTS = 24, MAX_PASSES = 12, MAX_STATES = 1 << 16 };
enum { CUT = 1 };	/* off of XPT_VALUE_LONG */

#define NO_STATE UINT32_MAX

struct slot {
	int32_t at;	/* from the stack pointer at the function's start */
	struct xpt_value v;
};

struct state {
	bool reached, sp_known;
	int32_t sp;
	struct xpt_value reg[XPT_NR_REGS];
	struct slot slot[NR_SLOTS];	/* kind TOP: free */
};

struct run {
	const struct xpt_flow *f;
	uint32_t *goes;		/* per instruction: index of the one that it jumps to, or NO_STATE */
	uint32_t *at;		/* per instruction: its state if it is jumped to, or NO_STATE */
	struct state *in;
	uint32_t nr_states;
	bool changed, report;
};

static const struct xpt_value none = { .kind = XPT_VALUE_NONE };

static bool same_value(const struct xpt_value *a, const struct xpt_value *b)
{
	return a->kind == b->kind && a->id == b->id && a->off == b->off;
}

/* a becomes the value that holds for both; returns true if that changed it. */
static bool meet_value(struct xpt_value *a, const struct xpt_value *b)
{
	if (same_value(a, b) || a->kind == XPT_VALUE_LONG)
		return false;
	if (b->kind == XPT_VALUE_LONG) {
		*a = *b;
		return true;
	}
	if (a->kind == XPT_VALUE_NONE)
		return false;
	*a = none;
	return true;
}

static const struct xpt_value *find_slot(const struct state *s, int32_t at)
{
	int i;

	for (i = 0; i < NR_SLOTS; i++)
		if (s->slot[i].v.kind != XPT_VALUE_TOP && s->slot[i].at == at)
			return &s->slot[i].v;
	return &none;
}

static void set_slot(struct state *s, int32_t at, const struct xpt_value *v)
{
	struct slot *to = NULL;
	int i;

	for (i = 0; i < NR_SLOTS; i++) {
		if (s->slot[i].v.kind != XPT_VALUE_TOP && s->slot[i].at == at) {
			to = &s->slot[i];
			break;
		}
		if (s->slot[i].v.kind == XPT_VALUE_TOP)
			to = &s->slot[i];
	}
	if (!to)
		return;
	to->at = at;
	to->v = *v;
	if (v->kind == XPT_VALUE_NONE)
		to->v.kind = XPT_VALUE_TOP;
}

static bool meet_states(struct state *a, const struct state *b)
{
	bool changed = false;
	int i;

	if (!b->reached)
		return false;
	if (!a->reached) {
		*a = *b;
		return true;
	}
	for (i = 0; i < XPT_NR_REGS; i++)
		changed |= meet_value(&a->reg[i], &b->reg[i]);
	if (a->sp_known && (!b->sp_known || a->sp != b->sp)) {
		a->sp_known = false;
		changed = true;
	}
	for (i = 0; i < NR_SLOTS; i++) {
		struct slot *s = &a->slot[i];

		if (s->v.kind == XPT_VALUE_TOP || same_value(&s->v, find_slot(b, s->at)))
			continue;
		if (s->v.kind == XPT_VALUE_LONG)
			continue;
		s->v.kind = XPT_VALUE_TOP;
		changed = true;
	}
	return changed;
}

static void clobber_regs(struct state *s, uint16_t mask)
{
	int i;

	for (i = 0; i < XPT_NR_REGS; i++)
		if (mask & (1u << i))
			s->reg[i] = none;
	if (mask & (1u << XPT_REG_RSP))
		s->sp_known = false;
}

/* Bit masks are those of enum XPT_REG_*: spelled out, the numbers would be a riddle. */
static uint16_t caller_saved(void)
{
	static const uint8_t regs[] = { XPT_REG_RAX, XPT_REG_RCX, XPT_REG_RDX, XPT_REG_RSI, XPT_REG_RDI,
					XPT_REG_R8, XPT_REG_R9, XPT_REG_R10, XPT_REG_R11 };
	uint16_t mask = 0;
	size_t i;

	for (i = 0; i < sizeof(regs); i++)
		mask |= (uint16_t)(1u << regs[i]);
	return mask;
}

static struct xpt_value load_value(const struct run *r, const struct xpt_value *base, int32_t disp)
{
	struct xpt_value v = { .kind = XPT_VALUE_LOADED, .off = disp };
	struct xpt_member m;
	int64_t at;

	v.id = base->kind == XPT_VALUE_LOADED && !base->off;
	if (base->kind != XPT_VALUE_PTR || !r->f->types)
		return v;
	at = (int64_t)base->off + disp;
	if (at < 0 || at > INT32_MAX)
		return v;
	xpt_types__member(r->f->types, base->id, (uint32_t)at, &m);
	if (m.kind == XPT_MEMBER_STRUCT_PTR)
		return (struct xpt_value){ .kind = XPT_VALUE_PTR, .id = m.id };
	if (m.kind == XPT_MEMBER_FN_PTR)
		return (struct xpt_value){ .kind = XPT_VALUE_FN, .id = m.id,
					   .off = (int32_t)m.offset };
	return v;
}

static struct xpt_value shift_value(const struct xpt_value *v, int32_t by)
{
	struct xpt_value to = *v;

	if (v->kind != XPT_VALUE_PTR || __builtin_add_overflow(v->off, by, &to.off))
		return none;
	return to;
}

/* Code may move it anywhere; then it is wrong, and wraps as the processor's would. */
static int32_t move_sp(int32_t sp, int32_t by)
{
	return (int32_t)((uint32_t)sp + (uint32_t)by);
}

static void step_stack(struct state *s, const struct xpt_code_insn *i)
{
	if (i->op == XPT_CODE_PUSH) {
		s->sp = move_sp(s->sp, -8);
		if (s->sp_known)
			set_slot(s, s->sp, i->src < XPT_NR_REGS ? &s->reg[i->src] : &none);
		return;
	}
	if (i->dst < XPT_NR_REGS)
		s->reg[i->dst] = s->sp_known ? *find_slot(s, s->sp) : none;
	s->sp = move_sp(s->sp, 8);
}

static void step_memory(const struct run *r, struct state *s, const struct xpt_code_insn *i)
{
	bool stack = (i->op == XPT_CODE_LOAD ? i->src : i->dst) == XPT_REG_RSP;

	if (i->op == XPT_CODE_STORE) {
		if (stack && s->sp_known)
			set_slot(s, move_sp(s->sp, i->disp), i->src < XPT_NR_REGS ? &s->reg[i->src] : &none);
		return;
	}
	if (i->dst >= XPT_NR_REGS)
		return;
	if (stack)
		s->reg[i->dst] = s->sp_known ? *find_slot(s, move_sp(s->sp, i->disp)) : none;
	else
		s->reg[i->dst] = load_value(r, &s->reg[i->src], i->disp);
}

static void step_add(struct state *s, const struct xpt_code_insn *i)
{
	struct xpt_value v;

	if (i->dst == XPT_REG_RSP && i->src == XPT_REG_RSP) {
		s->sp = move_sp(s->sp, i->disp);
		return;
	}
	v = i->src < XPT_NR_REGS ? shift_value(&s->reg[i->src], i->disp) : none;
	clobber_regs(s, i->clobbers);
	if (i->dst < XPT_NR_REGS)
		s->reg[i->dst] = v;
}

static void step_insn(const struct run *r, struct state *s, const struct xpt_code_insn *i)
{
	struct xpt_value v;

	switch (i->op) {
	case XPT_CODE_MOVE:
	case XPT_CODE_MOVE32:
		v = i->src < XPT_NR_REGS ? s->reg[i->src] : none;
		if (i->op == XPT_CODE_MOVE32 && v.kind != XPT_VALUE_LONG)
			v = none;
		clobber_regs(s, i->clobbers);
		if (i->dst < XPT_NR_REGS)
			s->reg[i->dst] = v;
		break;
	case XPT_CODE_MAYBE:	/* as where two ways meet */
		v = i->src < XPT_NR_REGS ? s->reg[i->src] : none;
		if (i->dst < XPT_NR_REGS)
			meet_value(&s->reg[i->dst], &v);
		break;
	case XPT_CODE_EXTEND:
		v = i->src < XPT_NR_REGS ? s->reg[i->src] : none;
		v = v.kind == XPT_VALUE_LONG ? (struct xpt_value){ XPT_VALUE_LONG, v.id, CUT } : none;
		clobber_regs(s, i->clobbers);
		if (i->dst < XPT_NR_REGS)
			s->reg[i->dst] = v;
		break;
	case XPT_CODE_LOAD:
	case XPT_CODE_STORE:
		step_memory(r, s, i);
		break;
	case XPT_CODE_ADD:
		step_add(s, i);
		break;
	case XPT_CODE_PUSH:
	case XPT_CODE_POP:
		step_stack(s, i);
		break;
	default:
		clobber_regs(s, i->clobbers);
	}
}

/* Returns the value of the pointer of an indirect call. */
static struct xpt_value find_pointer(const struct run *r, const struct state *s, uint32_t n)
{
	const struct xpt_code_insn *i = &r->f->insns[n];
	uint8_t reg = r->f->calls[n].reg;

	if (reg < XPT_NR_REGS)
		return s->reg[reg];
	if (i->src < XPT_NR_REGS && i->src != XPT_REG_RSP)
		return load_value(r, &s->reg[i->src], i->disp);
	return none;
}

static void note_return(const struct run *r, const struct xpt_value *rax)
{
	if (r->report && rax->kind == XPT_VALUE_LONG && (r->f->returns_int || rax->off == CUT))
		r->f->on_narrow(r->f->ctx, rax->id);
}

/* A call, or a jump that leaves the function. */
static void step_call(const struct run *r, struct state *s, uint32_t n)
{
	const struct xpt_flow_call *c = &r->f->calls[n];
	struct xpt_value v = none, rax = none;
	struct xpt_member m;

	if (c->to == XPT_TO_NOTHING)
		return;
	if (c->to == XPT_TO_POINTER) {
		v = find_pointer(r, s, n);
		if (r->report)
			r->f->on_site(r->f->ctx, n, &v);
		if (v.kind == XPT_VALUE_FN) {
			xpt_types__member(r->f->types, v.id, (uint32_t)v.off, &m);
			if (m.kind == XPT_MEMBER_FN_PTR && m.proto.ret_struct)
				rax = (struct xpt_value){ .kind = XPT_VALUE_PTR,
							  .id = m.proto.ret_struct };
		}
	} else if (c->ret_struct) {
		rax = (struct xpt_value){ .kind = XPT_VALUE_PTR, .id = c->ret_struct };
	} else if (c->returns_long) {
		rax = (struct xpt_value){ .kind = XPT_VALUE_LONG, .id = c->fn };
	}
	clobber_regs(s, caller_saved());
	s->reg[XPT_REG_RAX] = rax;
}

static void run_insn(struct run *r, struct state *s, uint32_t n)
{
	const struct xpt_code_insn *i = &r->f->insns[n];
	const struct xpt_flow_call *c = &r->f->calls[n];
	bool ends = i->op == XPT_CODE_JUMP || i->op == XPT_CODE_JUMP_REG ||
		    i->op == XPT_CODE_JUMP_MEM || i->op == XPT_CODE_RETURN;

	if (c->to == XPT_NO_TRANSFER) {
		step_insn(r, s, i);
		return;
	}
	if (i->op == XPT_CODE_BRANCH && c->to != XPT_TO_SELF) {
		struct state taken = *s;

		step_call(r, &taken, n);
	} else if (c->to == XPT_TO_CALLER) {
		note_return(r, &s->reg[XPT_REG_RAX]);
	} else if (c->to != XPT_TO_SELF) {
		step_call(r, s, n);
	}
	if (ends && c->to == XPT_TO_FUNCTION)
		note_return(r, &s->reg[XPT_REG_RAX]);
	if (r->goes[n] != NO_STATE)
		r->changed |= meet_states(&r->in[r->at[r->goes[n]]], s);
	if (ends)
		s->reached = false;
}

static void start_state(const struct xpt_flow *f, struct state *s)
{
	static const uint8_t args[] = { XPT_REG_RDI, XPT_REG_RSI, XPT_REG_RDX, XPT_REG_RCX,
					XPT_REG_R8, XPT_REG_R9 };
	unsigned i;

	memset(s, 0, sizeof(*s));
	s->reached = s->sp_known = true;
	for (i = 0; i < XPT_NR_REGS; i++)
		s->reg[i] = none;
	for (i = 0; f->proto && i < sizeof(args); i++) {
		uint32_t id = xpt_types__arg_struct(f->types, f->proto, i);

		if (id)
			s->reg[args[i]] = (struct xpt_value){ .kind = XPT_VALUE_PTR, .id = id };
		else if ((id = xpt_types__arg_fn(f->types, f->proto, i)))
			s->reg[args[i]] = (struct xpt_value){ .kind = XPT_VALUE_CALLBACK, .id = id };
	}
}

static void run_pass(struct run *r)
{
	struct state s;
	uint32_t n;

	start_state(r->f, &s);
	r->changed = false;
	for (n = 0; n < r->f->nr; n++) {
		if (r->at[n] != NO_STATE) {
			r->changed |= meet_states(&r->in[r->at[n]], &s);
			s = r->in[r->at[n]];
		}
		/* An instruction that no jump seen here leads to starts from nothing, at the end. */
		if (!s.reached) {
			if (!r->report)
				continue;
			s.reached = true;
			memset(s.slot, 0, sizeof(s.slot));
			clobber_regs(&s, 0xffff);
		}
		run_insn(r, &s, n);
	}
}

static uint32_t insn_at(const struct xpt_flow *f, uint64_t offset)
{
	uint32_t lo = 0, hi = f->nr;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (f->insns[mid].offset < offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < f->nr && f->insns[lo].offset == offset ? lo : NO_STATE;
}

static int find_targets(struct run *r)
{
	const struct xpt_flow *f = r->f;
	uint32_t n, to;

	r->goes = malloc(f->nr * sizeof(*r->goes));
	r->at = malloc(f->nr * sizeof(*r->at));
	if (!r->goes || !r->at)
		return -ENOMEM;
	memset(r->at, 0xff, f->nr * sizeof(*r->at));
	for (n = 0; n < f->nr; n++) {
		bool jump = f->insns[n].op == XPT_CODE_JUMP || f->insns[n].op == XPT_CODE_BRANCH;

		to = jump && f->calls[n].to == XPT_TO_SELF ? insn_at(f, f->insns[n].target) :
							     NO_STATE;
		if (to != NO_STATE && r->at[to] == NO_STATE) {
			if (r->nr_states < MAX_STATES)
				r->at[to] = r->nr_states++;
			else
				to = NO_STATE;
		}
		r->goes[n] = to;
	}
	r->in = calloc(r->nr_states ? r->nr_states : 1, sizeof(*r->in));
	return r->in ? 0 : -ENOMEM;
}

int xpt_flow__run(const struct xpt_flow *f)
{
	struct run r = { .f = f };
	int err = 0, i;

	if (!f->nr)
		return 0;
	err = find_targets(&r);
	for (i = 0; !err && i < MAX_PASSES; i++) {
		run_pass(&r);
		if (!r.changed)
			break;
	}
	if (!err) {
		r.report = true;
		run_pass(&r);
	}
	free(r.in);
	free(r.at);
	free(r.goes);
	return err;
}
