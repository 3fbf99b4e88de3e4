// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The functions of an ELF file. The dynamic symbol table is found as the
 * loader finds it (PT_DYNAMIC and a hash table give its size), so files
 * without section headers work; .symtab, which only sections name, serves
 * executables and files that export nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "elf/elf.h"
#include "elf/elf_priv.h"

enum {
	MAX_VERSIONS = 16,	/* of one name; more is a file that lies */
	SYM_WORK = 60,	/* units of work (elf_work.c) of a symbol, besides its name */
};

/* A symbol while duplicates are still in the list. Lower ranks win. */
struct cand {
	struct xpt_sym sym;
	uint32_t rank;
};

struct table {
	Elf64_Sym *sym;
	uint16_t *ver;	/* DT_VERSYM, NULL if none */
	size_t nr, nr_ver;
	char *str;	/* followed by a NUL */
	uint64_t strsz;
	bool dynamic;
};

static bool read_u32s(const struct xpt_elf *elf, uint64_t vaddr, uint32_t *v, size_t n)
{
	return xpt_elf__read(elf, vaddr, v, n * sizeof(*v)) == n * sizeof(*v);
}

/* The end of the chain in which the hash table's last symbol is, or 0. */
static uint64_t gnu_chain_end(const struct xpt_elf *elf, uint64_t chains, uint64_t index)
{
	uint32_t v[1024];
	size_t i, n;

	while (index <= XPT_ELF_MAX_SYMS) {
		n = xpt_elf__read(elf, chains + index * 4, v, sizeof(v)) / 4;
		if (!n)
			return 0;
		for (i = 0; i < n; i++)
			if (v[i] & 1)
				return index + i + 1;
		index += n;
	}
	return 0;
}

/* Symbols that a GNU hash table implies, 0 if it cannot be believed. */
static uint64_t gnu_hash_count(const struct xpt_elf *elf)
{
	uint64_t buckets, at, max = 0, end;
	uint32_t h[4], v[1024];
	size_t i, n;

	if (!read_u32s(elf, elf->dyn.gnu_hash, h, 4) || h[2] > XPT_ELF_MAX_SYMS ||
	    h[0] > XPT_ELF_MAX_SYMS)
		return 0;
	buckets = elf->dyn.gnu_hash + 16 + (uint64_t)h[2] * 8;
	for (at = 0; at < h[0]; at += n) {
		n = h[0] - at < 1024 ? (size_t)(h[0] - at) : 1024;
		if (!read_u32s(elf, buckets + at * 4, v, n))
			return 0;
		for (i = 0; i < n; i++)
			if (v[i] > max)
				max = v[i];
	}
	if (max < h[1])
		return h[1];	/* only symbols that are not hashed */
	end = gnu_chain_end(elf, buckets + (uint64_t)h[0] * 4, max - h[1]);
	return end ? end + h[1] : 0;
}

static const Elf64_Shdr *find_section(const struct xpt_elf *elf, uint32_t type)
{
	size_t i;

	for (i = 0; i < elf->nr_shdrs; i++)
		if (elf->shdrs[i].sh_type == type)
			return &elf->shdrs[i];
	return NULL;
}

static uint64_t dynsym_count(const struct xpt_elf *elf)
{
	const Elf64_Shdr *sh;
	uint64_t n = 0;
	uint32_t h[2];

	if (elf->dyn.hash && read_u32s(elf, elf->dyn.hash, h, 2))
		n = h[1];
	if (!n && elf->dyn.gnu_hash)
		n = gnu_hash_count(elf);
	sh = n ? NULL : find_section(elf, SHT_DYNSYM);
	if (sh && sh->sh_addr == elf->dyn.symtab)
		n = sh->sh_size / sizeof(Elf64_Sym);
	return n;
}

int xpt_elf__dynsym(const struct xpt_elf *elf, Elf64_Sym **ret_sym, size_t *ret_nr)
{
	uint64_t n;
	char *sym;

	if (!elf->dyn.symtab || !elf->dyn.strtab)
		return -ENOENT;
	n = dynsym_count(elf);
	if (!n)
		return -ENOENT;
	if (n > XPT_ELF_MAX_SYMS)
		return -E2BIG;
	if (!xpt_elf__in_file(elf, elf->dyn.symtab, n * sizeof(Elf64_Sym)))
		return -ENOEXEC;
	sym = xpt_elf__dup(elf, elf->dyn.symtab, n * sizeof(Elf64_Sym));
	if (!sym)
		return -ENOMEM;
	*ret_sym = (Elf64_Sym *)(void *)sym;
	*ret_nr = (size_t)n;
	return 0;
}

static int load_dynamic_table(const struct xpt_elf *elf, struct table *t)
{
	int err = xpt_elf__dynsym(elf, &t->sym, &t->nr);

	if (err)
		return err;
	t->dynamic = true;
	t->strsz = elf->dyn.strsz;
	if (!xpt_elf__in_file(elf, elf->dyn.strtab, t->strsz))
		return -ENOEXEC;
	if (t->strsz > XPT_ELF_MAX_NAMES)
		return -E2BIG;
	t->str = xpt_elf__dup(elf, elf->dyn.strtab, t->strsz);
	if (!t->str)
		return -ENOMEM;
	/* Without believable versions every symbol counts as the default one. */
	if (elf->dyn.versym && xpt_elf__in_file(elf, elf->dyn.versym, t->nr * 2)) {
		t->ver = (uint16_t *)(void *)xpt_elf__dup(elf, elf->dyn.versym, t->nr * 2);
		t->nr_ver = t->ver ? t->nr : 0;
	}
	return 0;
}

/* Whether the section lies in the file, which stores as many bytes. */
static bool is_stored(const struct xpt_elf *elf, const Elf64_Shdr *sh)
{
	return sh->sh_offset <= elf->size && sh->sh_size <= elf->size - sh->sh_offset &&
	       sh->sh_size <= elf->stored;
}

static int load_symtab(const struct xpt_elf *elf, struct table *t)
{
	const Elf64_Shdr *sh = find_section(elf, SHT_SYMTAB), *str;
	uint64_t n;

	if (!sh || sh->sh_link >= elf->nr_shdrs || sh->sh_entsize != sizeof(Elf64_Sym))
		return -ENOENT;
	str = &elf->shdrs[sh->sh_link];
	n = sh->sh_size / sizeof(Elf64_Sym);
	if (n > XPT_ELF_MAX_SYMS)
		return -E2BIG;
	if (!is_stored(elf, sh) || !is_stored(elf, str) || str->sh_type != SHT_STRTAB)
		return -ENOEXEC;
	if (str->sh_size > XPT_ELF_MAX_NAMES)
		return -E2BIG;
	t->sym = malloc((size_t)sh->sh_size + 1);
	t->str = calloc(1, (size_t)str->sh_size + 1);
	if (!t->sym || !t->str)
		return -ENOMEM;
	t->nr = (size_t)n;
	t->strsz = str->sh_size;
	if (xpt_elf__pread(elf, sh->sh_offset, t->sym, t->nr * sizeof(Elf64_Sym)) !=
	    t->nr * sizeof(Elf64_Sym) ||
	    xpt_elf__pread(elf, str->sh_offset, t->str, (size_t)t->strsz) != t->strsz)
		return -ENOEXEC;
	return 0;
}

static void free_table(struct table *t)
{
	free(t->sym);
	free(t->ver);
	free(t->str);
	memset(t, 0, sizeof(*t));
}

/* Default version, else the newest hidden one; exported before local. */
static uint32_t rank_of(const struct table *t, size_t i)
{
	uint32_t ver = i < t->nr_ver ? t->ver[i] : 1, rank = 0;

	if (ELF64_ST_BIND(t->sym[i].st_info) == STB_LOCAL)
		rank += 1u << 20;
	if ((ver & 0x8000) || !ver)
		rank += (1u << 16) + 0x7fff - (ver & 0x7fff);
	return rank;
}

/* Whether symbol i is a function to list; indirect ones are counted. */
static bool is_listed(struct xpt_elf *elf, const struct table *t, size_t i)
{
	const Elf64_Sym *s = &t->sym[i];
	unsigned type = ELF64_ST_TYPE(s->st_info), vis = ELF64_ST_VISIBILITY(s->st_other);

	if (s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS || s->st_name >= t->strsz)
		return false;
	if (t->dynamic && (ELF64_ST_BIND(s->st_info) == STB_LOCAL || vis == STV_HIDDEN ||
			   vis == STV_INTERNAL))
		return false;
	if (type == STT_GNU_IFUNC)
		elf->nr_ifuncs++;
	return type == STT_FUNC;
}

static int by_name(const void *pa, const void *pb)
{
	const struct cand *a = pa, *b = pb;
	int c = strcmp(a->sym.name, b->sym.name);

	if (c)
		return c;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->sym.vaddr < b->sym.vaddr ? -1 : a->sym.vaddr > b->sym.vaddr;
}

static int collect_funcs(struct xpt_elf *elf, const struct table *t, struct cand *cand, size_t *ret_nr)
{
	uint64_t names = 0, offset;
	size_t i, len, nr = 0;
	const char *name;

	elf->nr_ifuncs = 0;
	if (!xpt_elf__spend(elf, t->nr * SYM_WORK))
		return -EFBIG;
	for (i = 0; i < t->nr; i++) {
		if (!is_listed(elf, t, i) || !xpt_elf__offset(elf, t->sym[i].st_value, &offset))
			continue;
		name = t->str + t->sym[i].st_name;
		len = strnlen(name, XPT_ELF_MAX_NAME + 1);
		if (!len || len > XPT_ELF_MAX_NAME)
			continue;
		names += len;
		if (names > XPT_ELF_MAX_NAMES)
			return -E2BIG;
		cand[nr++] = (struct cand){
			.sym = { .name = name, .vaddr = t->sym[i].st_value, .offset = offset,
				 .size = t->sym[i].st_size },
			.rank = rank_of(t, i),
		};
	}
	if (!xpt_elf__spend(elf, names) || !xpt_elf__spend_sort(elf, nr, nr ? 10 + (unsigned)(names / nr / 8) : 0))
		return -EFBIG;
	qsort(cand, nr, sizeof(*cand), by_name);
	*ret_nr = nr;
	return 0;
}

/* Another version of the same name is another function; in .symtab, the same name
 * elsewhere is a stranger's static function. */
static bool is_new(const struct xpt_elf *elf, size_t nr, const struct xpt_sym *sym, bool dynamic)
{
	int same;

	for (same = 0; nr && !strcmp(elf->syms[nr - 1].name, sym->name); nr--, same++)
		if (!dynamic || elf->syms[nr - 1].vaddr == sym->vaddr || same == MAX_VERSIONS)
			return false;
	return true;
}

/* Lists the functions of t and takes over its strings. */
static int list_funcs(struct xpt_elf *elf, struct table *t)
{
	struct cand *cand = calloc(t->nr ? t->nr : 1, sizeof(*cand));
	size_t i, nr = 0, out = 0;
	int err = -ENOMEM;

	if (!cand)
		goto out;
	err = collect_funcs(elf, t, cand, &nr);
	if (err)
		goto out;
	elf->syms = calloc(nr ? nr : 1, sizeof(*elf->syms));
	if (!elf->syms) {
		err = -ENOMEM;
		goto out;
	}
	for (i = 0; i < nr; i++)
		if (is_new(elf, out, &cand[i].sym, t->dynamic))
			elf->syms[out++] = cand[i].sym;
	elf->nr_syms = out;
	elf->strtab = t->str;
	t->str = NULL;
out:
	free(cand);
	return err;
}

static int try_table(struct xpt_elf *elf, bool dynamic)
{
	struct table t = { 0 };
	int err;

	err = dynamic ? load_dynamic_table(elf, &t) : load_symtab(elf, &t);
	if (!err)
		err = list_funcs(elf, &t);
	free_table(&t);
	return err;
}

static void drop_syms(struct xpt_elf *elf)
{
	free(elf->syms);
	free(elf->strtab);
	elf->syms = NULL;
	elf->strtab = NULL;
	elf->nr_syms = 0;
	elf->nr_ifuncs = 0;
}

int xpt_elf__load_syms(struct xpt_elf *elf)
{
	bool exe = elf->type == ET_EXEC || elf->dyn.pie || !elf->dyn.symtab;
	int err, err2;

	err = try_table(elf, !exe);
	if (!err && elf->nr_syms)
		return 0;
	/* Damage in the table that the loader uses is an error; .symtab is a fallback. */
	if (err && err != -ENOENT && !exe)
		return err;
	drop_syms(elf);
	err2 = try_table(elf, exe);
	if (err2)
		drop_syms(elf);
	if (err2 == -ENOENT || (err2 && !exe))
		return exe && err && err != -ENOENT ? err : 0;
	return err2;
}

int xpt_elf__list_local(struct xpt_elf *elf, const struct xpt_elf *of)
{
	struct xpt_sym *syms = elf->syms;
	size_t nr = elf->nr_syms, ifuncs = elf->nr_ifuncs;
	char *strtab = elf->strtab;
	struct table t = { 0 };
	int err = load_symtab(of, &t);

	elf->syms = NULL;
	elf->strtab = NULL;
	if (!err)
		err = list_funcs(elf, &t);
	if (!err && !elf->nr_syms)
		err = -ENOENT;
	free_table(&t);
	if (!err) {
		free(syms);
		free(strtab);
		if (elf->sites)
			elf->free_sites(elf->sites);	/* it was made of these */
		elf->sites = NULL;
		return 0;
	}
	drop_syms(elf);
	elf->syms = syms;
	elf->strtab = strtab;
	elf->nr_syms = nr;
	elf->nr_ifuncs = ifuncs;
	return err;
}

const struct xpt_sym *xpt_elf__syms(const struct xpt_elf *elf, size_t *ret_nr)
{
	*ret_nr = elf->nr_syms;
	return elf->syms;
}

static int name_to_sym(const void *name, const void *sym)
{
	return strcmp(name, ((const struct xpt_sym *)sym)->name);
}

const struct xpt_sym *xpt_elf__find(const struct xpt_elf *elf, const char *name)
{
	const struct xpt_sym *sym;

	if (!elf->nr_syms)
		return NULL;
	sym = bsearch(name, elf->syms, elf->nr_syms, sizeof(*elf->syms), name_to_sym);
	while (sym > elf->syms && !strcmp(sym[-1].name, name))	/* the default version */
		sym--;
	return sym;
}

size_t xpt_elf__nr_ifuncs(const struct xpt_elf *elf)
{
	return elf->nr_ifuncs;
}
