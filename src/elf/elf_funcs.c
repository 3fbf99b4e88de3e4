// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Functions by address, see elf_funcs.h. Symbols are read in pieces and kept as
 * (address, size, place of the name), sorted; of several at one address the
 * one with a size, then the most public one.
 */
#include "elf/elf_funcs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/debug_file.h"
#include "elf/elf_priv.h"

#define PIECE 1024	/* symbols read at once */
#define FUNC_WORK 60	/* units of work (elf_work.c) of a symbol */

struct func {
	uint64_t vaddr;
	uint32_t name;	/* place in the string table */
	uint32_t rank : 3, size : 29;	/* lower ranks win; size 0: unknown */
};

struct xpt_funcs {
	struct xpt_elf *elf;	/* the mapped file: addresses */
	struct xpt_elf *names;	/* where the strings are: elf, or its debug file */
	uint64_t str, str_size;	/* file offset and length of the string table in names */
	struct func *fn;
	size_t nr, cap;
};

static uint32_t rank_of(const Elf64_Sym *s)
{
	unsigned bind = ELF64_ST_BIND(s->st_info);
	uint32_t rank = bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2;

	return rank + (s->st_size ? 0 : 4);
}

static int add_func(struct xpt_funcs *f, const Elf64_Sym *s)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);
	uint64_t offset;

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || s->st_shndx == SHN_UNDEF ||
	    s->st_name >= f->str_size || !xpt_elf__offset(f->elf, s->st_value, &offset))
		return 0;
	if (f->nr == f->cap) {
		size_t cap = f->cap ? 2 * f->cap : PIECE;
		struct func *fn = reallocarray(f->fn, cap, sizeof(*fn));

		if (!fn)
			return -ENOMEM;
		f->fn = fn;
		f->cap = cap;
	}
	f->fn[f->nr++] = (struct func){
		.vaddr = s->st_value, .name = s->st_name, .rank = rank_of(s) & 7,
		.size = s->st_size < (1u << 29) ? s->st_size & ((1u << 29) - 1) : (1u << 29) - 1,
	};
	return 0;
}

static int by_place(const void *pa, const void *pb)
{
	const struct func *a = pa, *b = pb;

	if (a->vaddr != b->vaddr)
		return a->vaddr < b->vaddr ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

/* One function an address. 0 or why the file may cost no more. */
static int sort_funcs(struct xpt_funcs *f)
{
	struct func *fn;
	size_t i, out = 0;

	if (!xpt_elf__spend_sort(f->elf, f->nr, 10))
		return xpt_elf__error(f->elf);
	if (f->nr)
		qsort(f->fn, f->nr, sizeof(*f->fn), by_place);
	for (i = 0; i < f->nr; i++)
		if (!out || f->fn[out - 1].vaddr != f->fn[i].vaddr)
			f->fn[out++] = f->fn[i];
	f->nr = out;
	fn = out ? reallocarray(f->fn, out, sizeof(*fn)) : NULL;
	if (fn) {
		f->fn = fn;
		f->cap = out;
	}
	return 0;
}

static const Elf64_Shdr *symtab_of(const struct xpt_elf *elf)
{
	size_t i;

	for (i = 0; i < elf->nr_shdrs; i++)
		if (elf->shdrs[i].sh_type == SHT_SYMTAB &&
		    elf->shdrs[i].sh_entsize == sizeof(Elf64_Sym) &&
		    elf->shdrs[i].sh_link < elf->nr_shdrs &&
		    elf->shdrs[elf->shdrs[i].sh_link].sh_type == SHT_STRTAB)
			return &elf->shdrs[i];
	return NULL;
}

/* The functions of a .symtab; names in a file that is cut short stay unknown. */
static int load_symtab(struct xpt_funcs *f, struct xpt_elf *from)
{
	const Elf64_Shdr *sh = symtab_of(from);
	uint64_t at, n = sh->sh_size / sizeof(Elf64_Sym);
	Elf64_Sym sym[PIECE];
	size_t got, i;
	int err = 0;

	f->names = from;
	f->str = from->shdrs[sh->sh_link].sh_offset;
	f->str_size = from->shdrs[sh->sh_link].sh_size;
	if (n > XPT_ELF_MAX_SYMS)
		return -E2BIG;
	for (at = 0; !err && at < n; at += got) {
		got = n - at < PIECE ? (size_t)(n - at) : PIECE;
		got = xpt_elf__pread(from, sh->sh_offset + at * sizeof(*sym), sym,
				     got * sizeof(*sym)) / sizeof(*sym);
		if (!got || !xpt_elf__spend(f->elf, got * FUNC_WORK))
			break;
		for (i = 0; !err && i < got; i++)
			err = add_func(f, &sym[i]);
	}
	return err;
}

static int load_exported(struct xpt_funcs *f)
{
	const struct xpt_elf_seg *seg = xpt_elf__seg(f->elf, f->elf->dyn.strtab);
	Elf64_Sym *sym = NULL;
	size_t nr, i;
	int err;

	err = xpt_elf__dynsym(f->elf, &sym, &nr);
	if (err || !seg)
		goto out;
	f->names = f->elf;
	f->str = seg->offset + (f->elf->dyn.strtab - seg->vaddr);
	f->str_size = f->elf->dyn.strsz;
	for (i = 0; !err && i < nr && xpt_elf__spend(f->elf, FUNC_WORK); i++)
		err = add_func(f, &sym[i]);
out:
	free(sym);
	return err == -ENOMEM ? err : 0;	/* without names, or with some of them */
}

static int load_funcs(struct xpt_funcs *f, const char *root, const char *path)
{
	struct xpt_elf *debug;
	int err = 0;

	if (symtab_of(f->elf))
		err = load_symtab(f, f->elf);
	if (!err && !f->nr) {
		debug = xpt_debug_file__open(f->elf, root, path);
		if (debug && symtab_of(debug))
			err = load_symtab(f, debug);	/* f->names owns it now */
		else
			xpt_elf__close(debug);
	}
	if (err == -ENOMEM || f->nr)
		return err == -ENOMEM ? err : 0;
	if (f->names != f->elf)
		xpt_elf__close(f->names);
	f->names = NULL;
	return load_exported(f);
}

int xpt_funcs__open(int fd, const char *root, const char *path, const struct xpt_elf_pause *pause,
		    struct xpt_funcs **ret_f)
{
	struct xpt_funcs *f = calloc(1, sizeof(*f));
	struct xpt_elf *elf = NULL;
	int err = xpt_elf__open_bare(fd, false, pause, &elf);

	if (!f || err) {
		xpt_elf__close(elf);
		free(f);
		return err ? err : -ENOMEM;
	}
	f->elf = elf;
	err = load_funcs(f, root, path);
	if (!err)
		err = sort_funcs(f);
	if (!err)	/* with some of them addresses would get wrong names */
		err = xpt_elf__error(elf);
	if (err) {
		xpt_funcs__close(f);
		return err;
	}
	*ret_f = f;
	return 0;
}

void xpt_funcs__close(struct xpt_funcs *f)
{
	if (!f)
		return;
	if (f->names != f->elf)
		xpt_elf__close(f->names);
	xpt_elf__close(f->elf);
	free(f->fn);
	free(f);
}

size_t xpt_funcs__count(const struct xpt_funcs *f)
{
	return f->nr;
}

bool xpt_funcs__vaddr(const struct xpt_funcs *f, uint64_t offset, uint64_t *ret_vaddr)
{
	return xpt_elf__vaddr(f->elf, offset, ret_vaddr);
}

/* A name cut at n - 1 bytes is a name; one that the file does not hold is none. */
static bool read_name(const struct xpt_funcs *f, uint32_t at, char *buf, size_t n)
{
	size_t room = f->str_size - at < n - 1 ? (size_t)(f->str_size - at) : n - 1;

	buf[xpt_elf__pread(f->names, f->str + at, buf, room)] = '\0';
	buf[strcspn(buf, "@")] = '\0';
	return buf[0] != '\0';
}

bool xpt_funcs__find(const struct xpt_funcs *f, uint64_t vaddr, char *buf, size_t n,
		     uint64_t *ret_off)
{
	size_t lo = 0, hi = f->nr;
	const struct func *fn;
	uint64_t offset;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->fn[mid].vaddr <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || n < 2)
		return false;
	fn = &f->fn[lo - 1];
	if ((fn->size && vaddr - fn->vaddr >= fn->size) ||
	    !xpt_elf__offset(f->elf, vaddr, &offset) || !read_name(f, fn->name, buf, n))
		return false;
	*ret_off = vaddr - fn->vaddr;
	return true;
}
