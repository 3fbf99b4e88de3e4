/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions of an ELF file by address, to put a name to a return address:
 * all of .symtab, local ones included, else those of the separate debug file
 * (by build id or .gnu_debuglink), else the exported ones. Names stay in the
 * file and are read when asked for, so that a library with a million functions
 * costs 16 MB for the time it is known.
 */
#ifndef XPT_ELF_ELF_FUNCS_H
#define XPT_ELF_ELF_FUNCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpt_elf_pause;
struct xpt_funcs;

/*
 * Takes ownership of fd, also on failure. root: the prefix of the absolute path
 * of a file as the process sees it ("/proc/12/root"); path: of this file, used
 * to look for its debug file. Errors as of xpt_elf__open; a file without any
 * symbols is no error. pause: as of xpt_elf__open_for(), for its debug file too.
 */
int xpt_funcs__open(int fd, const char *root, const char *path, const struct xpt_elf_pause *pause,
		    struct xpt_funcs **ret_f);
void xpt_funcs__close(struct xpt_funcs *f);	/* NULL is fine */
size_t xpt_funcs__count(const struct xpt_funcs *f);
/* Address in the file of a file offset in its code; false if there is none. */
bool xpt_funcs__vaddr(const struct xpt_funcs *f, uint64_t offset, uint64_t *ret_vaddr);
/*
 * The function that holds vaddr: its name as it is in the file (version cut
 * off), shortened to n - 1 bytes, and how far after its start vaddr lies. False if
 * none does: between two functions, or local in a file that was stripped.
 */
bool xpt_funcs__find(const struct xpt_funcs *f, uint64_t vaddr, char *buf, size_t n,
		     uint64_t *ret_off);

#endif
