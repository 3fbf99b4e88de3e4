/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Arguments of functions by name, and members of the structs that they point to, as
 * the debug information of a program has them.
 */
#ifndef XPT_ELF_DWARF_DWARF_ARGS_H
#define XPT_ELF_DWARF_DWARF_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hooks/hook.h"

#define XPT_DWARF_FNS 256	/* functions of a hook that are described */
#define XPT_DWARF_SYM 128
#define XPT_DWARF_WHY 96

struct xpt_dwarf_fn {
	char sym[XPT_DWARF_SYM];
	char name[XPT_MAX_VALS][XPT_CAP_NAME];	/* of parameters that are plain words */
	uint8_t word[XPT_MAX_VALS], width[XPT_MAX_VALS];
	uint8_t nr;
	uint8_t has_way[XPT_MAX_VALS];	/* by the hook's captures: */
	struct xpt_hook_way way[XPT_MAX_VALS];
	char why[XPT_MAX_VALS][XPT_DWARF_WHY];	/* there is none */
};

/*
 * Functions of a file that the hook's name matches, if it names arguments; *ret_v, NULL before, is to be freed.
 * Returns 0; -ENOENT: none; else not all of them could be read (xpt_dwarf_child__unread()), and *ret_v has
 * those that were.
 */
int xpt_dwarf__read(const char *path, const struct xpt_hook *h, struct xpt_dwarf_fn **ret_v, size_t *ret_n);
/* The one of that name, or NULL. */
const struct xpt_dwarf_fn *xpt_dwarf__find(const struct xpt_dwarf_fn *v, size_t n, const char *sym);

/* Makes the texts in a result of the sandboxed child printable, and returns whether the result can be used. */
bool xpt_dwarf__good(struct xpt_dwarf_fn *f);

/* Makes captures of the parameters that are in the first `words` argument words. */
void xpt_dwarf__known(const struct xpt_dwarf_fn *f, unsigned words, struct xpt_captures *ret_known);

struct xpt_dwarf_types {
	const struct xpt_dwarf_fn *fn;
	const struct xpt_hook *h;
};

/* The callback `way` of struct xpt_hook_place; ctx: struct xpt_dwarf_types. */
int xpt_dwarf__way(void *ctx, const struct xpt_hook_cap *c, struct xpt_hook_way *ret_way,
		   struct xpt_hook_error *ret_err);

#endif
