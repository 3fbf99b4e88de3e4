/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The code of one function, reduced to the instructions that the analysis looks at: moves between registers, the
 * stack and memory, calls and jumps. All other instructions are only known by the registers that they write.
 */
#ifndef XPT_RDMA_GRAPH_CODE_H
#define XPT_RDMA_GRAPH_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	XPT_REG_RAX, XPT_REG_RBX, XPT_REG_RCX, XPT_REG_RDX, XPT_REG_RSI, XPT_REG_RDI, XPT_REG_RBP,
	XPT_REG_RSP, XPT_REG_R8, XPT_REG_R9, XPT_REG_R10, XPT_REG_R11, XPT_REG_R12, XPT_REG_R13,
	XPT_REG_R14, XPT_REG_R15, XPT_NR_REGS,
	XPT_REG_NONE = 0xff,
};

enum xpt_code_op {
	XPT_CODE_OTHER,		/* writes the registers in clobbers */
	XPT_CODE_MOVE,		/* dst = src */
	XPT_CODE_MOVE32,	/* the same with the low 32 bits */
	XPT_CODE_EXTEND,	/* the same, with the sign of these in all above */
	XPT_CODE_MAYBE,		/* dst = src, or it stays as it was */
	XPT_CODE_LOAD,		/* dst = 8 bytes at disp(src) */
	XPT_CODE_STORE,		/* 8 bytes at disp(dst) = src */
	XPT_CODE_ADD,		/* dst = src + disp */
	XPT_CODE_PUSH, XPT_CODE_POP,	/* src; dst */
	XPT_CODE_CALL, XPT_CODE_JUMP,	/* to target: an offset in the section, or as in rel */
	XPT_CODE_BRANCH,		/* conditional jump */
	XPT_CODE_CALL_REG, XPT_CODE_JUMP_REG,	/* src holds the address */
	XPT_CODE_CALL_MEM, XPT_CODE_JUMP_MEM,	/* the address is at disp(src) */
	XPT_CODE_RETURN,
};

struct xpt_code_insn {
	uint32_t offset;	/* in the section */
	uint8_t len, op, dst, src;
	int32_t disp;
	uint64_t target;
	uint16_t clobbers, reads;	/* bit masks of registers */
	int16_t errno_;		/* negative errno that it may produce, or 0 */
};

struct xpt_code;	/* a decoder */

int xpt_code__new(struct xpt_code **ret_code);	/* -ENOMEM */
void xpt_code__free(struct xpt_code *code);	/* NULL is fine */
/*
 * Decodes the n bytes of a function that starts at offset of its section. The
 * result lives until the next call. Bytes that are no instruction end it.
 */
int xpt_code__read(struct xpt_code *code, const uint8_t *bytes, size_t n, uint32_t offset,
		   const struct xpt_code_insn **ret_insns, uint32_t *ret_nr);

#endif
