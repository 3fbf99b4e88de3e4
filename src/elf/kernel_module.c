// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See module.h. Headers are copied out of the image, which need not be
 * aligned, and checked on the way: a section lies in the file, a name ends in
 * its string table, a relocation names a symbol that exists.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/kernel_module.h"
#include "elf/unpack.h"

enum {
	MAX_SECS = 1 << 16,	/* -ffunction-sections gives thousands */
	MAX_SYMS = 1 << 20,
	MAX_RELS = 4 << 20,
	MAX_BUILD_ID = 64,
	MAX_NAME = 512,		/* with its end, as the kernel's KSYM_NAME_LEN */
};

struct xpt_module {
	uint8_t *data;
	size_t size;
	Elf64_Shdr *shdrs;
	struct xpt_mod_sec *secs;
	struct xpt_mod_sym *syms;
	struct xpt_mod_rel *rels;
	uint32_t nr_secs, nr_syms, nr_rels, symtab;	/* symtab 0: none */
	char build_id[2 * MAX_BUILD_ID + 1];
};

static bool in_file(const struct xpt_module *m, uint64_t offset, uint64_t n)
{
	return offset <= m->size && n <= m->size - offset;
}

/* A name of the string table, which must end in NUL as a whole; or "", also for one that is longer than names are. */
static const char *read_string(const struct xpt_module *m, uint32_t strtab, uint64_t offset)
{
	const Elf64_Shdr *s = strtab < m->nr_secs ? &m->shdrs[strtab] : NULL;
	const char *text;

	if (!s || s->sh_type != SHT_STRTAB || offset >= s->sh_size)
		return "";
	text = (const char *)m->data + s->sh_offset;
	if (text[s->sh_size - 1] || strnlen(text + offset, MAX_NAME) == MAX_NAME)
		return "";
	return text + offset;
}

static int read_header(struct xpt_module *m, bool any_type, Elf64_Ehdr *ret_eh)
{
	if (m->size < sizeof(*ret_eh))
		return -ENOEXEC;
	memcpy(ret_eh, m->data, sizeof(*ret_eh));
	if (memcmp(ret_eh->e_ident, ELFMAG, SELFMAG) || ret_eh->e_ident[EI_CLASS] != ELFCLASS64 ||
	    ret_eh->e_ident[EI_DATA] != ELFDATA2LSB || ret_eh->e_machine != EM_X86_64 ||
	    (!any_type && ret_eh->e_type != ET_REL) || ret_eh->e_shentsize != sizeof(Elf64_Shdr) ||
	    !in_file(m, ret_eh->e_shoff, sizeof(Elf64_Shdr)))
		return -ENOEXEC;
	return 0;
}

static int read_sections(struct xpt_module *m, const Elf64_Ehdr *eh)
{
	Elf64_Shdr first;
	uint64_t nr = eh->e_shnum;
	uint32_t i, names = eh->e_shstrndx;

	memcpy(&first, m->data + eh->e_shoff, sizeof(first));
	if (!nr)
		nr = first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (!nr || nr > MAX_SECS)
		return nr ? -E2BIG : -ENOEXEC;
	if (!in_file(m, eh->e_shoff, nr * sizeof(Elf64_Shdr)))
		return -ENOEXEC;
	m->shdrs = calloc(nr, sizeof(*m->shdrs));
	m->secs = calloc(nr, sizeof(*m->secs));
	if (!m->shdrs || !m->secs)
		return -ENOMEM;
	m->nr_secs = (uint32_t)nr;
	memcpy(m->shdrs, m->data + eh->e_shoff, nr * sizeof(Elf64_Shdr));
	for (i = 0; i < m->nr_secs; i++) {
		Elf64_Shdr *s = &m->shdrs[i];

		if (!i || s->sh_type == SHT_NULL)
			memset(s, 0, sizeof(*s));
		if (s->sh_type != SHT_NOBITS && !in_file(m, s->sh_offset, s->sh_size))
			return -ENOEXEC;
	}
	for (i = 0; i < m->nr_secs; i++) {
		const Elf64_Shdr *s = &m->shdrs[i];

		m->secs[i].name = read_string(m, names, s->sh_name);
		m->secs[i].size = s->sh_size;
		m->secs[i].flags = s->sh_flags;
		if (s->sh_type != SHT_NOBITS && s->sh_type != SHT_NULL)
			m->secs[i].data = m->data + s->sh_offset;
		if (s->sh_type == SHT_SYMTAB && !m->symtab)
			m->symtab = i;
	}
	return 0;
}

static int read_symbols(struct xpt_module *m)
{
	const Elf64_Shdr *s = &m->shdrs[m->symtab];
	uint64_t i, nr = s->sh_size / sizeof(Elf64_Sym);
	Elf64_Sym sym;

	if (!m->symtab || s->sh_entsize != sizeof(Elf64_Sym))
		return m->symtab ? -ENOEXEC : 0;
	if (nr > MAX_SYMS)
		return -E2BIG;
	m->syms = calloc(nr ? nr : 1, sizeof(*m->syms));
	if (!m->syms)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		struct xpt_mod_sym *to = &m->syms[i];

		memcpy(&sym, m->data + s->sh_offset + i * sizeof(sym), sizeof(sym));
		to->name = read_string(m, s->sh_link, sym.st_name);
		to->value = sym.st_value;
		to->size = sym.st_size;
		to->sec = sym.st_shndx < m->nr_secs ? sym.st_shndx : 0;
		to->type = ELF64_ST_TYPE(sym.st_info);
		to->bind = ELF64_ST_BIND(sym.st_info);
	}
	m->nr_syms = (uint32_t)nr;
	return 0;
}

static bool is_rela(const struct xpt_module *m, uint32_t i)
{
	const Elf64_Shdr *s = &m->shdrs[i];

	return s->sh_type == SHT_RELA && s->sh_link == m->symtab && s->sh_info &&
	       s->sh_info < m->nr_secs && s->sh_entsize == sizeof(Elf64_Rela);
}

static int by_offset(const void *a, const void *b)
{
	const struct xpt_mod_rel *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Adds the relocations of one section; ignores a second table for a section. */
static void add_relocs(struct xpt_module *m, uint32_t i)
{
	const Elf64_Shdr *s = &m->shdrs[i];
	struct xpt_mod_sec *sec = &m->secs[s->sh_info];
	struct xpt_mod_rel *rel = m->rels + m->nr_rels;
	uint64_t k, nr = s->sh_size / sizeof(Elf64_Rela);
	uint32_t n = 0;
	Elf64_Rela r;

	if (sec->nr_rels)
		return;
	for (k = 0; k < nr; k++) {
		memcpy(&r, m->data + s->sh_offset + k * sizeof(r), sizeof(r));
		if (ELF64_R_SYM(r.r_info) >= m->nr_syms || r.r_offset >= sec->size)
			continue;
		rel[n].offset = r.r_offset;
		rel[n].addend = r.r_addend;
		rel[n].type = (uint32_t)ELF64_R_TYPE(r.r_info);
		rel[n].sym = (uint32_t)ELF64_R_SYM(r.r_info);
		n++;
	}
	qsort(rel, n, sizeof(*rel), by_offset);
	sec->first_rel = m->nr_rels;
	sec->nr_rels = n;
	m->nr_rels += n;
}

static int read_relocs(struct xpt_module *m)
{
	uint64_t nr = 0;
	uint32_t i;

	for (i = 0; m->symtab && i < m->nr_secs; i++)
		if (is_rela(m, i))
			nr += m->shdrs[i].sh_size / sizeof(Elf64_Rela);
	/* Tables of a damaged file may lie over each other, as often as it has sections. */
	if (nr > MAX_RELS || nr > m->size / sizeof(Elf64_Rela))
		return -E2BIG;
	m->rels = calloc(nr ? nr : 1, sizeof(*m->rels));
	if (!m->rels)
		return -ENOMEM;
	for (i = 0; nr && i < m->nr_secs; i++)
		if (is_rela(m, i))
			add_relocs(m, i);
	return 0;
}

static void read_build_id(struct xpt_module *m)
{
	const struct xpt_mod_sec *s = xpt_module__sec(m, ".note.gnu.build-id");
	Elf64_Nhdr nh;
	uint32_t i;

	if (!s || !s->data || s->size < sizeof(nh) + 4)
		return;
	memcpy(&nh, s->data, sizeof(nh));
	if (nh.n_type != NT_GNU_BUILD_ID || nh.n_namesz != 4 || nh.n_descsz > MAX_BUILD_ID ||
	    nh.n_descsz > s->size - sizeof(nh) - 4)
		return;
	for (i = 0; i < nh.n_descsz; i++)
		snprintf(m->build_id + 2 * i, 3, "%02x", s->data[sizeof(nh) + 4 + i]);
}

int xpt_module__parse(void *data, size_t n, bool any_type, struct xpt_module **ret_mod)
{
	struct xpt_module *m = calloc(1, sizeof(*m));
	Elf64_Ehdr eh;
	int err;

	if (!m) {
		free(data);
		return -ENOMEM;
	}
	m->data = data;
	m->size = n;
	err = read_header(m, any_type, &eh);
	if (!err)
		err = read_sections(m, &eh);
	if (!err)
		err = read_symbols(m);
	if (!err)
		err = read_relocs(m);
	if (err) {
		xpt_module__close(m);
		return err;
	}
	read_build_id(m);
	*ret_mod = m;
	return 0;
}

int xpt_module__open(int fd, size_t max, struct xpt_module **ret_mod)
{
	size_t size;
	void *data;
	int err;

	err = xpt_unpack__fd(fd, max, &data, &size);
	return err ? err : xpt_module__parse(data, size, false, ret_mod);
}

uint64_t xpt_module__size(const struct xpt_module *m)
{
	return m->size;
}

void xpt_module__close(struct xpt_module *m)
{
	if (!m)
		return;
	free(m->rels);
	free(m->syms);
	free(m->secs);
	free(m->shdrs);
	free(m->data);
	free(m);
}

const struct xpt_mod_sec *xpt_module__secs(const struct xpt_module *m, uint32_t *ret_nr)
{
	*ret_nr = m->nr_secs;
	return m->secs;
}

const struct xpt_mod_sym *xpt_module__syms(const struct xpt_module *m, uint32_t *ret_nr)
{
	*ret_nr = m->nr_syms;
	return m->syms;
}

const struct xpt_mod_rel *xpt_module__rels(const struct xpt_module *m, uint32_t *ret_nr)
{
	*ret_nr = m->nr_rels;
	return m->rels;
}

const struct xpt_mod_sec *xpt_module__sec(const struct xpt_module *m, const char *name)
{
	uint32_t i;

	for (i = 1; i < m->nr_secs; i++)
		if (!strcmp(m->secs[i].name, name))
			return &m->secs[i];
	return NULL;
}

const struct xpt_mod_rel *xpt_module__rel_from(const struct xpt_module *m,
					       const struct xpt_mod_sec *sec, uint64_t offset)
{
	const struct xpt_mod_rel *rel = m->rels + sec->first_rel;
	uint32_t lo = 0, hi = sec->nr_rels;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (rel[mid].offset < offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < sec->nr_rels ? &rel[lo] : NULL;
}

const char *xpt_module__build_id(const struct xpt_module *m)
{
	return m->build_id;
}

const char *xpt_module__info(const struct xpt_module *m, const char *key)
{
	const struct xpt_mod_sec *s = xpt_module__sec(m, ".modinfo");
	size_t n = strlen(key);
	const char *p, *end;

	if (!s || !s->data)
		return NULL;
	end = (const char *)s->data + s->size;
	for (p = (const char *)s->data; p < end; p++) {
		const char *stop = memchr(p, '\0', (size_t)(end - p));

		if (!stop)
			return NULL;
		if ((size_t)(stop - p) > n && !memcmp(p, key, n) && p[n] == '=')
			return p + n + 1;
		p = stop;
	}
	return NULL;
}
