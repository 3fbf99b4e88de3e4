// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The only file that knows Capstone. Turns its answer into struct xpt_insn.
 */
#include <capstone/capstone.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "engine/decode.h"

struct xpt_decoder {
	csh cs;
	cs_insn *insn;
};

int xpt_decoder__new(struct xpt_decoder **ret_dec)
{
	struct xpt_decoder *dec = calloc(1, sizeof(*dec));

	if (!dec)
		return -ENOMEM;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &dec->cs) != CS_ERR_OK) {
		free(dec);
		return -ENOTSUP;
	}
	cs_option(dec->cs, CS_OPT_DETAIL, CS_OPT_ON);
	dec->insn = cs_malloc(dec->cs);
	if (!dec->insn) {
		xpt_decoder__free(dec);
		return -ENOMEM;
	}
	*ret_dec = dec;
	return 0;
}

void xpt_decoder__free(struct xpt_decoder *dec)
{
	if (!dec)
		return;
	if (dec->insn)
		cs_free(dec->insn, 1);
	cs_close(&dec->cs);
	free(dec);
}

static bool is_rip_mem(const cs_x86_op *op)
{
	return op->type == X86_OP_MEM && op->mem.base == X86_REG_RIP &&
	       op->mem.index == X86_REG_INVALID &&
	       (op->mem.segment == X86_REG_INVALID || op->mem.segment == X86_REG_DS ||
		op->mem.segment == X86_REG_CS);
}

static bool is_result_reg(const cs_x86_op *op)
{
	return op->type == X86_OP_REG && (op->reg == X86_REG_EAX || op->reg == X86_REG_RAX);
}

static enum xpt_insn_kind kind_of_jmp(const cs_x86 *x)
{
	if (x->op_count != 1)
		return XPT_INSN_JMP_OTHER;
	if (x->operands[0].type == X86_OP_IMM)
		return XPT_INSN_JMP;
	return is_rip_mem(&x->operands[0]) && x->operands[0].size == 8 ? XPT_INSN_JMP_SLOT :
									 XPT_INSN_JMP_OTHER;
}

static bool is_cmp_flag(const cs_x86 *x)
{
	return x->op_count == 2 && ((is_rip_mem(&x->operands[0]) &&
				     x->operands[1].type == X86_OP_IMM) ||
				    (is_rip_mem(&x->operands[1]) &&
				     x->operands[0].type == X86_OP_IMM));
}

static bool is_set_result(unsigned id, const cs_x86 *x)
{
	if (x->op_count != 2 || !is_result_reg(&x->operands[0]))
		return false;
	if (id == X86_INS_MOV || id == X86_INS_MOVABS)
		return x->operands[1].type == X86_OP_IMM;
	return id == X86_INS_XOR && is_result_reg(&x->operands[1]);
}

static enum xpt_insn_kind kind_of(csh cs, const cs_insn *insn)
{
	const cs_x86 *x = &insn->detail->x86;

	switch (insn->id) {
	case X86_INS_NOP:
		return XPT_INSN_NOP;
	case X86_INS_CMP:
	case X86_INS_TEST:
		return is_cmp_flag(x) ? XPT_INSN_CMP_FLAG : XPT_INSN_OTHER;
	case X86_INS_JMP:
		return kind_of_jmp(x);
	case X86_INS_LJMP:
		return XPT_INSN_JMP_OTHER;
	case X86_INS_CALL:
	case X86_INS_LCALL:
		return XPT_INSN_CALL;
	case X86_INS_RET:
		return XPT_INSN_RET;
	case X86_INS_UD2:
	case X86_INS_INT3:
	case X86_INS_HLT:
		return XPT_INSN_STOP;
	case X86_INS_MOV:
	case X86_INS_MOVABS:
	case X86_INS_XOR:
		return is_set_result(insn->id, x) ? XPT_INSN_SET_RESULT : XPT_INSN_OTHER;
	default:
		return cs_insn_group(cs, insn, X86_GRP_JUMP) ? XPT_INSN_JCC : XPT_INSN_OTHER;
	}
}

static void find_target(const cs_insn *insn, struct xpt_insn *in)
{
	const cs_x86 *x = &insn->detail->x86;
	bool branch = in->kind == XPT_INSN_JMP || in->kind == XPT_INSN_JCC ||
		      in->kind == XPT_INSN_CALL;
	unsigned i;

	for (i = 0; i < x->op_count; i++) {
		const cs_x86_op *op = &x->operands[i];

		if (branch && op->type == X86_OP_IMM) {
			in->target = (uint64_t)op->imm;
			in->has_target = true;
		} else if (op->type == X86_OP_MEM && op->mem.base == X86_REG_RIP) {
			in->target = insn->address + insn->size + (uint64_t)op->mem.disp;
			in->has_target = true;
		}
	}
}

bool xpt_decoder__next(struct xpt_decoder *dec, const void *code, size_t n, uint64_t addr,
		       struct xpt_insn *ret_insn)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	struct xpt_insn in = { .addr = addr };
	const uint8_t *p = code;
	uint64_t at = addr;

	/* By its bytes: older disassemblers do not know it. */
	if (n >= sizeof(endbr64) && memcmp(code, endbr64, sizeof(endbr64)) == 0) {
		in.len = sizeof(endbr64);
		in.kind = XPT_INSN_ENDBR;
		*ret_insn = in;
		return true;
	}
	if (!cs_disasm_iter(dec->cs, &p, &n, &at, dec->insn) || !dec->insn->size ||
	    dec->insn->size > XPT_INSN_MAX)
		return false;
	in.len = (uint8_t)dec->insn->size;
	/* 66 90 is a nop, whatever name it has. */
	in.kind = in.len == 2 && memcmp(code, "\x66\x90", 2) == 0 ? XPT_INSN_NOP :
								     kind_of(dec->cs, dec->insn);
	find_target(dec->insn, &in);
	*ret_insn = in;
	return true;
}
