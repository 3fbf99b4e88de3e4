/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An ELF file as the engine needs it: exported functions with their file
 * offsets, probe sites, build id. Hostile files give errors, never crashes.
 * The file is read with pread(2), never mapped, so truncation while it is open
 * shortens the data that is read and does not kill. One thread per object.
 */
#ifndef XPT_ELF_ELF_H
#define XPT_ELF_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpt_elf;

struct xpt_sym {
	const char *name;	/* without version; lives as long as the xpt_elf */
	uint64_t vaddr, offset, size;	/* offset: in the file; size 0 if unknown */
};

/* Called every few milliseconds while a file is read, after so many units of work. Not 0: give up for that. */
struct xpt_elf_pause {
	int (*fn)(void *ctx, uint64_t units);
	void *ctx;
};

/*
 * Errors: -errno of open; -ENOEXEC not an ELF file or damaged; -ENOTSUP not
 * for this machine (32-bit, other architecture); -E2BIG more symbols than any
 * real file has; -EFBIG its tables lie in holes, or reading it would take too
 * long; -ENOMEM. path may be a /proc link.
 */
int xpt_elf__open(const char *path, struct xpt_elf **ret_elf);
/* The same for an open file descriptor, which is taken over, also on failure. */
int xpt_elf__open_fd(int fd, struct xpt_elf **ret_elf);
/* The same with pauses, also in later work on the file; pause outlives it, or NULL. */
int xpt_elf__open_for(int fd, const struct xpt_elf_pause *pause, struct xpt_elf **ret_elf);
/*
 * Returns 0, or why the file is not read any further (-EFBIG, or the error of a pause): each file
 * may cost a limited amount of work, by its size (elf_work.c). Queries since then got wrong
 * answers of the harmless kind: not there, not to be probed.
 */
int xpt_elf__error(const struct xpt_elf *elf);
void xpt_elf__close(struct xpt_elf *elf);	/* NULL is fine */
/*
 * Defined functions of .dynsym (else .symtab), sorted by name; versions of a name
 * that lie elsewhere all appear, the default one first, and so do aliases at one
 * address. Executables list .symtab where there is one, because a statically
 * linked runtime is only there.
 */
const struct xpt_sym *xpt_elf__syms(const struct xpt_elf *elf, size_t *ret_nr);
/*
 * Lists the functions of .symtab of that file instead: of its separate debug file, or of itself,
 * which for a library are those that it does not export, too. 0; or an error, and the list stays.
 */
int xpt_elf__list_local(struct xpt_elf *elf, const struct xpt_elf *of);
/* The symbol of that name or NULL. */
const struct xpt_sym *xpt_elf__find(const struct xpt_elf *elf, const char *name);
/* Indirect functions (STT_GNU_IFUNC) left out: their symbol is a resolver. */
size_t xpt_elf__nr_ifuncs(const struct xpt_elf *elf);
const char *xpt_elf__build_id(const struct xpt_elf *elf);	/* hex or "" */
const char *xpt_elf__soname(const struct xpt_elf *elf);	/* "" if none */
const char *xpt_elf__interp(const struct xpt_elf *elf);	/* "" : static or a library */
/*
 * The i-th library that the file asks for (DT_NEEDED), at most 128; the caller frees it.
 * -ENOENT: there are no more; -ENOMEM. *ret_name is as the file has it: "" or a path, too.
 */
int xpt_elf__needed(const struct xpt_elf *elf, unsigned i, char **ret_name);
/* DT_RPATH/DT_RUNPATH as written, "" if none. */
const char *xpt_elf__runpath(const struct xpt_elf *elf);
/* Up to n bytes at vaddr from the file's PT_LOAD contents; bytes copied. */
size_t xpt_elf__read(const struct xpt_elf *elf, uint64_t vaddr, void *buf, size_t n);
/* Addend of the R_*_RELATIVE relocation at vaddr; false if there is none. */
bool xpt_elf__relative(const struct xpt_elf *elf, uint64_t vaddr, uint64_t *ret_addend);
/* File offset of vaddr in an executable PT_LOAD; false if none. */
bool xpt_elf__offset(const struct xpt_elf *elf, uint64_t vaddr, uint64_t *ret_offset);
/* Address of a file offset in an executable PT_LOAD; false if none. */
bool xpt_elf__vaddr(const struct xpt_elf *elf, uint64_t offset, uint64_t *ret_vaddr);

#endif
