/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * x86-64 instructions, reduced to what probe sites ask: how long, what kind,
 * and which address of the file the instruction names. Hides the disassembler.
 */
#ifndef XPT_ENGINE_DECODE_H
#define XPT_ENGINE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/site.h"

enum { XPT_INSN_MAX = 15 };	/* bytes of the longest instruction */

enum xpt_insn_kind {
	XPT_INSN_OTHER,
	XPT_INSN_NOP,
	XPT_INSN_ENDBR,
	XPT_INSN_CMP_FLAG,	/* cmp or test of a rip-relative word with a constant */
	XPT_INSN_SET_RESULT,	/* eax or rax becomes a constant */
	XPT_INSN_JMP,		/* direct */
	XPT_INSN_JCC,
	XPT_INSN_CALL,		/* direct or not */
	XPT_INSN_JMP_SLOT,	/* through a rip-relative 8-byte word */
	XPT_INSN_JMP_OTHER,	/* indirect in another way */
	XPT_INSN_RET,
	XPT_INSN_STOP,		/* ud2, int3, hlt */
};

struct xpt_insn {
	uint64_t addr;
	uint8_t len;
	enum xpt_insn_kind kind;
	bool has_target;
	uint64_t target;	/* of a direct branch, or of a rip-relative operand */
};

struct xpt_decoder;

int xpt_decoder__new(struct xpt_decoder **ret_dec);	/* -ENOTSUP, -ENOMEM */
void xpt_decoder__free(struct xpt_decoder *dec);	/* NULL is fine */
/* The instruction at the beginning of the n bytes of code, which lie at addr. */
bool xpt_decoder__next(struct xpt_decoder *dec, const void *code, size_t n, uint64_t addr,
		       struct xpt_insn *ret_insn);
/* As xpt_site__classify with a decoder that exists. */
enum xpt_site_class xpt_decoder__classify(struct xpt_decoder *dec, const void *code, size_t n);

#endif
