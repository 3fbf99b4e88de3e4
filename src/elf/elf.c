// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Opens ELF files: headers, segments, notes, dynamic section, and reading by
 * address. Written against files that lie: every offset and size is compared
 * with the file before it is used, every loop is bounded, and nothing is
 * mapped. Symbols are in elf_syms.c, relocations in elf_reloc.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/files/regular.h"
#include "elf/elf.h"
#include "elf/elf_priv.h"

#if defined(__x86_64__)
#define HOST_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define HOST_MACHINE EM_AARCH64
#else
#error "no ELF machine for this architecture"
#endif

/* The smallest page of the supported machines: files must be mappable with it. */
#define PAGE 4096u
#define SHORT_READ 512u	/* bytes; such reads come out of a window */
#define READ_WORK 400u	/* units of work (elf_work.c): a read, */
#define SHORT_WORK 30u	/* and one out of a window */
#define NR_WINDOWS (sizeof(((struct xpt_elf_windows *)0)->w) / sizeof(struct xpt_elf_window))

static size_t read_file(const struct xpt_elf *elf, uint64_t offset, void *buf, size_t n)
{
	size_t done = 0;
	ssize_t r;

	while (done < n) {
		r = pread(elf->fd, (char *)buf + done, n - done, (off_t)(offset + done));
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			break;
		done += (size_t)r;
	}
	return done;
}

/* The window that holds all n bytes, or as many as the file has there. */
static const struct xpt_elf_window *find_window(const struct xpt_elf *elf, uint64_t offset, size_t n)
{
	struct xpt_elf_windows *all = elf->windows;
	struct xpt_elf_window *w;

	for (w = all->w; w < all->w + NR_WINDOWS; w++)
		if (offset >= w->offset && offset + n <= w->offset + w->n)
			return w;
	w = &all->w[all->next++ % NR_WINDOWS];
	xpt_elf__spend(elf, READ_WORK + sizeof(w->bytes) / 4);
	w->offset = offset - offset % SHORT_READ;
	w->n = read_file(elf, w->offset, w->bytes, sizeof(w->bytes));
	return w;
}

size_t xpt_elf__pread(const struct xpt_elf *elf, uint64_t offset, void *buf, size_t n)
{
	const struct xpt_elf_window *w;

	if (offset >= elf->size)
		return 0;
	if (n > elf->size - offset)
		n = (size_t)(elf->size - offset);
	if (!xpt_elf__spend(elf, n > SHORT_READ ? READ_WORK + n / 4 : SHORT_WORK))
		return 0;
	if (n > SHORT_READ)
		return read_file(elf, offset, buf, n);
	w = find_window(elf, offset, n);
	if (offset + n > w->offset + w->n)	/* the file was cut meanwhile */
		n = offset < w->offset + w->n ? (size_t)(w->offset + w->n - offset) : 0;
	memcpy(buf, w->bytes + (offset - w->offset), n);
	return n;
}

const struct xpt_elf_seg *xpt_elf__seg(const struct xpt_elf *elf, uint64_t vaddr)
{
	size_t lo = 0, hi = elf->nr_segs, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (elf->segs[mid].vaddr <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && vaddr - elf->segs[lo - 1].vaddr < elf->segs[lo - 1].memsz ? &elf->segs[lo - 1] : NULL;
}

bool xpt_elf__in_file(const struct xpt_elf *elf, uint64_t vaddr, uint64_t n)
{
	const struct xpt_elf_seg *seg = xpt_elf__seg(elf, vaddr);

	return seg && n <= elf->stored && vaddr - seg->vaddr <= seg->filesz &&
	       n <= seg->filesz - (vaddr - seg->vaddr);
}

size_t xpt_elf__read(const struct xpt_elf *elf, uint64_t vaddr, void *buf, size_t n)
{
	const struct xpt_elf_seg *seg = xpt_elf__seg(elf, vaddr);
	uint64_t at;

	if (!seg || vaddr - seg->vaddr >= seg->filesz)
		return 0;
	at = vaddr - seg->vaddr;
	if (n > seg->filesz - at)
		n = (size_t)(seg->filesz - at);
	return xpt_elf__pread(elf, seg->offset + at, buf, n);
}

char *xpt_elf__dup(const struct xpt_elf *elf, uint64_t vaddr, uint64_t n)
{
	char *s;

	if (!xpt_elf__in_file(elf, vaddr, n))
		return NULL;
	s = malloc((size_t)n + 1);
	if (!s)
		return NULL;
	if (xpt_elf__read(elf, vaddr, s, (size_t)n) != n) {
		free(s);
		return NULL;
	}
	s[n] = '\0';
	return s;
}

bool xpt_elf__offset(const struct xpt_elf *elf, uint64_t vaddr, uint64_t *ret_offset)
{
	const struct xpt_elf_seg *seg = xpt_elf__seg(elf, vaddr);

	if (!seg || !(seg->flags & PF_X) || vaddr - seg->vaddr >= seg->filesz)
		return false;
	*ret_offset = seg->offset + (vaddr - seg->vaddr);
	return true;
}

bool xpt_elf__vaddr(const struct xpt_elf *elf, uint64_t offset, uint64_t *ret_vaddr)
{
	const struct xpt_elf_seg *seg;
	size_t i;

	for (i = 0; i < elf->nr_segs; i++) {
		seg = &elf->segs[i];
		if ((seg->flags & PF_X) && offset >= seg->offset &&
		    offset - seg->offset < seg->filesz) {
			*ret_vaddr = seg->vaddr + (offset - seg->offset);
			return true;
		}
	}
	return false;
}

/* --- headers -------------------------------------------------------------- */

static int check_ehdr(const Elf64_Ehdr *eh)
{
	if (memcmp(eh->e_ident, ELFMAG, SELFMAG) != 0)
		return -ENOEXEC;
	if (eh->e_ident[EI_CLASS] != ELFCLASS64 || eh->e_ident[EI_DATA] != ELFDATA2LSB)
		return -ENOTSUP;
	if (eh->e_machine != HOST_MACHINE)
		return -ENOTSUP;
	if (eh->e_ident[EI_VERSION] != EV_CURRENT || eh->e_version != EV_CURRENT)
		return -ENOEXEC;
	if (eh->e_type != ET_DYN && eh->e_type != ET_EXEC)
		return -ENOEXEC;
	if (eh->e_phentsize != sizeof(Elf64_Phdr) || !eh->e_phnum ||
	    eh->e_phnum > XPT_ELF_MAX_PHDRS)
		return -ENOEXEC;
	return 0;
}

/* Adds one PT_LOAD that the kernel and the loader could map, after the previous one. */
static int add_seg(struct xpt_elf *elf, const Elf64_Phdr *ph)
{
	const struct xpt_elf_seg *last = elf->nr_segs ? &elf->segs[elf->nr_segs - 1] : NULL;
	struct xpt_elf_seg seg = {
		.vaddr = ph->p_vaddr, .memsz = ph->p_memsz, .offset = ph->p_offset,
		.filesz = ph->p_filesz, .flags = ph->p_flags,
	};

	if (!seg.memsz)
		return 0;
	if (seg.filesz > seg.memsz || seg.vaddr + seg.memsz < seg.vaddr ||
	    seg.offset + seg.filesz < seg.offset || seg.vaddr % PAGE != seg.offset % PAGE)
		return -ENOEXEC;
	if (last && seg.vaddr < last->vaddr + last->memsz)
		return -ENOEXEC;
	/* A truncated file still has its beginning. */
	if (seg.offset >= elf->size)
		seg.filesz = 0;
	else if (seg.filesz > elf->size - seg.offset)
		seg.filesz = elf->size - seg.offset;
	elf->segs[elf->nr_segs++] = seg;
	return 0;
}

static void put_hex(const uint8_t *b, size_t n, char *out)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < n; i++) {
		out[2 * i] = digits[b[i] >> 4];
		out[2 * i + 1] = digits[b[i] & 15];
	}
	out[2 * n] = '\0';
}

/* The build id in n bytes of notes; a broken note ends the search. */
static void find_build_id(struct xpt_elf *elf, const uint8_t *notes, size_t n, size_t align)
{
	size_t at = 0, name, desc;
	Elf64_Nhdr nh;

	while (n - at >= sizeof(nh)) {
		memcpy(&nh, notes + at, sizeof(nh));
		at += sizeof(nh);
		name = ((size_t)nh.n_namesz + 3) & ~(size_t)3;
		if (name > n - at)
			return;
		desc = ((size_t)nh.n_descsz + align - 1) & ~(align - 1);
		if (nh.n_descsz > n - at - name)
			return;
		if (nh.n_type == NT_GNU_BUILD_ID && nh.n_namesz == 4 && nh.n_descsz &&
		    nh.n_descsz < sizeof(elf->build_id) / 2 &&
		    memcmp(notes + at, "GNU", 4) == 0) {
			put_hex(notes + at + name, nh.n_descsz, elf->build_id);
			return;
		}
		if (desc > n - at - name)
			return;
		at += name + desc;
	}
}

static int load_note(struct xpt_elf *elf, uint64_t offset, uint64_t size, uint64_t align)
{
	size_t n = size < XPT_ELF_MAX_NOTE ? (size_t)size : XPT_ELF_MAX_NOTE;
	uint8_t *buf;

	if (elf->build_id[0] || !n)
		return 0;
	buf = malloc(n);
	if (!buf)
		return -ENOMEM;
	n = xpt_elf__pread(elf, offset, buf, n);
	find_build_id(elf, buf, n, align == 8 ? 8 : 4);
	free(buf);
	return 0;
}

/* Separate debug files have notes in sections only. */
static int load_note_sections(struct xpt_elf *elf)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < elf->nr_shdrs; i++)
		if (elf->shdrs[i].sh_type == SHT_NOTE)
			err = load_note(elf, elf->shdrs[i].sh_offset, elf->shdrs[i].sh_size,
					elf->shdrs[i].sh_addralign);
	return err;
}

static int load_interp(struct xpt_elf *elf, const Elf64_Phdr *ph)
{
	size_t n = ph->p_filesz < 4096 ? (size_t)ph->p_filesz : 4096;

	if (elf->interp)
		return 0;
	elf->interp = calloc(1, n + 1);
	if (!elf->interp)
		return -ENOMEM;
	xpt_elf__pread(elf, ph->p_offset, elf->interp, n);
	return 0;
}

static void set_dyn(struct xpt_elf_dyn *dyn, const Elf64_Dyn *d)
{
	uint64_t v = d->d_un.d_val;

	switch (d->d_tag) {
	case DT_SYMTAB:		dyn->symtab = v; break;
	case DT_STRTAB:		dyn->strtab = v; break;
	case DT_STRSZ:		dyn->strsz = v; break;
	case DT_HASH:		dyn->hash = v; break;
	case DT_GNU_HASH:	dyn->gnu_hash = v; break;
	case DT_VERSYM:		dyn->versym = v; break;
	case DT_RELA:		dyn->rela = v; break;
	case DT_RELASZ:		dyn->relasz = v; break;
	case DT_JMPREL:		dyn->jmprel = v; break;
	case DT_PLTRELSZ:	dyn->pltrelsz = v; break;
	case DT_PLTREL:		dyn->pltrel = v; break;
	case 36 /* DT_RELR */:	dyn->relr = v; break;
	case 35 /* DT_RELRSZ */:	dyn->relrsz = v; break;
	case DT_REL:		dyn->rel = v; break;
	case DT_TEXTREL:	dyn->textrel = true; break;
	case DT_FLAGS:		dyn->textrel |= (v & DF_TEXTREL) != 0; break;
	case DT_FLAGS_1:	dyn->pie = (v & DF_1_PIE) != 0; break;
	case DT_SONAME:		dyn->soname = v; dyn->has_soname = true; break;
	case DT_NEEDED:
		if (dyn->nr_needed < XPT_ELF_MAX_NEEDED)
			dyn->needed[dyn->nr_needed++] = v;
		break;
	case DT_RUNPATH:	dyn->runpath = v; dyn->has_runpath = true; break;
	case DT_RPATH:	/* the loader ignores it beside a RUNPATH */
		if (!dyn->has_runpath)
			dyn->runpath = v;
		dyn->has_rpath = true;
		break;
	default:
		break;
	}
}

static int load_dynamic(struct xpt_elf *elf, const Elf64_Phdr *ph)
{
	size_t i, n = ph->p_filesz < XPT_ELF_MAX_DYN ? (size_t)ph->p_filesz : XPT_ELF_MAX_DYN;
	Elf64_Dyn *d = malloc(n ? n : 1);

	if (!d)
		return -ENOMEM;
	n = xpt_elf__pread(elf, ph->p_offset, d, n) / sizeof(*d);
	for (i = 0; i < n && d[i].d_tag != DT_NULL; i++)
		set_dyn(&elf->dyn, &d[i]);
	free(d);
	return 0;
}

static int load_phdr(struct xpt_elf *elf, const Elf64_Phdr *ph)
{
	switch (ph->p_type) {
	case PT_LOAD:
		return add_seg(elf, ph);
	case PT_DYNAMIC:
		return load_dynamic(elf, ph);
	case PT_INTERP:
		return load_interp(elf, ph);
	case PT_NOTE:
		return load_note(elf, ph->p_offset, ph->p_filesz, ph->p_align);
	case PT_GNU_EH_FRAME:
		elf->eh_hdr = ph->p_vaddr;
		elf->eh_hdr_size = ph->p_memsz;
		return 0;
	default:
		return 0;
	}
}

static int load_phdrs(struct xpt_elf *elf, const Elf64_Ehdr *eh)
{
	size_t i, n = eh->e_phnum * sizeof(Elf64_Phdr);
	Elf64_Phdr *ph = malloc(n);
	int err = -ENOMEM;

	elf->segs = calloc(eh->e_phnum, sizeof(*elf->segs));
	if (!ph || !elf->segs)
		goto out;
	err = -ENOEXEC;
	if (xpt_elf__pread(elf, eh->e_phoff, ph, n) != n)
		goto out;
	for (i = 0; i < eh->e_phnum; i++) {
		err = load_phdr(elf, &ph[i]);
		if (err)
			goto out;
	}
	err = elf->nr_segs ? 0 : -ENOEXEC;
out:
	free(ph);
	return err;
}

/* Section headers are a convenience: a file without them, or with wrong ones, is fine. */
static int load_shdrs(struct xpt_elf *elf, const Elf64_Ehdr *eh)
{
	size_t n = eh->e_shnum * sizeof(Elf64_Shdr);

	if (!eh->e_shnum || eh->e_shentsize != sizeof(Elf64_Shdr) || eh->e_shoff > elf->size ||
	    n > elf->size - eh->e_shoff)
		return 0;
	elf->shdrs = malloc(n);
	if (!elf->shdrs)
		return -ENOMEM;
	if (xpt_elf__pread(elf, eh->e_shoff, elf->shdrs, n) == n) {
		elf->nr_shdrs = eh->e_shnum;
		elf->shstrndx = eh->e_shstrndx;
	} else {
		free(elf->shdrs);
		elf->shdrs = NULL;
	}
	return 0;
}

/* A string of the dynamic string table, "" if it is not there. 0 or -ENOMEM. */
static int dyn_string(const struct xpt_elf *elf, uint64_t at, char **ret_s)
{
	size_t n = XPT_ELF_MAX_NAME;
	char *s;

	if (at >= elf->dyn.strsz || elf->dyn.strtab + at < at)
		return 0;
	if (n > elf->dyn.strsz - at)
		n = (size_t)(elf->dyn.strsz - at);
	s = calloc(1, n + 1);
	if (!s)
		return -ENOMEM;
	xpt_elf__read(elf, elf->dyn.strtab + at, s, n);
	*ret_s = s;
	return 0;
}

static int load_headers(struct xpt_elf *elf, bool sections_only)
{
	Elf64_Ehdr eh;
	int err = xpt_elf__measure(elf);

	if (err)
		return err;
	memset(&eh, 0, sizeof(eh));
	if (xpt_elf__pread(elf, 0, &eh, sizeof(eh)) < sizeof(Elf32_Ehdr))
		return -ENOEXEC;
	err = check_ehdr(&eh);
	if (err)
		return err;
	elf->type = eh.e_type;
	err = sections_only ? 0 : load_phdrs(elf, &eh);
	return err ? err : load_shdrs(elf, &eh);
}

static int load_file(struct xpt_elf *elf)
{
	int err = load_headers(elf, false);

	if (!err && elf->dyn.has_soname)
		err = dyn_string(elf, elf->dyn.soname, &elf->soname);
	if (!err && (elf->dyn.has_runpath || elf->dyn.has_rpath))
		err = dyn_string(elf, elf->dyn.runpath, &elf->runpath);
	return err ? err : xpt_elf__load_syms(elf);
}

/* An object that owns fd; without memory, fd is closed. */
static struct xpt_elf *new_elf(int fd, const struct xpt_elf_pause *pause)
{
	struct xpt_elf *elf = calloc(1, sizeof(*elf));

	if (elf) {
		elf->windows = calloc(1, sizeof(*elf->windows));
		elf->work = calloc(1, sizeof(*elf->work));
	}
	if (!elf || !elf->windows || !elf->work) {
		if (elf) {
			free(elf->windows);
			free(elf->work);
		}
		free(elf);
		close(fd);
		return NULL;
	}
	elf->fd = fd;
	elf->work->pause = pause;
	return elf;
}

/* Returns the error to report: if the file was refused for its cost, any other error would mislead. */
static int why_not(const struct xpt_elf *elf, int err)
{
	if (!xpt_elf__error(elf))
		return err == -ENOEXEC && elf->type && elf->stored < elf->size ? -EFBIG : err;
	return xpt_elf__error(elf);
}

int xpt_elf__open_for(int fd, const struct xpt_elf_pause *pause, struct xpt_elf **ret_elf)
{
	struct xpt_elf *elf = new_elf(fd, pause);
	int err;

	if (!elf)
		return -ENOMEM;
	elf->rels = calloc(1, sizeof(*elf->rels));
	err = elf->rels ? why_not(elf, load_file(elf)) : -ENOMEM;
	if (err) {
		xpt_elf__close(elf);
		return err;
	}
	*ret_elf = elf;
	return 0;
}

int xpt_elf__open_fd(int fd, struct xpt_elf **ret_elf)
{
	return xpt_elf__open_for(fd, NULL, ret_elf);
}

int xpt_elf__open_bare(int fd, bool sections_only, const struct xpt_elf_pause *pause,
		       struct xpt_elf **ret_elf)
{
	struct xpt_elf *elf = new_elf(fd, pause);
	int err;

	if (!elf)
		return -ENOMEM;
	err = load_headers(elf, sections_only);
	if (!err && sections_only)
		err = load_note_sections(elf);
	err = why_not(elf, err);
	if (err) {
		xpt_elf__close(elf);
		return err;
	}
	*ret_elf = elf;
	return 0;
}

int xpt_elf__open(const char *path, struct xpt_elf **ret_elf)
{
	int fd = xpt_regular__open(path, NULL);

	return fd < 0 ? fd : xpt_elf__open_fd(fd, ret_elf);
}

void xpt_elf__close(struct xpt_elf *elf)
{
	if (!elf)
		return;
	if (elf->sites)
		elf->free_sites(elf->sites);
	if (elf->reach_slots)
		elf->free_reach_slots(elf->reach_slots);
	if (elf->jumps)
		elf->free_jumps(elf->jumps);
	if (elf->rels)
		free(elf->rels->rel);
	free(elf->rels);
	free(elf->segs);
	free(elf->shdrs);
	free(elf->strtab);
	free(elf->syms);
	free(elf->soname);
	free(elf->runpath);
	free(elf->interp);
	close(elf->fd);
	free(elf->windows);
	free(elf->work);
	free(elf);
}

const char *xpt_elf__build_id(const struct xpt_elf *elf)
{
	return elf->build_id;
}

const char *xpt_elf__soname(const struct xpt_elf *elf)
{
	return elf->soname ? elf->soname : "";
}

const char *xpt_elf__interp(const struct xpt_elf *elf)
{
	return elf->interp ? elf->interp : "";
}

int xpt_elf__needed(const struct xpt_elf *elf, unsigned i, char **ret_name)
{
	char *name = NULL;
	int err;

	if (i >= elf->dyn.nr_needed)
		return -ENOENT;
	err = dyn_string(elf, elf->dyn.needed[i], &name);
	if (!err && !name)
		name = calloc(1, 1);	/* it lies outside of the strings */
	if (!err && !name)
		err = -ENOMEM;
	if (!err)
		*ret_name = name;
	return err;
}

const char *xpt_elf__runpath(const struct xpt_elf *elf)
{
	return elf->runpath ? elf->runpath : "";
}
