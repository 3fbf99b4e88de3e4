/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes small x86-64 shared libraries into memory, for tests of the ELF
 * reader and of the site resolver: 4096 bytes, three segments (read-only,
 * code, data), no section headers unless a test adds them. Tests then damage
 * the bytes of img as they like.
 */
#ifndef XPT_TESTS_ELF_GEN_H
#define XPT_TESTS_ELF_GEN_H

#include <assert.h>
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "elf/elf.h"

enum {
	EG_SIZE = 4096,
	EG_SYM = 0x240, EG_MAX_SYM = 16,	/* file offset = address below EG_TEXT_FILE */
	EG_STR = 0x3c0, EG_HASH = 0x4c0, EG_VER = 0x560, EG_RELA = 0x580, EG_MAX_RELA = 16,
	EG_EH = 0x700, EG_MAX_FDE = 16, EG_NOTE = 0x790, EG_INTERP = 0x7b8, EG_RELR = 0x7e0,
	EG_TEXT_FILE = 0x800, EG_TEXT = 0x1800,
	EG_DATA_FILE = 0xc00, EG_DATA = 0x2c00, EG_DYN = 0x2d00, EG_FLAG = 0x2cf8,
	EG_MAX_PHDR = 9,
};

struct elf_gen {
	uint8_t img[EG_SIZE];
	size_t nr_sym, nr_rela, nr_fde, nr_dyn, nr_phdr, text, data, str, nr_relr;
	uint64_t fde[EG_MAX_FDE];
	bool gnu_hash, versions, soname, interp, no_unwind;
	uint32_t soname_at, runpath_at;
	bool runpath;
};

static inline void eg_put(struct elf_gen *g, size_t at, const void *p, size_t n)
{
	assert(at + n <= EG_SIZE);
	memcpy(g->img + at, p, n);
}

static inline void eg_init(struct elf_gen *g)
{
	memset(g, 0, sizeof(*g));
	memset(g->img + EG_TEXT_FILE, 0x90, EG_DATA_FILE - EG_TEXT_FILE);
	g->text = g->data = 0;
	g->str = 1;
	g->nr_sym = 1;
}

static inline uint32_t eg_str(struct elf_gen *g, const char *s)
{
	uint32_t at = (uint32_t)g->str;

	assert(EG_STR + g->str + strlen(s) + 1 <= EG_HASH);
	eg_put(g, EG_STR + at, s, strlen(s) + 1);
	g->str += strlen(s) + 1;
	return at;
}

/* Where the next code goes. */
static inline uint64_t eg_here(const struct elf_gen *g)
{
	return EG_TEXT + g->text;
}

/* Code without alignment and without unwind information. */
static inline uint64_t eg_raw(struct elf_gen *g, const void *code, size_t n)
{
	uint64_t vaddr = eg_here(g);

	assert(g->text + n <= EG_DATA_FILE - EG_TEXT_FILE);
	eg_put(g, EG_TEXT_FILE + g->text, code, n);
	g->text += n;
	return vaddr;
}

/* A function: aligned behind nops, with unwind information. */
static inline uint64_t eg_func(struct elf_gen *g, const void *code, size_t n)
{
	g->text = (g->text + 15) & ~(size_t)15;
	assert(g->nr_fde < EG_MAX_FDE);
	g->fde[g->nr_fde++] = eg_here(g);
	return eg_raw(g, code, n);
}

static inline void eg_sym(struct elf_gen *g, const char *name, uint64_t vaddr, uint64_t size,
			  unsigned type, uint16_t version)
{
	Elf64_Sym s = { .st_name = eg_str(g, name), .st_value = vaddr, .st_size = size,
			.st_info = (uint8_t)ELF64_ST_INFO(STB_GLOBAL, type),
			.st_shndx = vaddr ? 7 : SHN_UNDEF };

	assert(g->nr_sym < EG_MAX_SYM);
	eg_put(g, EG_VER + g->nr_sym * 2, &version, 2);
	eg_put(g, EG_SYM + g->nr_sym++ * sizeof(s), &s, sizeof(s));
}

static inline void eg_rela(struct elf_gen *g, uint64_t where, uint32_t type, uint32_t sym,
			   uint64_t addend)
{
	Elf64_Rela r = { .r_offset = where, .r_info = ELF64_R_INFO((uint64_t)sym, type),
			 .r_addend = (int64_t)addend };

	assert(g->nr_rela < EG_MAX_RELA);
	eg_put(g, EG_RELA + g->nr_rela++ * sizeof(r), &r, sizeof(r));
}

/* Eight bytes of data. */
static inline uint64_t eg_word(struct elf_gen *g, uint64_t value)
{
	uint64_t vaddr = EG_DATA + g->data;

	assert(vaddr + 8 <= EG_FLAG);
	eg_put(g, EG_DATA_FILE + g->data, &value, 8);
	g->data += 8;
	return vaddr;
}

/* A word that the loader fills with target. */
static inline uint64_t eg_slot(struct elf_gen *g, uint64_t target)
{
	uint64_t slot = eg_word(g, 0);

	eg_rela(g, slot, R_X86_64_RELATIVE, 0, target);
	return slot;
}

static inline void eg_dyn(struct elf_gen *g, int64_t tag, uint64_t value)
{
	Elf64_Dyn d = { .d_tag = tag, .d_un.d_val = value };

	eg_put(g, EG_DYN - EG_DATA + EG_DATA_FILE + g->nr_dyn++ * sizeof(d), &d, sizeof(d));
}

static inline void eg_phdr(struct elf_gen *g, uint32_t type, uint32_t flags, uint64_t offset,
			   uint64_t vaddr, uint64_t size)
{
	Elf64_Phdr p = { .p_type = type, .p_flags = flags, .p_offset = offset, .p_vaddr = vaddr,
			 .p_paddr = vaddr, .p_filesz = size, .p_memsz = size,
			 .p_align = type == PT_LOAD ? 4096 : 4 };

	assert(g->nr_phdr < EG_MAX_PHDR);
	eg_put(g, sizeof(Elf64_Ehdr) + g->nr_phdr++ * sizeof(p), &p, sizeof(p));
}

/* One bucket whose chain holds all symbols. */
static inline void eg_hash(struct elf_gen *g)
{
	uint32_t nr = (uint32_t)g->nr_sym, h[32] = { 0 };
	uint32_t i;

	if (!g->gnu_hash) {
		h[0] = 1;
		h[1] = nr;
		eg_put(g, EG_HASH, h, 8);
		eg_dyn(g, DT_HASH, EG_HASH);
		return;
	}
	h[0] = 1;	/* buckets */
	h[1] = 1;	/* first hashed symbol */
	h[2] = 1;	/* words of the filter */
	h[6] = nr > 1 ? 1 : 0;
	for (i = 1; i < nr; i++)
		h[6 + i] = 0x1000 + 2 * i + (i == nr - 1);
	eg_put(g, EG_HASH, h, sizeof(h));
	eg_dyn(g, DT_GNU_HASH, EG_HASH);
}

static inline void eg_unwind(struct elf_gen *g)
{
	uint32_t count = (uint32_t)g->nr_fde, pair[2] = { 0 };
	uint8_t head[8] = { 1, 0x1b, 0x03, 0x3b };
	size_t i;

	eg_put(g, EG_EH, head, 8);
	eg_put(g, EG_EH + 8, &count, 4);
	for (i = 0; i < count; i++) {
		pair[0] = (uint32_t)(g->fde[i] - EG_EH);
		eg_put(g, EG_EH + 12 + i * 8, pair, 8);
	}
	eg_phdr(g, PT_GNU_EH_FRAME, PF_R, EG_EH, EG_EH, 12 + count * 8);
}

static inline void eg_dynamic(struct elf_gen *g)
{
	eg_hash(g);
	eg_dyn(g, DT_SYMTAB, EG_SYM);
	eg_dyn(g, DT_STRTAB, EG_STR);
	eg_dyn(g, DT_STRSZ, g->str);
	if (g->versions)
		eg_dyn(g, DT_VERSYM, EG_VER);
	eg_dyn(g, DT_RELA, EG_RELA);
	eg_dyn(g, DT_RELASZ, g->nr_rela * sizeof(Elf64_Rela));
	if (g->nr_relr) {
		eg_dyn(g, 36, EG_RELR);
		eg_dyn(g, 35, g->nr_relr * 8);
	}
	if (g->soname)
		eg_dyn(g, DT_SONAME, g->soname_at);
	if (g->runpath)
		eg_dyn(g, DT_RUNPATH, g->runpath_at);
}

/* Writes headers and tables; img is the file then. */
static inline void eg_finish(struct elf_gen *g)
{
	static const uint8_t note[] = { 4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0,
					0xde, 0xad, 0xbe, 0xef };
	Elf64_Ehdr eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			  .e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			  .e_phoff = sizeof(eh), .e_ehsize = sizeof(eh),
			  .e_phentsize = sizeof(Elf64_Phdr) };

	eg_phdr(g, PT_LOAD, PF_R, 0, 0, EG_TEXT_FILE);
	eg_phdr(g, PT_LOAD, PF_R | PF_X, EG_TEXT_FILE, EG_TEXT, EG_DATA_FILE - EG_TEXT_FILE);
	eg_phdr(g, PT_LOAD, PF_R | PF_W, EG_DATA_FILE, EG_DATA, EG_SIZE - EG_DATA_FILE);
	eg_put(g, EG_NOTE, note, sizeof(note));
	eg_phdr(g, PT_NOTE, PF_R, EG_NOTE, EG_NOTE, sizeof(note));
	if (g->interp) {
		eg_put(g, EG_INTERP, "/lib/ld.so", 11);
		eg_phdr(g, PT_INTERP, PF_R, EG_INTERP, EG_INTERP, 11);
	}
	eg_dynamic(g);
	eg_phdr(g, PT_DYNAMIC, PF_R | PF_W, EG_DYN - EG_DATA + EG_DATA_FILE, EG_DYN,
		(g->nr_dyn + 1) * sizeof(Elf64_Dyn));
	if (!g->no_unwind)
		eg_unwind(g);
	eh.e_phnum = (uint16_t)g->nr_phdr;
	eg_put(g, 0, &eh, sizeof(eh));
}

/* Opens n bytes as a file. */
static inline int eg_open_bytes(const void *p, size_t n, struct xpt_elf **ret_elf)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	assert(fd >= 0);
	if (write(fd, p, n) != (ssize_t)n) {
		close(fd);
		assert(0);
	}
	return xpt_elf__open_fd(fd, ret_elf);
}

/* --- code ------------------------------------------------------------------------- */

/* push %rbp; pop %rbp; ret */
static inline uint64_t eg_impl(struct elf_gen *g)
{
	return eg_func(g, "\x55\x5d\xc3", 3);
}

static inline void eg_disp(uint8_t *p, uint64_t end, uint64_t target)
{
	int32_t d = (int32_t)(target - end);

	memcpy(p, &d, 4);
}

/*
 * cmpl $1,flag; je exit; <extra>; jmp *slot; nops; exit: mov $4,%eax; ret. Exported as
 * name, 0x20 + 16 bytes long. extra: up to 8 bytes, NULL none.
 */
static inline uint64_t eg_stub(struct elf_gen *g, const char *name, uint64_t slot,
			       const void *extra, size_t n)
{
	uint8_t b[0x28];
	uint64_t at;

	memset(b, 0x90, sizeof(b));
	g->text = (g->text + 15) & ~(size_t)15;
	at = eg_here(g);
	memcpy(b, "\x81\x3d\0\0\0\0\1\0\0\0", 10);
	eg_disp(b + 2, at + 10, EG_FLAG);
	memcpy(b + 10, "\x74\x14", 2);	/* to 0x20 */
	if (n)
		memcpy(b + 12, extra, n);
	memcpy(b + 12 + n, "\xff\x25", 2);
	eg_disp(b + 14 + n, at + 18 + n, slot);
	memcpy(b + 0x20, "\xb8\4\0\0\0\xc3", 6);
	eg_func(g, b, sizeof(b));
	if (name)
		eg_sym(g, name, at, sizeof(b), STT_FUNC, 1);
	return at;
}

#endif
