// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The instructions by which a function ends. All its code is decoded: the piece
 * that the unwind table gives its entry, and every piece that it jumps to with
 * a frame on the stack (compilers move code that is seldom run elsewhere). A
 * piece is decoded from its begin to its end, so code that only a jump table
 * leads to is seen, too. The unwind table also says where the stack pointer
 * points to the return address: a `ret` elsewhere, or a jump that cannot be
 * followed, is code that is not understood, and then there is no answer rather
 * than a wrong one.
 */
#include "sites/returns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sites/code_jumps.h"
#include "elf/insn.h"
#include "elf/eh_frame.h"
#include "elf/elf_priv.h"
#include "wire/cookie.h"

enum {
	MAX_PARTS = 16,
	MAX_PART_BYTES = 512 << 10,
	MAX_SITES = 4096,
	MAX_CASES = 16384,	/* of a jump table */
	MAX_TRIED = 64,		/* of these, to decide whether it is one of the function */
	LOOK_BACK = 48,		/* instructions before an indirect jump */
	STUB_EXIT_INSNS = 4,
	ENTERED = 1, ENDS = 2,	/* something jumps there; it ends the function */
	JA = 7, JBE = 6, JAE = 3, JB = 2, COND_OTHER = 16,
	DECODE_WORK = 150,	/* units of work (elf_work.c) of a byte of code that is decoded */
};

struct part {
	struct xpt_fde fde;
	uint8_t *code;
	struct xpt_insn *insn;
	uint8_t *mark;		/* of each instruction: ENTERED, ENDS */
	size_t nr;
	bool shared;		/* another function may use it as well */
};

struct scan {
	struct xpt_elf *elf;
	struct xpt_decoder *dec;
	uint64_t entry, probe;	/* of the function; where the probe of its entry is */
	struct part part[MAX_PARTS];
	unsigned nr_parts;
	struct xpt_return_site *site;
	uint32_t nr, cap;
	bool follow;		/* into functions without a name that it ends by jumping to */
	bool calls;		/* it calls something, or ends in something else */
	const char *why;	/* not NULL: it cannot be done */
	bool no_memory;
};

static bool fail_with(struct scan *s, const char *why)
{
	if (!s->why)
		s->why = why;
	return false;
}

/* --- pieces of code ----------------------------------------------------------------------- */

static struct part *part_of(struct scan *s, uint64_t vaddr)
{
	unsigned i;

	for (i = 0; i < s->nr_parts; i++)
		if (vaddr >= s->part[i].fde.start && vaddr < s->part[i].fde.end)
			return &s->part[i];
	return NULL;
}

static bool decode_part(struct scan *s, struct part *p)
{
	uint64_t len = p->fde.end - p->fde.start, at, offset;

	if (!len || len > MAX_PART_BYTES || !xpt_elf__spend(s->elf, len * DECODE_WORK))
		return fail_with(s, "its code is too long to be decoded");
	p->code = malloc(len);
	p->insn = malloc(len * sizeof(*p->insn));	/* each takes a byte at least */
	p->mark = calloc(len, 1);
	if (!p->code || !p->insn || !p->mark) {
		s->no_memory = true;
		return fail_with(s, "out of memory");
	}
	if (!xpt_elf__offset(s->elf, p->fde.start, &offset) ||
	    xpt_elf__read(s->elf, p->fde.start, p->code, len) != len)
		return fail_with(s, "its code is not all in the file");
	for (at = 0; at < len; at += p->insn[p->nr++].len)
		if (!xpt_decoder__next(s->dec, p->code + at, len - at, p->fde.start + at,
				       &p->insn[p->nr]))
			return fail_with(s, "its code cannot be decoded");
	return true;
}

/*
 * The piece around vaddr, new or not; NULL: why is set. One that begins as functions do, with
 * nothing on the stack, may be called, too.
 */
static struct part *add_part(struct scan *s, uint64_t vaddr, bool shared)
{
	struct part *p = part_of(s, vaddr);
	int err;

	if (p)
		return p;
	if (s->nr_parts == MAX_PARTS) {
		fail_with(s, "its code has too many pieces");
		return NULL;
	}
	p = &s->part[s->nr_parts];
	memset(p, 0, sizeof(*p));
	err = xpt_fde__find(s->elf, vaddr, &p->fde);
	if (err) {
		fail_with(s, err == -ENOENT ? "it jumps to code without an entry in the unwind table" :
			  "the unwind table is damaged, or in a form that is not known");
		return NULL;
	}
	s->nr_parts++;
	p->shared = shared || (s->nr_parts > 1 && xpt_fde__at_return(&p->fde, p->fde.start));
	return decode_part(s, p) ? p : NULL;
}

static int by_address(const void *key, const void *elem)
{
	uint64_t vaddr = *(const uint64_t *)key;
	const struct xpt_insn *in = elem;

	return vaddr < in->addr ? -1 : vaddr > in->addr;
}

static bool is_boundary(const struct part *p, uint64_t vaddr)
{
	return bsearch(&vaddr, p->insn, p->nr, sizeof(*p->insn), by_address) != NULL;
}

/* False: there is no instruction at vaddr. */
static bool enter_part(struct part *p, uint64_t vaddr)
{
	const struct xpt_insn *in = bsearch(&vaddr, p->insn, p->nr, sizeof(*p->insn), by_address);

	if (in)
		p->mark[in - p->insn] |= ENTERED;
	return in != NULL;
}

/* --- ends ------------------------------------------------------------------------------------ */

static bool add_site(struct scan *s, const struct part *p, const struct xpt_insn *in, uint32_t flags)
{
	struct xpt_return_site *site;

	if (s->nr == MAX_SITES)
		return fail_with(s, "it has too many ends");
	if (s->nr == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 16;
		site = reallocarray(s->site, s->cap, sizeof(*site));
		if (!site) {
			s->no_memory = true;
			return fail_with(s, "out of memory");
		}
		s->site = site;
	}
	if (p->mark)
		p->mark[in - p->insn] |= ENDS;
	site = &s->site[s->nr++];
	site->flags = XPT_AT_RETURN | flags | (p->shared ? XPT_AT_SHARED : 0);
	site->cls = xpt_decoder__classify(s->dec, p->code + (in->addr - p->fde.start), in->len);
	if (site->cls == XPT_SITE_UNSAFE || site->cls == XPT_SITE_UNKNOWN ||
	    !xpt_elf__offset(s->elf, in->addr, &site->offset))
		return fail_with(s, "an instruction that ends it cannot be probed");
	return true;
}

/* A stub in another library's name: at most `endbr64; jmp *slot`. */
static bool is_plt(struct scan *s, uint64_t vaddr)
{
	uint8_t code[2 * XPT_INSN_MAX];
	size_t n = xpt_elf__read(s->elf, vaddr, code, sizeof(code));
	struct xpt_insn in;

	if (!xpt_decoder__next(s->dec, code, n, vaddr, &in))
		return false;
	if (in.kind == XPT_INSN_ENDBR &&
	    !xpt_decoder__next(s->dec, code + in.len, n - in.len, vaddr + in.len, &in))
		return false;
	return in.kind == XPT_INSN_JMP_SLOT;
}

static bool is_symbol(const struct scan *s, uint64_t vaddr)
{
	size_t i;

	xpt_elf__spend(s->elf, s->elf->nr_syms);
	for (i = 0; i < s->elf->nr_syms; i++)
		if (s->elf->syms[i].vaddr == vaddr && !strstr(s->elf->syms[i].name, ".cold"))
			return true;
	return false;
}

/* Whether vaddr is where a function begins, and not the middle of its code. */
static bool begins_function(const struct scan *s, uint64_t vaddr)
{
	struct xpt_fde fde;
	bool first;

	if (xpt_fde__find(s->elf, vaddr, &fde))
		return false;
	first = fde.start == vaddr && xpt_fde__at_return(&fde, vaddr);
	xpt_fde__free(&fde);
	return first;
}

/*
 * Whether a jump ends the function: with the stack as the caller left it, and to
 * where another function begins. One without a name is followed if nobody else jumps
 * there, so that the result is known. Probes in code that other functions end in, too,
 * would make the calls of all of them dearer.
 */
static bool is_last_jump(struct scan *s, const struct part *p, const struct xpt_insn *in)
{
	if (!xpt_fde__at_return(&p->fde, in->addr))
		return false;
	if (is_plt(s, in->target))
		return true;
	return begins_function(s, in->target) &&
	       ((!s->follow && in->kind != XPT_INSN_JCC) || is_symbol(s, in->target) ||
		xpt_code_jumps__are_many(s->elf, in->target));
}

/* A jump out of the pieces that are known: the end, or to another piece. */
static bool visit_outward(struct scan *s, const struct part *p, const struct xpt_insn *in)
{
	bool at_return = xpt_fde__at_return(&p->fde, in->addr);
	bool jcc = in->kind == XPT_INSN_JCC;

	if (is_last_jump(s, p, in)) {
		s->calls = true;
		if (jcc && in->cond == COND_OTHER)
			return fail_with(s, "it ends by a jump whose condition is not known");
		return add_site(s, p, in, jcc ? XPT_AT_JUMP | XPT_AT_COND | (uint32_t)in->cond << 24 :
						XPT_AT_JUMP);
	}
	/* Without a frame the other piece may as well be a function of its own. */
	return add_part(s, in->target, p->shared || at_return);
}

/* --- jump tables --------------------------------------------------------------------------- */

/* The number of cases that a comparison before the jump allows; 0: none was found. */
static uint64_t count_cases(const struct part *p, size_t jmp)
{
	size_t i, k, from = jmp > LOOK_BACK ? jmp - LOOK_BACK : 0;

	for (i = jmp; i-- > from;) {
		if (!p->insn[i].is_compare)
			continue;
		for (k = i + 1; k < i + 4 && k < jmp; k++) {
			if (p->insn[k].kind != XPT_INSN_JCC)
				continue;
			if (p->insn[k].cond == JA || p->insn[k].cond == JBE)
				return p->insn[i].value + 1;
			if (p->insn[k].cond == JAE || p->insn[k].cond == JB)
				return p->insn[i].value;
		}
	}
	return 0;
}

/* Whether it is the begin of the function, where a probe would see another call. */
static bool is_begin(const struct scan *s, uint64_t vaddr)
{
	return vaddr == s->entry || vaddr == s->probe;
}

/* A word of the table, and where it leads. */
static bool read_case(const struct scan *s, uint64_t table, bool absolute, uint64_t i,
		      uint64_t *ret_target)
{
	int32_t rel;

	if (absolute)		/* in a file that may be loaded anywhere, relocated */
		return xpt_elf__relative(s->elf, table + i * 8, ret_target) ||
		       xpt_elf__read(s->elf, table + i * 8, ret_target, 8) == 8;
	if (xpt_elf__read(s->elf, table + i * 4, &rel, 4) != 4)
		return false;
	*ret_target = table + (uint64_t)(int64_t)rel;
	return true;
}

/* Whether this is a table of which one of n words leads into the function: others may to parts of it. */
static bool is_table(struct scan *s, uint64_t table, bool absolute, uint64_t n)
{
	const struct xpt_elf_seg *seg = xpt_elf__seg(s->elf, table);
	const struct part *p;
	uint64_t target, i;

	for (i = 0; seg && i < n; i++) {
		if (!read_case(s, table, absolute, i, &target))
			return false;
		p = part_of(s, target);
		if (p && is_boundary(p, target) && !is_begin(s, target))
			return true;
	}
	return false;
}

struct table {
	uint64_t vaddr, nr;	/* nr: 0: not known */
	bool absolute;		/* addresses; else distances from its begin */
};

/* The table that an indirect jump goes through: named by it, or by an instruction before. */
static bool find_table(struct scan *s, const struct part *p, size_t jmp, struct table *t)
{
	size_t i, from = jmp > LOOK_BACK ? jmp - LOOK_BACK : 0;
	uint64_t n;

	*t = (struct table){ p->insn[jmp].table, count_cases(p, jmp), true };
	n = t->nr && t->nr < MAX_TRIED ? t->nr : t->nr ? MAX_TRIED : 1;
	if (t->vaddr)
		return is_table(s, t->vaddr, true, n);
	for (i = jmp; i-- > from;) {
		if (p->insn[i].kind != XPT_INSN_OTHER || !p->insn[i].has_target)
			continue;
		t->vaddr = p->insn[i].target;
		t->absolute = !is_table(s, t->vaddr, false, n);
		if (!t->absolute || is_table(s, t->vaddr, true, n))
			return true;
	}
	return false;
}

static bool follow_table(struct scan *s, const struct part *p, const struct table *t)
{
	bool shared = p->shared;
	uint64_t i, target;

	if (!t->nr || t->nr > MAX_CASES)
		return fail_with(s, "the size of a jump table in it is not known");
	for (i = 0; i < t->nr; i++) {
		struct part *to;

		if (!read_case(s, t->vaddr, t->absolute, i, &target))
			return fail_with(s, "a jump table in it is not all in the file");
		to = add_part(s, target, shared);
		if (!to)
			return false;
		if (!enter_part(to, target))
			return fail_with(s, "a jump table in it does not lead to instructions");
		if (is_begin(s, target))
			return fail_with(s, "it jumps back to its own begin");
	}
	return true;
}

/* A jump through a register or memory: to one of several cases, or the last act of all. */
static bool visit_indirect(struct scan *s, unsigned part, size_t i)
{
	const struct part *p = &s->part[part];
	const struct xpt_insn *in = &p->insn[i];
	bool at_return = xpt_fde__at_return(&p->fde, in->addr);
	struct table table;

	if (in->kind != XPT_INSN_JMP_SLOT && find_table(s, p, i, &table))
		return follow_table(s, p, &table);
	if (!at_return)
		return fail_with(s, "an indirect jump in it cannot be followed");
	s->calls = true;
	return add_site(s, p, in, XPT_AT_JUMP);
}

/* --- all of it --------------------------------------------------------------------------------- */

/* `push %reg; ret` is a jump, whatever the unwind table says of it. */
static bool is_push(const struct part *p, size_t i)
{
	const uint8_t *code = p->code + (p->insn[i].addr - p->fde.start);

	return xpt_insn__is_push(code, p->insn[i].len);
}

static bool visit_ret(struct scan *s, const struct part *p, size_t i)
{
	if (!xpt_fde__at_return(&p->fde, p->insn[i].addr) || (i && is_push(p, i - 1)))
		return fail_with(s, "it returns with a stack that the unwind table does not explain");
	return add_site(s, p, &p->insn[i], 0);
}

/* A piece of code within the function that returns to it would be taken for its end. */
static bool visit_call(struct scan *s, const struct xpt_insn *in)
{
	const struct part *to = in->has_target ? part_of(s, in->target) : NULL;

	s->calls = true;
	if (to && in->kind == XPT_INSN_CALL && in->target != to->fde.start)
		return fail_with(s, "it calls code in its middle");
	return true;
}

static bool visit_insn(struct scan *s, unsigned part, size_t i)
{
	const struct part *p = &s->part[part];
	const struct xpt_insn *in = &p->insn[i];

	switch (in->kind) {
	case XPT_INSN_RET:
		return visit_ret(s, p, i);
	case XPT_INSN_CALL:
	case XPT_INSN_CALL_SLOT:
		return visit_call(s, in);
	case XPT_INSN_FAR:
		return fail_with(s, "it has a far jump or return");
	case XPT_INSN_JMP:
	case XPT_INSN_JCC:
		if (!in->has_target)
			return fail_with(s, "a jump in it cannot be followed");
		if (is_begin(s, in->target))
			return fail_with(s, "it jumps back to its own begin");
		return part_of(s, in->target) ? true : visit_outward(s, p, in);
	case XPT_INSN_JMP_SLOT:
	case XPT_INSN_JMP_OTHER:
		return visit_indirect(s, part, i);
	default:
		return true;
	}
}

/* The target of a jump in decoded code must be one of its instructions, else it was decoded wrongly. */
static bool check_jumps(struct scan *s, const struct part *p)
{
	struct part *to;
	size_t i;

	for (i = 0; i < p->nr; i++) {
		if (p->insn[i].kind != XPT_INSN_JMP && p->insn[i].kind != XPT_INSN_JCC)
			continue;
		to = part_of(s, p->insn[i].target);
		if (to && !enter_part(to, p->insn[i].target))
			return fail_with(s, "a jump in it leads into the middle of an instruction");
	}
	return true;
}

/* Adds the exit where a forwarding stub returns by itself: a constant. */
static bool add_stub_exit(struct scan *s, uint64_t vaddr)
{
	uint8_t code[STUB_EXIT_INSNS * XPT_INSN_MAX];
	struct part p = { .code = code };
	size_t n, at;
	int i;

	if (!vaddr)
		return true;
	n = xpt_elf__read(s->elf, vaddr, code, sizeof(code));
	p.fde.start = vaddr;
	for (i = 0, at = 0; i < STUB_EXIT_INSNS && at < n; i++) {
		struct xpt_insn in;

		if (!xpt_decoder__next(s->dec, code + at, n - at, vaddr + at, &in))
			break;
		if (in.kind == XPT_INSN_RET)
			return add_site(s, &p, &in, 0);
		at += in.len;
	}
	return fail_with(s, "its code cannot be decoded");
}

/* A piece whose last instruction lets it run on has ends that are in other code. */
static bool check_last(struct scan *s, const struct part *p)
{
	size_t i = p->nr;

	while (i && p->insn[i - 1].kind == XPT_INSN_NOP)
		i--;
	if (i && xpt_insn__leaves(p->insn[i - 1].kind))
		return true;
	return fail_with(s, "it runs on into other code");
}

/*
 * An end to which nothing leads may be data: a breakpoint there would change data that the
 * program reads. Handlers of exceptions are such ends as well, and only the unwinder leads
 * there.
 */
static bool check_flow(struct scan *s, const struct part *p)
{
	bool runs = false;
	size_t i;

	for (i = 0; i < p->nr && !p->fde.personality; i++) {
		enum xpt_insn_kind kind = p->insn[i].kind;

		runs = runs || p->mark[i] & ENTERED;
		if (p->mark[i] & ENDS && !runs)
			return fail_with(s, "nothing leads to an instruction that would end it");
		if (kind == XPT_INSN_JMP || kind == XPT_INSN_JMP_SLOT || kind == XPT_INSN_JMP_OTHER ||
		    kind == XPT_INSN_RET)
			runs = false;
	}
	return true;
}

static bool check_parts(struct scan *s)
{
	unsigned part;

	enter_part(&s->part[0], s->entry);
	for (part = 0; part < s->nr_parts; part++)
		if (!check_jumps(s, &s->part[part]) || !check_last(s, &s->part[part]))
			return false;
	for (part = 0; part < s->nr_parts; part++)
		if (!check_flow(s, &s->part[part]))
			return false;
	return true;
}

static void scan_site(struct scan *s, const struct xpt_site *site)
{
	unsigned part;
	size_t i;

	if (!add_part(s, s->entry, false))
		return;
	if (s->part[0].fde.start != s->entry) {
		fail_with(s, "it begins in the middle of another function's code");
		return;
	}
	for (part = 0; part < s->nr_parts; part++)
		for (i = 0; i < s->part[part].nr; i++)
			if (!visit_insn(s, part, i))
				return;
	if (!check_parts(s))
		return;
	add_stub_exit(s, site->exit_vaddr);
}

static void start_again(struct scan *s)
{
	while (s->nr_parts) {
		struct part *p = &s->part[--s->nr_parts];

		xpt_fde__free(&p->fde);
		free(p->code);
		free(p->insn);
		free(p->mark);
	}
	s->nr = 0;
	s->calls = false;
	s->why = NULL;
}

static int by_offset(const void *pa, const void *pb)
{
	const struct xpt_return_site *a = pa, *b = pb;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void scan_twice(struct scan *s, const struct xpt_site *site)
{
	s->follow = true;
	scan_site(s, site);
	if (!s->why || s->no_memory)
		return;
	start_again(s);
	s->follow = false;
	scan_site(s, site);
}

static void fill_returns(struct scan *s, struct xpt_returns *ret)
{
	if (s->why) {
		ret->way = XPT_RETURN_UNSEEN;
		ret->reason = s->why;
	} else if (!s->calls) {
		ret->way = XPT_RETURN_PROBE;
		ret->reason = "it calls nothing that an exception could come from";
	} else {
		ret->way = XPT_RETURN_SITES;
		if (s->nr)
			qsort(s->site, s->nr, sizeof(*s->site), by_offset);
		ret->site = s->site;
		ret->nr = s->nr;
		s->site = NULL;
	}
}

int xpt_return_sites__find(struct xpt_elf *elf, const struct xpt_sym *sym,
			   const struct xpt_site *site, struct xpt_returns *ret)
{
	struct scan *s = calloc(1, sizeof(*s));
	int err = s ? xpt_decoder__new(&s->dec) : -ENOMEM;

	if (err == -ENOMEM)
		goto out;
	s->elf = elf;
	s->entry = site->impl_vaddr ? site->impl_vaddr : sym->vaddr;
	s->probe = site->vaddr;
	if (err)
		fail_with(s, "this machine's code is not decoded");
	else
		scan_twice(s, site);
	err = s->no_memory ? -ENOMEM : 0;
	fill_returns(s, ret);
out:
	if (s) {
		start_again(s);
		xpt_decoder__free(s->dec);
		free(s->site);
	}
	free(s);
	return err;
}
