// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Dynamic relocations: one walk over DT_RELA, DT_JMPREL and DT_RELR for callers
 * that must see all of them, and a sorted list of the relative ones, which give
 * the value of a data word once the file is loaded.
 */
#include <errno.h>
#include <stdlib.h>
#include "elf/elf.h"
#include "elf/elf_priv.h"

#if defined(__x86_64__)
#define R_RELATIVE R_X86_64_RELATIVE
#else
#define R_RELATIVE R_AARCH64_RELATIVE
#endif

enum { RELOC_WORK = 15 };	/* units of work (elf_work.c) */

typedef int reloc_fn(const struct xpt_elf_reloc *rel, void *ctx);

static int walk_rela(const struct xpt_elf *elf, uint64_t vaddr, uint64_t size, reloc_fn *fn,
		     void *ctx)
{
	Elf64_Rela r[512];
	struct xpt_elf_reloc rel;
	uint64_t at, nr = size / sizeof(r[0]);
	size_t i, n;
	int err;

	if (!nr)
		return 0;
	if (nr > XPT_ELF_MAX_RELOCS)
		return -E2BIG;
	if (!xpt_elf__in_file(elf, vaddr, nr * sizeof(r[0])))
		return -ENOEXEC;
	for (at = 0; at < nr; at += n) {
		n = nr - at < 512 ? (size_t)(nr - at) : 512;
		if (xpt_elf__read(elf, vaddr + at * sizeof(r[0]), r, n * sizeof(r[0])) !=
		    n * sizeof(r[0]) || !xpt_elf__spend(elf, n * RELOC_WORK))
			return -ENOEXEC;
		for (i = 0; i < n; i++) {
			rel.type = (uint32_t)ELF64_R_TYPE(r[i].r_info);
			rel.sym = (uint32_t)ELF64_R_SYM(r[i].r_info);
			rel.vaddr = r[i].r_offset;
			rel.addend = (uint64_t)r[i].r_addend;
			err = fn(&rel, ctx);
			if (err)
				return err;
		}
	}
	return 0;
}

/*
 * One word of a RELR table: relocations whose addend lies in the file. Each has its own word
 * there, so a table that names more than the file stores lies.
 */
static int relr_one(const struct xpt_elf *elf, uint64_t vaddr, size_t *nr, reloc_fn *fn, void *ctx)
{
	struct xpt_elf_reloc rel = { .type = R_RELATIVE, .vaddr = vaddr };

	if (++*nr > XPT_ELF_MAX_RELOCS)
		return -E2BIG;
	if (*nr > elf->stored / 8 || !xpt_elf__spend(elf, RELOC_WORK) ||
	    xpt_elf__read(elf, vaddr, &rel.addend, 8) != 8)
		return -ENOEXEC;
	return fn(&rel, ctx);
}

static int relr_bitmap(const struct xpt_elf *elf, uint64_t base, uint64_t bits, size_t *nr,
		       reloc_fn *fn, void *ctx)
{
	int err = 0;

	for (; bits && !err; bits >>= 1, base += 8)
		if (bits & 1)
			err = relr_one(elf, base, nr, fn, ctx);
	return err;
}

static int walk_relr(const struct xpt_elf *elf, reloc_fn *fn, void *ctx)
{
	uint64_t at, w, base = 0, n = elf->dyn.relrsz / 8;
	size_t nr = 0;
	int err;

	if (!elf->dyn.relr || !n)
		return 0;
	if (!xpt_elf__in_file(elf, elf->dyn.relr, n * 8))
		return -ENOEXEC;
	for (at = 0; at < n; at++) {
		if (xpt_elf__read(elf, elf->dyn.relr + at * 8, &w, 8) != 8)
			return -ENOEXEC;
		if (w & 1) {
			err = relr_bitmap(elf, base, w >> 1, &nr, fn, ctx);
			base += 63 * 8;
		} else {
			err = relr_one(elf, w, &nr, fn, ctx);
			base = w + 8;
		}
		if (err)
			return err;
	}
	return 0;
}

int xpt_elf__each_reloc(const struct xpt_elf *elf, reloc_fn *fn, void *ctx)
{
	const struct xpt_elf_dyn *dyn = &elf->dyn;
	int err = 0;

	if (dyn->rela)
		err = walk_rela(elf, dyn->rela, dyn->relasz, fn, ctx);
	/* Some linkers let DT_RELASZ cover the PLT's relocations as well. */
	if (!err && dyn->jmprel && dyn->pltrel == DT_RELA &&
	    !(dyn->rela && dyn->jmprel >= dyn->rela && dyn->jmprel - dyn->rela < dyn->relasz))
		err = walk_rela(elf, dyn->jmprel, dyn->pltrelsz, fn, ctx);
	return err ? err : walk_relr(elf, fn, ctx);
}

static int add_relative(const struct xpt_elf_reloc *rel, void *ctx)
{
	struct xpt_elf_rels *rels = ctx;
	struct xpt_elf_rel *p;
	size_t cap;

	if (rel->type != R_RELATIVE)
		return 0;
	if (rels->nr == rels->cap) {
		cap = rels->cap ? rels->cap * 2 : 1024;
		p = realloc(rels->rel, cap * sizeof(*p));
		if (!p)
			return -ENOMEM;
		rels->rel = p;
		rels->cap = cap;
	}
	rels->rel[rels->nr++] = (struct xpt_elf_rel){ rel->vaddr, rel->addend };
	return 0;
}

static int by_vaddr(const void *pa, const void *pb)
{
	const struct xpt_elf_rel *a = pa, *b = pb;

	return a->vaddr < b->vaddr ? -1 : a->vaddr > b->vaddr;
}

/* Sorts unless the linker did already. 0 or -EFBIG. */
static int sort_rels(const struct xpt_elf *elf, struct xpt_elf_rels *rels)
{
	size_t i;

	for (i = 1; i < rels->nr; i++) {
		if (rels->rel[i].vaddr < rels->rel[i - 1].vaddr) {
			if (!xpt_elf__spend_sort(elf, rels->nr, 8))
				return -EFBIG;
			qsort(rels->rel, rels->nr, sizeof(*rels->rel), by_vaddr);
			return 0;
		}
	}
	return 0;
}

bool xpt_elf__relative(const struct xpt_elf *elf, uint64_t vaddr, uint64_t *ret_addend)
{
	struct xpt_elf_rels *rels = elf->rels;
	struct xpt_elf_rel key = { .vaddr = vaddr };
	const struct xpt_elf_rel *rel;

	if (!rels->loaded) {
		rels->loaded = true;
		rels->err = xpt_elf__each_reloc(elf, add_relative, rels);
		if (!rels->err)
			rels->err = sort_rels(elf, rels);
	}
	if (rels->err || !rels->nr)
		return false;
	rel = bsearch(&key, rels->rel, rels->nr, sizeof(key), by_vaddr);
	if (!rel)
		return false;
	*ret_addend = rel->addend;
	return true;
}
