/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probe sites: where in a library the breakpoint of a function goes.
 *
 * The kernel emulates some instructions under a uprobe (push, nop, near jmp
 * and call) and single-steps the others, which costs a second trap. A site is
 * moved away from the symbol only where that is proven to see the same calls.
 * docs/probe-sites.md has the rules and the proof.
 */
#ifndef XPT_ENGINE_SITE_H
#define XPT_ENGINE_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpt_elf;

enum xpt_site_class {
	XPT_SITE_NOP5,	/* 5-byte nop: optimised to a call on kernel 6.18+ */
	XPT_SITE_EMULATED,	/* one trap */
	XPT_SITE_SINGLE_STEP,	/* two traps */
	XPT_SITE_UNKNOWN,	/* not x86-64, or bytes that do not decode */
	XPT_SITE_UNSAFE,	/* do not probe: the kernel refuses it, or executes it wrongly */
};

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

/* "nop5", "emulated", "single-step", "unknown", "unsafe". */
/* What a call costs that is traced there, ns, on the machine of docs/overhead.md; 0: no probe. */
unsigned xpt_site_class_ns(enum xpt_site_class cls);
const char *xpt_site_class_name(enum xpt_site_class cls);
/* "symbol", "endbr", "stub". */
const char *xpt_site_move_name(enum xpt_site_move move);

/* The class of the instruction in the n bytes that begin at code (15 are enough). */
enum xpt_site_class xpt_site__classify(const void *code, size_t n);

#endif
