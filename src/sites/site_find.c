// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Chooses the site of a symbol: recognises `endbr64` and forwarding stubs by
 * decoding, proposes the cheaper place behind them, and uses it only where
 * site_refs.c found nothing against it. The proof is made once per file, for
 * all its symbols together, when the first of them needs it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "elf/elf.h"
#include "sites/site.h"
#include "sites/site_priv.h"

enum {
	STUB_BYTES = 64,	/* a stub is short and straight */
	STUB_INSNS = 8,
	ENDBR_LEN = 4,
	PROPOSE_WORK = 150,	/* units of work (elf_work.c): a look at a symbol, */
	DECODE_WORK = 5000,	/* and decoding what may be a stub */
};

struct xpt_sites {
	struct xpt_decoder *dec;	/* NULL: this machine's code is not decoded */
	bool proven;	/* cand is filled and was examined */
	int err;	/* of the proof; not 0: nothing moves */
	struct xpt_site_cand *cand;	/* ascending by sym */
	size_t nr;
};

/* Bytes of code with a margin, at a place of the file. */
struct window {
	uint8_t code[STUB_BYTES + XPT_INSN_MAX];
	size_t n;
	uint64_t vaddr;
};

/* Callback of xpt_elf__close(). */
static void free_sites(struct xpt_sites *sites)
{
	xpt_decoder__free(sites->dec);
	free(sites->cand);
	free(sites);
}

static bool read_code(const struct xpt_elf *elf, uint64_t vaddr, struct window *w)
{
	uint64_t offset;

	if (!xpt_elf__offset(elf, vaddr, &offset))
		return false;
	w->vaddr = vaddr;
	w->n = xpt_elf__read(elf, vaddr, w->code, sizeof(w->code));
	return w->n > 0;
}

static bool is_cheap(enum xpt_site_class cls)
{
	return cls == XPT_SITE_EMULATED || cls == XPT_SITE_NOP5;
}

/* --- stubs ------------------------------------------------------------------ */

/* Whether the code at the exit is `set eax to a constant; ret`, all inside the window. */
static bool is_exit_block(struct xpt_decoder *dec, const struct window *w, uint64_t exit,
			  uint64_t func_end)
{
	size_t at = (size_t)(exit - w->vaddr);
	struct xpt_insn insn;
	bool set = false;
	int i;

	for (i = 0; i < 4 && at < w->n; i++, at += insn.len) {
		if (!xpt_decoder__next(dec, w->code + at, w->n - at, w->vaddr + at, &insn))
			return false;
		if (w->vaddr + at + insn.len > func_end)
			return false;
		if (insn.kind == XPT_INSN_RET)
			return set;
		set |= insn.kind == XPT_INSN_SET_RESULT;
		if (insn.kind != XPT_INSN_SET_RESULT && insn.kind != XPT_INSN_NOP)
			return false;
	}
	return false;
}

/* One instruction of the straight path before the jump. NULL: allowed here. */
static const char *stub_step(const struct xpt_insn *insn, const struct window *w, int i,
			     struct xpt_site_cand *c)
{
	switch (insn->kind) {
	case XPT_INSN_ENDBR:
		return i == 0 ? NULL : "not a stub: endbr64 inside";
	case XPT_INSN_NOP:
	case XPT_INSN_CMP_FLAG:
	case XPT_INSN_WIDEN:
		return NULL;
	case XPT_INSN_JCC:
		if (c->exit)
			return "not a stub: more than one conditional exit";
		if (!insn->has_target || insn->target <= insn->addr ||
		    insn->target >= w->vaddr + STUB_BYTES)
			return "not a stub: its conditional jump leaves the function";
		c->exit = insn->target;
		c->jcc_end = insn->addr + insn->len;
		return NULL;
	default:
		return "first instruction is single-stepped, and it is not a stub";
	}
}

/* Decodes a forwarding stub: fills exit, slot and the ends of their references. */
static const char *decode_stub(struct xpt_decoder *dec, const struct window *w, uint64_t size,
			       struct xpt_site_cand *c)
{
	uint64_t end = w->vaddr + (size && size < STUB_BYTES ? size : STUB_BYTES);
	struct xpt_insn insn;
	const char *why;
	size_t at = 0;
	int i;

	for (i = 0; i < STUB_INSNS; i++, at += insn.len) {
		if (at >= w->n ||
		    !xpt_decoder__next(dec, w->code + at, w->n - at, w->vaddr + at, &insn) ||
		    w->vaddr + at + insn.len > end)
			return "first instruction is single-stepped, and it is not a stub";
		if (insn.kind == XPT_INSN_JMP_SLOT && insn.has_target) {
			c->slot = insn.target;
			c->jmp_end = insn.addr + insn.len;
			break;
		}
		why = stub_step(&insn, w, i, c);
		if (why)
			return why;
	}
	if (!c->slot)
		return "not a stub: too many instructions";
	if (c->exit && (c->exit < c->jmp_end || !is_exit_block(dec, w, c->exit, end)))
		return "not a stub: its other way does more than return a constant";
	return NULL;
}

/* The slot must be data that the loader fills with an address of this file's code. */
static const char *follow_slot(const struct xpt_elf *elf, struct xpt_decoder *dec,
			       struct xpt_site_cand *c)
{
	const struct xpt_elf_seg *seg = xpt_elf__seg(elf, c->slot);
	struct window w;

	if (!seg || !(seg->flags & PF_W) || c->slot % 8 || seg->memsz < 8 ||
	    c->slot - seg->vaddr > seg->memsz - 8)
		return "stub: its slot is not a word of writable data";
	if (!xpt_elf__relative(elf, c->slot, &c->impl))
		return "stub: no relative relocation fills its slot";
	if (!read_code(elf, c->impl, &w))
		return "stub: its slot does not name code";
	c->at = c->impl;
	c->cls = xpt_decoder__classify(dec, w.code, w.n);
	if (w.n > ENDBR_LEN && memcmp(w.code, "\xf3\x0f\x1e\xfa", ENDBR_LEN) == 0) {
		c->at += ENDBR_LEN;
		c->cls = xpt_decoder__classify(dec, w.code + ENDBR_LEN, w.n - ENDBR_LEN);
	}
	return is_cheap(c->cls) ? NULL : "stub: the implementation's first instruction is no cheaper";
}

/* Fills c for a symbol whose own instruction is single-stepped. NULL: worth a proof. */
static const char *propose(const struct xpt_elf *elf, struct xpt_decoder *dec,
			   const struct xpt_sym *sym, const struct window *w,
			   struct xpt_site_cand *c)
{
	const char *why;

	*c = (struct xpt_site_cand){ .sym = sym->vaddr };
	if (w->n > ENDBR_LEN && memcmp(w->code, "\xf3\x0f\x1e\xfa", ENDBR_LEN) == 0) {
		c->at = sym->vaddr + ENDBR_LEN;
		c->cls = xpt_decoder__classify(dec, w->code + ENDBR_LEN, w->n - ENDBR_LEN);
		if (is_cheap(c->cls))
			return NULL;
	}
	/* Only what contains `jmp *disp32(%rip)` can be a stub: spare the decoding. */
	if (!memmem(w->code, w->n, "\xff\x25", 2))
		return c->at ? "the instruction behind endbr64 is no cheaper" :
			       "first instruction is single-stepped, and it is not a stub";
	c->stub = true;
	xpt_elf__spend(elf, DECODE_WORK);
	why = decode_stub(dec, w, sym->size, c);
	return why ? why : follow_slot(elf, dec, c);
}

/* --- all symbols of a file ----------------------------------------------------- */

static int by_sym(const void *pa, const void *pb)
{
	const struct xpt_site_cand *a = pa, *b = pb;

	return a->sym < b->sym ? -1 : a->sym > b->sym;
}

static void drop_aliases(struct xpt_sites *sites)
{
	size_t i, out = 0;

	for (i = 0; i < sites->nr; i++)
		if (!out || sites->cand[out - 1].sym != sites->cand[i].sym)
			sites->cand[out++] = sites->cand[i];
	sites->nr = out;
}

static int collect(const struct xpt_elf *elf, struct xpt_sites *sites)
{
	const struct xpt_sym *sym;
	struct xpt_site_cand c;
	struct window w;
	size_t i;

	sites->cand = calloc(elf->nr_syms ? elf->nr_syms : 1, sizeof(*sites->cand));
	if (!sites->cand)
		return -ENOMEM;
	for (i = 0; i < elf->nr_syms; i++) {
		sym = &elf->syms[i];
		if (!xpt_elf__spend(elf, PROPOSE_WORK))
			return -EFBIG;
		if (!read_code(elf, sym->vaddr, &w) ||
		    xpt_decoder__classify(sites->dec, w.code, w.n) != XPT_SITE_SINGLE_STEP)
			continue;
		if (!propose(elf, sites->dec, sym, &w, &c))
			sites->cand[sites->nr++] = c;
	}
	if (!xpt_elf__spend_sort(elf, sites->nr, 15))
		return -EFBIG;
	if (sites->nr)
		qsort(sites->cand, sites->nr, sizeof(c), by_sym);
	drop_aliases(sites);
	return 0;
}

static void prove(const struct xpt_elf *elf, struct xpt_sites *sites)
{
	sites->proven = true;
	sites->err = collect(elf, sites);
	if (!sites->err && sites->nr)
		sites->err = xpt_site__refute(elf, sites->dec, sites->cand, sites->nr);
}

static struct xpt_sites *get_sites(struct xpt_elf *elf)
{
	if (!elf->sites) {
		elf->sites = calloc(1, sizeof(*elf->sites));
		elf->free_sites = free_sites;
		if (elf->sites && xpt_decoder__new(&elf->sites->dec) != 0)
			elf->sites->dec = NULL;
	}
	return elf->sites;
}

static const char *why_at_symbol(enum xpt_site_class cls)
{
	switch (cls) {
	case XPT_SITE_NOP5:
		return "5-byte nop";
	case XPT_SITE_EMULATED:
		return "the kernel emulates the first instruction";
	case XPT_SITE_SINGLE_STEP:
		return "first instruction is single-stepped; moving is off";
	case XPT_SITE_UNSAFE:
		return "the kernel refuses a probe on this instruction or executes it wrongly";
	default:
		return "not decoded";
	}
}

/* Moves the site if the symbol's candidate was proven; else says why not. */
static void try_move(struct xpt_elf *elf, const struct xpt_sym *sym, const struct window *w,
		     struct xpt_site *site)
{
	struct xpt_sites *sites = elf->sites;
	struct xpt_site_cand c;
	const struct xpt_site_cand *found;

	site->reason = propose(elf, sites->dec, sym, w, &c);
	if (site->reason)
		return;
	if (!sites->proven)
		prove(elf, sites);
	found = sites->err || !sites->nr ? NULL :
		bsearch(&c, sites->cand, sites->nr, sizeof(c), by_sym);
	site->reason = !found ? "the file could not be searched for other ways to the code" :
				found->refuted;
	if (site->reason || !xpt_elf__offset(elf, found->at, &site->offset))
		return;
	site->vaddr = found->at;
	site->cls = found->cls;
	site->move = found->stub ? XPT_MOVE_STUB : XPT_MOVE_ENDBR;
	site->reason = found->stub ? "stub: every call passes its only implementation" :
				     "behind endbr64";
	if (!found->stub)
		return;
	site->slot_vaddr = found->slot;
	site->impl_vaddr = found->impl;
	if (found->exit)
		xpt_elf__offset(elf, found->exit, &site->exit_offset);
}

void xpt_elf__site(struct xpt_elf *elf, const struct xpt_sym *sym, bool move,
		   struct xpt_site *ret_site)
{
	struct xpt_sites *sites = get_sites(elf);
	struct xpt_site site = { .offset = sym->offset, .vaddr = sym->vaddr,
				 .cls = XPT_SITE_UNKNOWN };
	struct window w;

	if (sites && sites->dec && read_code(elf, sym->vaddr, &w))
		site.cls = xpt_decoder__classify(sites->dec, w.code, w.n);
	site.reason = why_at_symbol(site.cls);
	if (move && site.cls == XPT_SITE_SINGLE_STEP)
		try_move(elf, sym, &w, &site);
	if (xpt_elf__error(elf)) {	/* what is there is not known any more */
		site.cls = XPT_SITE_UNSAFE;
		site.reason = "reading the file would take too long";
	}
	*ret_site = site;
}
