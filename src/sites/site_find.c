// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Chooses the site of a symbol, see site.h. A site after the first instruction is refused if code can get to it
 * without passing the entry: by a jump of the function itself (a loop that begins between the two), or by another
 * symbol there.
 */
#include <stdlib.h>
#include <string.h>
#include "elf/elf.h"
#include "elf/elf_priv.h"
#include "elf/insn.h"
#include "sites/site.h"
#include "sites/stub.h"

enum {
	LINE_BYTES = 64,
	LINE_INSNS = 8,
	MAX_BODY = 64 << 10,	/* bytes of a function that are searched for jumps */
	MAX_UNSIZED = 4 << 10,	/* the same where the symbol has no size */
	LOOK_WORK = 150,	/* units of work (elf_work.c) for a look at a symbol, */
	INSN_WORK = 600,	/* and for decoding an instruction */
};

struct xpt_sites {
	struct xpt_decoder *dec;	/* NULL: this machine's code is not decoded */
	uint64_t *starts;	/* addresses of all symbols, ascending; NULL: not sorted yet */
};

/* Callback of xpt_elf__close(). */
static void free_sites(struct xpt_sites *sites)
{
	xpt_decoder__free(sites->dec);
	free(sites->starts);
	free(sites);
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

static bool is_cheap(enum xpt_site_class cls)
{
	return cls == XPT_SITE_EMULATED || cls == XPT_SITE_NOP5;
}

/* --- jumps into the line ----------------------------------------------------------- */

static int by_address(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

static bool sort_starts(const struct xpt_elf *elf, struct xpt_sites *sites)
{
	if (sites->starts)
		return true;
	if (!xpt_elf__spend_sort(elf, elf->nr_syms, 15))
		return false;
	sites->starts = malloc((elf->nr_syms + 1) * sizeof(*sites->starts));
	if (!sites->starts)
		return false;
	for (size_t i = 0; i < elf->nr_syms; i++)
		sites->starts[i] = elf->syms[i].vaddr;
	qsort(sites->starts, elf->nr_syms, sizeof(*sites->starts), by_address);
	return true;
}

/* Whether a symbol is after sym, at most at `last`. True where that is not known. */
static bool has_symbol(const struct xpt_elf *elf, struct xpt_sites *sites, uint64_t sym, uint64_t last)
{
	size_t lo = 0, hi = elf->nr_syms;

	if (!sort_starts(elf, sites))
		return true;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (sites->starts[mid] <= sym)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < elf->nr_syms && sites->starts[lo] <= last;
}

/* The walk over a function's instructions. */
struct body {
	uint64_t at, end;	/* end: of its symbol, or of the code that is looked at */
	bool sized;
	uint64_t farthest;	/* target of a jump forward: the function goes on until there */
};

/* Whether the function ends after the instruction, as far as that is known without its size. */
static bool ends_with(const struct body *b, const struct xpt_insn *in)
{
	return !b->sized && xpt_insn__leaves(in->kind) && in->kind != XPT_INSN_CALL &&
	       in->kind != XPT_INSN_CALL_SLOT && b->farthest <= in->addr;
}

/* Whether the instruction may jump to an address after sym, at most to `last`: an unknown target counts. */
static bool leads_into(const struct xpt_insn *in, uint64_t sym, uint64_t last)
{
	if (in->kind == XPT_INSN_JMP_OTHER)
		return true;
	if (in->kind != XPT_INSN_JMP && in->kind != XPT_INSN_JCC && in->kind != XPT_INSN_CALL)
		return false;
	return in->has_target && in->target > sym && in->target <= last;
}

/* Whether a jump of the function itself leads into the line. True where that is not known. */
static bool has_jump(const struct xpt_elf *elf, struct xpt_decoder *dec, const struct xpt_sym *sym,
		     uint64_t last)
{
	uint64_t size = sym->size ? sym->size : MAX_UNSIZED;
	struct body b = { .at = sym->vaddr, .end = sym->vaddr + size, .sized = sym->size != 0 };
	uint8_t code[256 + XPT_INSN_MAX];
	size_t n = 0, i = 0;

	if (size > MAX_BODY || last >= b.end)
		return true;
	while (b.at < b.end) {
		struct xpt_insn in;

		if (i + XPT_INSN_MAX > n) {
			n = xpt_elf__read(elf, b.at, code, sizeof(code));
			i = 0;
		}
		if (!xpt_elf__spend(elf, INSN_WORK) || i >= n ||
		    !xpt_decoder__next(dec, code + i, n - i, b.at, &in) || leads_into(&in, sym->vaddr, last))
			return true;
		if (in.kind == XPT_INSN_JCC || in.kind == XPT_INSN_JMP)
			b.farthest = in.target > b.farthest && in.target < b.end ? in.target : b.farthest;
		if (ends_with(&b, &in))
			return false;
		b.at += in.len;
		i += in.len;
	}
	return !b.sized;
}

/* --- the line ------------------------------------------------------------------------ */

/* Finds the first emulated instruction after the first one. NULL: found; else why not. */
static const char *follow_line(const struct xpt_elf *elf, struct xpt_decoder *dec,
			       const struct xpt_sym *sym, struct xpt_site *site)
{
	uint8_t code[LINE_BYTES + XPT_INSN_MAX];
	size_t n = xpt_elf__read(elf, sym->vaddr, code, sizeof(code)), at = 0, len;

	for (int i = 0; i < LINE_INSNS && at < n && at < LINE_BYTES; i++, at += len) {
		enum xpt_site_class cls = xpt_decoder__classify(dec, code + at, n - at);

		if (at && is_cheap(cls)) {
			site->vaddr = sym->vaddr + at;
			site->cls = cls;
			return NULL;
		}
		if (!xpt_elf__spend(elf, INSN_WORK) ||
		    !xpt_decoder__keeps_arguments(dec, code + at, n - at, &len))
			return at ? "no emulated instruction before the arguments or the stack change" :
				    "first instruction is single-stepped and changes what the entry has";
	}
	return "no emulated instruction near the entry";
}

static void move_site(struct xpt_elf *elf, const struct xpt_sym *sym, struct xpt_site *site)
{
	struct xpt_site found = *site;
	const char *why = elf->dyn.textrel ? "the loader changes the code" :
			  follow_line(elf, elf->sites->dec, sym, &found);

	if (!why && has_symbol(elf, elf->sites, sym->vaddr, found.vaddr))
		why = "another symbol lies between the entry and an emulated instruction";
	if (!why && has_jump(elf, elf->sites->dec, sym, found.vaddr))
		why = "a jump may lead between the entry and an emulated instruction";
	if (!why && !xpt_elf__offset(elf, found.vaddr, &found.offset))
		why = "the file does not hold it";
	site->reason = why;
	if (why)
		return;
	*site = found;
	site->moved = true;
	site->reason = "the first emulated instruction that every call passes";
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

void xpt_elf__site(struct xpt_elf *elf, const struct xpt_sym *sym, bool move,
		   struct xpt_site *ret_site)
{
	struct xpt_sites *sites = get_sites(elf);
	struct xpt_site site = { .offset = sym->offset, .vaddr = sym->vaddr, .cls = XPT_SITE_UNKNOWN };
	uint8_t code[XPT_INSN_MAX];
	struct xpt_stub stub;
	size_t n = 0;

	if (sites && sites->dec && xpt_elf__spend(elf, LOOK_WORK))
		n = xpt_elf__read(elf, sym->vaddr, code, sizeof(code));
	if (n)
		site.cls = xpt_decoder__classify(sites->dec, code, n);
	site.reason = why_at_symbol(site.cls);
	if (move && site.cls == XPT_SITE_SINGLE_STEP)
		move_site(elf, sym, &site);
	if (n && !is_cheap(xpt_decoder__classify(sites->dec, code, n)) &&
	    xpt_stub__decode(elf, sites->dec, sym->vaddr, sym->size, &stub)) {
		site.impl_vaddr = stub.impl;
		site.exit_vaddr = stub.exit;
	}
	if (xpt_elf__error(elf)) {	/* the file could not be read there */
		site.cls = XPT_SITE_UNSAFE;
		site.reason = "reading the file would take too long";
	}
	*ret_site = site;
}
