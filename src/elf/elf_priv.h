/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * State of an open ELF file that elf*.c and site*.c share. Everything in here
 * was checked against the file's size when it was read; addresses are those of
 * the file (before the load bias).
 */
#ifndef XPT_ELF_ELF_PRIV_H
#define XPT_ELF_ELF_PRIV_H

#include <elf.h>
#include "elf/elf.h"

enum {
	XPT_ELF_MAX_PHDRS = 4096,
	XPT_ELF_MAX_SYMS = 2 << 20,
	XPT_ELF_MAX_NAME = 4096,	/* longer symbol names are not listed */
	XPT_ELF_MAX_NAMES = 256 << 20,	/* bytes of all names together */
	XPT_ELF_MAX_RELOCS = 4 << 20,
	XPT_ELF_MAX_NOTE = 64 << 10,
	XPT_ELF_MAX_DYN = 64 << 10,	/* bytes of PT_DYNAMIC that are looked at */
};

struct xpt_elf_seg {
	uint64_t vaddr, memsz, offset, filesz;	/* filesz: the bytes that the file really holds */
	uint32_t flags;	/* PF_* */
};

#define XPT_ELF_MAX_NEEDED 128u	/* libraries of one file; further ones are left out */

/* The DT_ entries that matter; 0: absent. */
struct xpt_elf_dyn {
	uint64_t symtab, strtab, strsz, hash, gnu_hash, versym;
	uint64_t rela, relasz, jmprel, pltrelsz, pltrel, relr, relrsz, rel;
	uint64_t soname, runpath;	/* offsets in strtab, valid if has_ */
	uint64_t needed[XPT_ELF_MAX_NEEDED];	/* offsets in strtab */
	unsigned nr_needed;
	bool has_soname, has_runpath, has_rpath, textrel, pie;
};

struct xpt_elf_rel {
	uint64_t vaddr, addend;
};

/* R_*_RELATIVE relocations by address, read when first asked for. */
struct xpt_elf_rels {
	bool loaded;
	int err;	/* not 0: incomplete */
	struct xpt_elf_rel *rel;
	size_t nr, cap;
};

/* Pieces of the file, for many short reads in turn at a few places. */
struct xpt_elf_window {
	uint64_t offset;
	size_t n;	/* bytes that were read */
	uint8_t bytes[4 << 10];
};

struct xpt_elf_windows {
	struct xpt_elf_window w[4];
	unsigned next;	/* the one that is read anew */
};

struct xpt_elf_work {	/* elf_work.c */
	const struct xpt_elf_pause *pause;	/* NULL: none */
	uint64_t left, slice;	/* units until the end, and until the next pause */
	int err;
};

struct xpt_sites;	/* data of the search for sites about the file */
struct xpt_reach_slots;	/* data of sites/return_reach.c about it */
struct xpt_code_jumps;	/* sites/code_jumps.c */

struct xpt_elf {
	int fd;
	uint64_t size, stored;	/* of the file when opened; without its holes */
	struct xpt_elf_windows *windows;
	struct xpt_elf_work *work;
	uint16_t type;	/* ET_DYN, ET_EXEC */
	struct xpt_elf_seg *segs;	/* PT_LOAD, ascending, disjoint */
	size_t nr_segs;
	Elf64_Shdr *shdrs;	/* NULL: none, or not believable */
	size_t nr_shdrs;
	uint16_t shstrndx;	/* section with the names of sections; may lie */
	struct xpt_elf_dyn dyn;
	uint64_t eh_hdr, eh_hdr_size;	/* PT_GNU_EH_FRAME */
	char *strtab;	/* of the listed symbols, NUL-terminated */
	struct xpt_sym *syms;
	size_t nr_syms, nr_ifuncs;
	char *soname, *runpath, *interp;	/* NULL: none */
	char build_id[129];
	struct xpt_elf_rels *rels;
	struct xpt_sites *sites;	/* of sites/site_find.c; NULL until a site was asked for */
	void (*free_sites)(struct xpt_sites *sites);	/* set with it */
	struct xpt_reach_slots *reach_slots;	/* NULL until a return was asked for */
	void (*free_reach_slots)(struct xpt_reach_slots *slots);	/* set with it, as the next */
	struct xpt_code_jumps *jumps;	/* NULL until one was asked for */
	void (*free_jumps)(struct xpt_code_jumps *jumps);
	const char *language;	/* returns.c: kind of program by its sections; NULL: not asked yet */
};

struct xpt_elf_reloc {
	uint32_t type, sym;	/* R_X86_64_*; index in .dynsym */
	uint64_t vaddr, addend;
};

/* Bytes read at a file offset; short at the end of the file or on errors. */
size_t xpt_elf__pread(const struct xpt_elf *elf, uint64_t offset, void *buf, size_t n);
/*
 * Takes units of work, of about 1 ns each, from the limit of the file. Returns false if
 * the limit is reached, then and ever after; xpt_elf__error() returns why. Every loop
 * whose length the file chooses calls this, in addition to the cost of the reads
 * themselves.
 */
bool xpt_elf__spend(const struct xpt_elf *elf, uint64_t units);
/* The same for sorting n elements whose comparison costs so many units. */
bool xpt_elf__spend_sort(const struct xpt_elf *elf, uint64_t n, unsigned units);
/* Sets size, stored, and the limit of work. 0, -ENOEXEC if it is no regular file, or -errno. */
int xpt_elf__measure(struct xpt_elf *elf);
/* Whether all n bytes at vaddr lie in one segment, and the file stores as many. */
bool xpt_elf__in_file(const struct xpt_elf *elf, uint64_t vaddr, uint64_t n);
/* The PT_LOAD that holds vaddr in memory, or NULL. */
const struct xpt_elf_seg *xpt_elf__seg(const struct xpt_elf *elf, uint64_t vaddr);
/* A NUL-terminated copy of n bytes at vaddr; NULL: not all there, or no memory. */
char *xpt_elf__dup(const struct xpt_elf *elf, uint64_t vaddr, uint64_t n);
/* The raw .dynsym, to be freed by the caller. 0, -ENOENT if there is none, -ENOEXEC, -ENOMEM. */
int xpt_elf__dynsym(const struct xpt_elf *elf, Elf64_Sym **ret_sym, size_t *ret_nr);
/*
 * Opens a file without listing its functions (xpt_elf__syms, _site are not to
 * be used). sections_only: a separate debug file, whose segments are empty.
 * fd is taken over, also on failure.
 */
int xpt_elf__open_bare(int fd, bool sections_only, const struct xpt_elf_pause *pause,
		       struct xpt_elf **ret_elf);
/* Fills syms, nr_syms, nr_ifuncs, strtab. */
int xpt_elf__load_syms(struct xpt_elf *elf);
/*
 * Calls fn for every dynamic relocation (RELA, JMPREL, RELR) until it returns
 * not 0, which is returned. -ENOEXEC if a table is not all in the file, -E2BIG.
 */
int xpt_elf__each_reloc(const struct xpt_elf *elf,
			int (*fn)(const struct xpt_elf_reloc *rel, void *ctx), void *ctx);

#endif
