/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probe sites: where in a file the breakpoint of a function goes.
 *
 * The kernel emulates some instructions under a uprobe (push, nop, near jumps and
 * calls) and single-steps the others, which costs a second trap. If a function's first
 * instruction is single-stepped, the probe goes on the first emulated instruction of the
 * straight line that follows: every call of the function passes it, and the stack
 * pointer, the arguments and the return address are still those of the entry.
 * docs/probe-sites.md has the rules.
 */
#ifndef XPT_SITES_SITE_H
#define XPT_SITES_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "elf/insn_class.h"

struct xpt_elf;
struct xpt_sym;

struct xpt_site {
	uint64_t offset;	/* file offset of the breakpoint */
	uint64_t vaddr;		/* the same as an address of the ELF file */
	enum xpt_site_class cls;
	bool moved;		/* it is not at the symbol */
	uint64_t impl_vaddr;	/* of a forwarding stub (stub.h): the implementation, else 0 */
	uint64_t exit_vaddr;	/* of a forwarding stub: its own way out, 0 if none */
	const char *reason;	/* static text: why here */
};

/*
 * Finds the site for sym. With move false it stays at the symbol and is only classified.
 * Never fails: without a cheaper instruction it stays at the symbol, with the reason.
 */
void xpt_elf__site(struct xpt_elf *elf, const struct xpt_sym *sym, bool move,
		   struct xpt_site *ret_site);

#endif
