/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A kernel module's file (.ko): sections, symbols and relocations of a
 * relocatable x86-64 ELF object, held in memory. Everything handed out lies
 * inside the file and was checked when it was read; hostile files give errors.
 */
#ifndef XPT_ELF_KERNEL_MODULE_H
#define XPT_ELF_KERNEL_MODULE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpt_module;

struct xpt_mod_sec {
	const char *name;
	const uint8_t *data;	/* NULL: takes no space in the file */
	uint64_t size, flags;	/* bytes; SHF_* */
	uint32_t first_rel, nr_rels;	/* sorted by offset */
};

struct xpt_mod_sym {
	const char *name;	/* "" if it has none */
	uint64_t value, size;	/* in its section; value + size may lie beyond its end */
	uint32_t sec;		/* 0: undefined, or absolute */
	uint8_t type, bind;	/* STT_*, STB_* */
};

struct xpt_mod_rel {
	uint64_t offset;	/* in the section that it changes */
	int64_t addend;
	uint32_t type, sym;	/* R_X86_64_*; index of a symbol */
};

/*
 * Reads a .ko, .ko.xz, .ko.zst or .ko.gz, of max bytes when unpacked; fd stays the caller's. Errors of
 * xpt_unpack__fd(); -ENOEXEC no relocatable x86-64 object, or damaged; -E2BIG more sections, symbols or relocations
 * than any module has.
 */
int xpt_module__open(int fd, size_t max, struct xpt_module **ret_mod);
uint64_t xpt_module__size(const struct xpt_module *m);	/* bytes that it takes, unpacked */
/* The same for n bytes from malloc(), which are taken over, also on failure.
 * any_type: linked files (vmlinux) too. */
int xpt_module__parse(void *data, size_t n, bool any_type, struct xpt_module **ret_mod);
void xpt_module__close(struct xpt_module *mod);	/* NULL is fine */
const struct xpt_mod_sec *xpt_module__secs(const struct xpt_module *mod, uint32_t *ret_nr);
const struct xpt_mod_sym *xpt_module__syms(const struct xpt_module *mod, uint32_t *ret_nr);
const struct xpt_mod_rel *xpt_module__rels(const struct xpt_module *mod, uint32_t *ret_nr);
/* The first section of that name, or NULL. */
const struct xpt_mod_sec *xpt_module__sec(const struct xpt_module *mod, const char *name);
/* The first relocation of the section at or after offset; NULL: none. */
const struct xpt_mod_rel *xpt_module__rel_from(const struct xpt_module *mod,
					       const struct xpt_mod_sec *sec, uint64_t offset);
const char *xpt_module__build_id(const struct xpt_module *mod);	/* hex or "" */
/* The value of a key of .modinfo ("version", "vermagic"), NULL without. */
const char *xpt_module__info(const struct xpt_module *mod, const char *key);

#endif
