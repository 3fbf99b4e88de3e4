// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * USDT notes: section .note.stapsdt, read through the section headers, because
 * no segment holds it. Addresses in notes are those of link time; prelink moves
 * the file and leaves the notes, so the section .stapsdt.base shows by how
 * much. Names of variables in arguments are looked up in both symbol tables.
 */
#include "elf/usdt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/text_id.h"
#include "elf/insn.h"
#include "elf/elf.h"
#include "elf/elf_priv.h"

enum {
	/* n_type, https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation */
	NOTE_STAPSDT = 3,
	MAX_NOTES = 16 << 20,		/* bytes of all notes */
	MAX_SITES = 1 << 17,
	MAX_VARIABLES = 1 << 20,
	MAX_STRTAB = 256 << 20,
	MAX_SECTIONS = 64,		/* of notes; relocatable parts may leave several */
	NAME_WORK = 150,		/* units of work (elf_work.c): a variable, besides its name, */
	NOTE_WORK = 2000,		/* and a note, besides its text */
};

struct variable {
	uint64_t vaddr;
	bool several;
};

struct xpt_usdt {
	char *text[MAX_SECTIONS];	/* sections of notes, each after a NUL that we added */
	unsigned nr_texts;
	struct xpt_usdt_site *site;
	size_t nr, cap;
};

struct reader {
	const struct xpt_elf *elf;
	struct xpt_usdt *u;
	struct xpt_hashmap *variables;	/* hash of the name -> struct variable */
	struct xpt_decoder *dec;	/* NULL: this machine's code is not decoded */
	uint64_t base;			/* of .stapsdt.base now, 0: there is none */
	bool nop5, looked;
	size_t bytes;			/* of notes read so far */
	size_t names;			/* bytes of variables' names so far */
};

/* --- sections ------------------------------------------------------------------ */

/* n bytes of a section and a NUL, in memory of the caller's. NULL: not there, or no memory. */
static char *read_section(const struct xpt_elf *elf, const Elf64_Shdr *sh, size_t max, size_t *ret_n)
{
	size_t n = sh->sh_size < max ? (size_t)sh->sh_size : max;
	char *p;

	if (sh->sh_type == SHT_NOBITS || sh->sh_offset >= elf->size)
		return NULL;
	if (n > elf->size - sh->sh_offset)
		n = (size_t)(elf->size - sh->sh_offset);
	if (n > elf->stored || !xpt_elf__spend(elf, n))
		return NULL;
	p = malloc(n + 1);
	if (!p)
		return NULL;
	*ret_n = xpt_elf__pread(elf, sh->sh_offset, p, n);
	p[*ret_n] = '\0';
	return p;
}

static bool is_named(const struct xpt_elf *elf, const Elf64_Shdr *sh, const char *name)
{
	size_t n = strlen(name) + 1;
	const Elf64_Shdr *str;
	char buf[32];

	if (elf->shstrndx >= elf->nr_shdrs || n > sizeof(buf))
		return false;
	str = &elf->shdrs[elf->shstrndx];
	return sh->sh_name < str->sh_size && str->sh_offset + sh->sh_name >= str->sh_offset &&
	       xpt_elf__pread(elf, str->sh_offset + sh->sh_name, buf, n) == n &&
	       !memcmp(buf, name, n);
}

/* --- variables ------------------------------------------------------------------- */

/* Names may overlap in a file that lies: they are bounded one by one, and together. */
static void add_variable(struct reader *r, const Elf64_Sym *sym, const char *name)
{
	unsigned type = ELF64_ST_TYPE(sym->st_info);
	size_t len = strnlen(name, XPT_ELF_MAX_NAME + 1);
	struct variable *v;
	uint64_t hash;
	bool is_new;

	if (!len || len > XPT_ELF_MAX_NAME || !xpt_elf__spend(r->elf, NAME_WORK + len) ||
	    sym->st_shndx == SHN_UNDEF ||
	    sym->st_shndx == SHN_ABS ||
	    (type != STT_OBJECT && type != STT_NOTYPE && type != STT_FUNC))
		return;
	r->names += len;
	hash = xpt_text_id(name, len);
	v = xpt_hashmap__get(r->variables, &hash, &is_new);
	if (!v)
		return;
	v->several |= !is_new && v->vaddr != sym->st_value;
	v->vaddr = sym->st_value;
}

static void add_table(struct reader *r, const Elf64_Shdr *sh)
{
	const struct xpt_elf *elf = r->elf;
	size_t n = 0, nr_str = 0, i;
	char *str = NULL, *tab;

	if (sh->sh_link >= elf->nr_shdrs)
		return;
	tab = read_section(elf, sh, (size_t)MAX_VARIABLES * sizeof(Elf64_Sym), &n);
	if (tab)
		str = read_section(elf, &elf->shdrs[sh->sh_link], MAX_STRTAB, &nr_str);
	for (i = 0; str && i < n / sizeof(Elf64_Sym) && r->names < XPT_ELF_MAX_NAMES; i++) {
		Elf64_Sym sym;

		memcpy(&sym, tab + i * sizeof(sym), sizeof(sym));
		if (sym.st_name < nr_str)
			add_variable(r, &sym, str + sym.st_name);
	}
	free(tab);
	free(str);
}

/* The first table of that type; a file has one of each. */
static void add_first(struct reader *r, uint32_t type)
{
	size_t i;

	for (i = 0; i < r->elf->nr_shdrs; i++) {
		if (r->elf->shdrs[i].sh_type != type)
			continue;
		add_table(r, &r->elf->shdrs[i]);
		return;
	}
}

static bool find_variable(void *ctx, const char *name, size_t len, uint64_t *ret_vaddr)
{
	struct reader *r = ctx;
	uint64_t hash = xpt_text_id(name, len);
	const struct variable *v;

	if (!r->looked) {
		r->looked = true;
		if (xpt_hashmap__new(sizeof(uint64_t), sizeof(struct variable), MAX_VARIABLES,
				     &r->variables))
			return false;
		add_first(r, SHT_SYMTAB);
		add_first(r, SHT_DYNSYM);
	}
	v = r->variables ? xpt_hashmap__find(r->variables, &hash) : NULL;
	if (!v || v->several)
		return false;
	*ret_vaddr = v->vaddr;
	return true;
}

/* --- notes ------------------------------------------------------------------------ */

static struct xpt_usdt_site *new_site(struct xpt_usdt *u)
{
	struct xpt_usdt_site *more;

	if (u->nr == u->cap) {
		more = reallocarray(u->site, u->cap ? u->cap * 2 : 64, sizeof(*more));
		if (!more)
			return NULL;
		u->site = more;
		u->cap = u->cap ? u->cap * 2 : 64;
	}
	memset(&u->site[u->nr], 0, sizeof(*u->site));
	return &u->site[u->nr];
}

/* The file offset of a semaphore: data that the kernel can count in. */
static uint64_t sema_offset(const struct xpt_elf *elf, uint64_t vaddr)
{
	const struct xpt_elf_seg *seg = vaddr ? xpt_elf__seg(elf, vaddr) : NULL;

	if (!seg || seg->flags & PF_X || !xpt_elf__in_file(elf, vaddr, 2))
		return 0;
	return seg->offset + (vaddr - seg->vaddr);
}

static enum xpt_site_class classify_site(const struct reader *r, const uint8_t *code, size_t n)
{
	return r->dec ? xpt_decoder__classify(r->dec, code, n) : XPT_SITE_UNKNOWN;
}

/* Looks at the code. False: there is none at that address. */
static bool find_place(const struct reader *r, struct xpt_usdt_site *s)
{
	uint8_t code[16] = { 0 };
	size_t n = xpt_elf__read(r->elf, s->vaddr, code, sizeof(code));

	s->moved = r->nop5 && n > 5 && code[0] == 0x90 && classify_site(r, code + 1, n - 1) == XPT_SITE_NOP5;
	s->vaddr += s->moved;
	s->cls = classify_site(r, code + s->moved, n - s->moved);
	return n && xpt_elf__offset(r->elf, s->vaddr, &s->offset);
}

/* desc: n bytes with a NUL somewhere after them. 0 or -errno; one that makes no sense is skipped. */
static int add_note(struct reader *r, const char *desc, size_t n)
{
	struct xpt_usdt_site *s;
	const char *str[3];
	uint64_t head[3], shift;
	size_t at = sizeof(head);

	if (n < sizeof(head))
		return 0;
	if (!xpt_elf__spend(r->elf, NOTE_WORK + 8 * n))
		return -EFBIG;
	memcpy(head, desc, sizeof(head));
	for (int i = 0; i < 3; i++) {
		size_t len = strnlen(desc + at, n - at);

		str[i] = desc + at;
		if (at + len >= n)
			return 0;
		at += len + 1;
	}
	if (r->u->nr == MAX_SITES)
		return -E2BIG;
	s = new_site(r->u);
	if (!s)
		return -ENOMEM;
	shift = r->base ? r->base - head[1] : 0;
	s->provider = str[0];
	s->name = str[1];
	s->args = str[2];
	s->vaddr = head[0] + shift;
	s->sema_offset = head[2] ? sema_offset(r->elf, head[2] + shift) : 0;
	if (!str[1][0] || !find_place(r, s))
		return 0;
	s->nr_args = (uint8_t)xpt_usdt__parse_args(s->args, s->vaddr, r->elf->type == ET_EXEC,
						   find_variable, r, s->loc);
	r->u->nr++;
	return 0;
}

static int add_notes(struct reader *r, const char *p, size_t n)
{
	Elf64_Nhdr nh;
	size_t at = 0;
	int err = 0;

	while (!err && n - at >= sizeof(nh)) {
		size_t name, desc;

		memcpy(&nh, p + at, sizeof(nh));
		at += sizeof(nh);
		name = ((size_t)nh.n_namesz + 3) & ~(size_t)3;
		desc = ((size_t)nh.n_descsz + 3) & ~(size_t)3;
		if (name > n - at || nh.n_descsz > n - at - name)
			break;
		if (nh.n_type == NOTE_STAPSDT && nh.n_namesz == sizeof("stapsdt") &&
		    !memcmp(p + at, "stapsdt", sizeof("stapsdt")))
			err = add_note(r, p + at + name, nh.n_descsz);
		if (desc > n - at - name)
			break;
		at += name + desc;
	}
	return err;
}

static int add_section(struct reader *r, const Elf64_Shdr *sh)
{
	size_t n = 0;
	char *p = read_section(r->elf, sh, MAX_NOTES - r->bytes, &n);

	if (!p)
		return 0;
	r->bytes += n;
	r->u->text[r->u->nr_texts++] = p;
	return add_notes(r, p, n);
}

static int read_all(struct reader *r)
{
	const struct xpt_elf *elf = r->elf;
	int err = 0;
	size_t i;

	for (i = 0; i < elf->nr_shdrs && !r->base; i++)
		if (elf->shdrs[i].sh_type == SHT_PROGBITS &&
		    is_named(elf, &elf->shdrs[i], ".stapsdt.base"))
			r->base = elf->shdrs[i].sh_addr;
	for (i = 0; i < elf->nr_shdrs && !err && r->u->nr_texts < MAX_SECTIONS; i++)
		if (elf->shdrs[i].sh_type == SHT_NOTE &&
		    is_named(elf, &elf->shdrs[i], ".note.stapsdt"))
			err = add_section(r, &elf->shdrs[i]);
	return err;
}

static int compare_sites(const void *pa, const void *pb)
{
	const struct xpt_usdt_site *a = pa, *b = pb;
	int c = strcmp(a->provider, b->provider);

	if (!c)
		c = strcmp(a->name, b->name);
	return c ? c : (a->vaddr > b->vaddr) - (a->vaddr < b->vaddr);
}

int xpt_usdt__read(const struct xpt_elf *elf, bool nop5, struct xpt_usdt **ret_usdt)
{
	struct reader r = { .elf = elf, .nop5 = nop5 };
	int err;

	r.u = calloc(1, sizeof(*r.u));
	if (!r.u)
		return -ENOMEM;
	if (xpt_decoder__new(&r.dec))
		r.dec = NULL;
	err = read_all(&r);
	xpt_hashmap__free(r.variables);
	xpt_decoder__free(r.dec);
	if (!err && !xpt_elf__spend_sort(elf, r.u->nr, 40))
		err = -EFBIG;
	if (xpt_elf__error(elf))
		err = xpt_elf__error(elf);
	if (err) {
		xpt_usdt__free(r.u);
		return err;
	}
	if (r.u->nr)
		qsort(r.u->site, r.u->nr, sizeof(*r.u->site), compare_sites);
	*ret_usdt = r.u;
	return 0;
}

void xpt_usdt__free(struct xpt_usdt *u)
{
	unsigned i;

	if (!u)
		return;
	for (i = 0; i < u->nr_texts; i++)
		free(u->text[i]);
	free(u->site);
	free(u);
}

const struct xpt_usdt_site *xpt_usdt__sites(const struct xpt_usdt *u, size_t *ret_nr)
{
	*ret_nr = u->nr;
	return u->site;
}
