/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's handling of the instruction under a uprobe: some instructions it
 * emulates, others it single-steps, which costs a second trap, and some it refuses or
 * executes wrongly.
 */
#ifndef XPT_ELF_INSN_CLASS_H
#define XPT_ELF_INSN_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpt_decoder;

enum xpt_site_class {
	XPT_SITE_NOP5,	/* 5-byte nop: optimised to a call on kernel 6.18+ */
	XPT_SITE_EMULATED,	/* one trap */
	XPT_SITE_SINGLE_STEP,	/* two traps */
	XPT_SITE_UNKNOWN,	/* not x86-64, or bytes that do not decode */
	XPT_SITE_UNSAFE,	/* do not probe: the kernel refuses it, or executes it wrongly */
};

/* Returns the cost of a call that is traced there, ns, on the machine of docs/overhead.md; 0: no probe. */
unsigned xpt_site_class_ns(enum xpt_site_class cls);
/* "nop5", "emulated", "single-step", "unknown", "unsafe". */
const char *xpt_site_class_name(enum xpt_site_class cls);

/* The class of the instruction in the n bytes that begin at code (15 are enough). */
enum xpt_site_class xpt_site__classify(const void *code, size_t n);
/* The same with a decoder that exists; of instructions that it alone can measure. */
enum xpt_site_class xpt_decoder__classify(struct xpt_decoder *dec, const void *code, size_t n);

#endif
