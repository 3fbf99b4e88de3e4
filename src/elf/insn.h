/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * x86-64 instructions, reduced to the needs of probe sites: the length, the
 * kind, and the address of the file that the instruction names. Hides the
 * disassembler.
 */
#ifndef XPT_ELF_INSN_H
#define XPT_ELF_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { XPT_INSN_MAX = 15 };	/* bytes of the longest instruction */

enum xpt_insn_kind {
	XPT_INSN_OTHER,
	XPT_INSN_NOP,
	XPT_INSN_ENDBR,
	XPT_INSN_CMP_FLAG,	/* cmp or test of a rip-relative word with a constant */
	XPT_INSN_SET_RESULT,	/* eax or rax becomes a constant */
	XPT_INSN_WIDEN,		/* a register's low part zero- or sign-extended into itself */
	XPT_INSN_LOAD,		/* mov of a rip-relative 8-byte word to a register */
	XPT_INSN_STORE,		/* mov of a register or constant to a rip-relative word */
	XPT_INSN_JMP,		/* direct */
	XPT_INSN_JCC,
	XPT_INSN_CALL,		/* direct, if it has a target, or not */
	XPT_INSN_CALL_SLOT,	/* through a rip-relative 8-byte word */
	XPT_INSN_JMP_SLOT,	/* through a rip-relative 8-byte word */
	XPT_INSN_JMP_OTHER,	/* indirect in another way */
	XPT_INSN_RET,
	XPT_INSN_FAR,		/* to another segment: far jumps, calls and returns, interrupts' returns */
	XPT_INSN_STOP,		/* ud2, int3, hlt */
};

struct xpt_insn {
	uint64_t addr;
	uint8_t len;
	enum xpt_insn_kind kind;
	bool has_target;
	uint64_t target;	/* of a direct branch, or of a rip-relative operand */
	unsigned reg;		/* LOAD: the register, for xpt_decoder__use */
	bool is_compare;	/* cmp of something with a constant, which is in value */
	uint64_t value;
	uint64_t table;		/* JMP_OTHER: jmp *table(,%reg,8), else 0 */
	uint8_t cond;		/* JCC: its condition, the low four bits of the opcode; 16: another */
};

enum xpt_reg_use {
	XPT_REG_UNUSED,
	XPT_REG_STORED,		/* copied to memory, nothing else */
	XPT_REG_OVERWRITTEN,	/* not read, and its value is gone */
	XPT_REG_USED,		/* anything else, or control goes elsewhere */
};

struct xpt_decoder;

int xpt_decoder__new(struct xpt_decoder **ret_dec);	/* -ENOTSUP, -ENOMEM */
void xpt_decoder__free(struct xpt_decoder *dec);	/* NULL is fine */
/* The instruction at the beginning of the n bytes of code, which lie at addr. */
bool xpt_decoder__next(struct xpt_decoder *dec, const void *code, size_t n, uint64_t addr,
		       struct xpt_insn *ret_insn);
/* Returns how the instruction at the beginning of code uses a 64-bit register. */
enum xpt_reg_use xpt_decoder__use(struct xpt_decoder *dec, const void *code, size_t n,
				  unsigned reg, size_t *ret_len);
/*
 * Whether the instruction at the beginning of code leaves the arguments of a call as they
 * are: control goes on after it, it cannot fault on an argument, and it writes neither
 * memory nor the stack pointer nor a register that holds an argument (to extend one into
 * itself is allowed). *ret_len: its length.
 */
bool xpt_decoder__keeps_arguments(struct xpt_decoder *dec, const void *code, size_t n, size_t *ret_len);
/* Whether nothing after an instruction of that kind runs; a call at a function's end does not return. */
bool xpt_insn__leaves(enum xpt_insn_kind kind);
/* Whether the instruction of len bytes is a push of a 64-bit register. */
bool xpt_insn__is_push(const void *code, size_t len);
/* Length of an instruction, fast; 0: not known, or not all in the n bytes. */
size_t xpt_insn__length(const void *code, size_t n);

#endif
