/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probe sites: where in a library the breakpoint of a function goes.
 *
 * The kernel emulates some instructions under a uprobe (push, nop, near jmp
 * and call) and single-steps the others, which costs a second trap. A site is
 * moved away from the symbol only where that is proven to see the same calls.
 * docs/probe-sites.md has the rules and the proof.
 */
#ifndef XPT_SITES_SITE_H
#define XPT_SITES_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "elf/insn_class.h"

struct xpt_elf;
struct xpt_sym;

enum xpt_site_move {
	XPT_MOVE_NONE,	/* at the symbol */
	XPT_MOVE_ENDBR,	/* behind endbr64 */
	XPT_MOVE_STUB,	/* at the implementation behind a forwarding stub */
};

struct xpt_site {
	uint64_t offset;	/* file offset of the breakpoint */
	uint64_t vaddr;		/* the same as an address of the ELF file */
	enum xpt_site_class cls;
	enum xpt_site_move move;
	uint64_t exit_offset;	/* STUB: file offset of the stub's own return path, 0 if none */
	uint64_t slot_vaddr;	/* STUB: address of the pointer the stub jumps through */
	uint64_t impl_vaddr;	/* STUB: what the slot names; vaddr, or endbr64 before it */
	const char *reason;	/* static text: why here */
};

/* "symbol", "endbr", "stub". */
const char *xpt_site_move_name(enum xpt_site_move move);

/*
 * The site for sym. move false: stay at the symbol, only classify. Never fails:
 * what cannot be proven stays at the symbol with the reason. The first call
 * that may move scans the file's code once for all its symbols.
 */
void xpt_elf__site(struct xpt_elf *elf, const struct xpt_sym *sym, bool move,
		   struct xpt_site *ret_site);

#endif
