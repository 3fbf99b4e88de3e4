// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The only file that knows Capstone. Turns its answer into struct xpt_insn.
 */
#include <capstone/capstone.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "elf/insn.h"

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

static bool is_slot(const cs_x86 *x)
{
	return is_rip_mem(&x->operands[0]) && x->operands[0].size == 8;
}

static enum xpt_insn_kind kind_of_jmp(const cs_x86 *x)
{
	if (x->op_count != 1)
		return XPT_INSN_JMP_OTHER;
	if (x->operands[0].type == X86_OP_IMM)
		return XPT_INSN_JMP;
	return is_slot(x) ? XPT_INSN_JMP_SLOT : XPT_INSN_JMP_OTHER;
}

static enum xpt_insn_kind kind_of_call(const cs_x86 *x)
{
	const cs_x86_op *op = &x->operands[0];

	if (x->op_count != 1 || op->type != X86_OP_MEM || op->mem.base != X86_REG_RIP)
		return XPT_INSN_CALL;
	return is_slot(x) ? XPT_INSN_CALL_SLOT : XPT_INSN_FAR;	/* of another segment, or width */
}

/* Every name of a general register, widest first. */
static const uint16_t reg_names[16][5] = {
	{ X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH },
	{ X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH },
	{ X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH },
	{ X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH },
	{ X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL },
	{ X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL },
	{ X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL },
	{ X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL },
	{ X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B },
	{ X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B },
	{ X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B },
	{ X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B },
	{ X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B },
	{ X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B },
	{ X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B },
	{ X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B },
};

/* The 64-bit register that reg is or is part of; reg itself if it is no general one. */
static unsigned whole_reg(unsigned reg)
{
	size_t i, k;

	for (i = 0; i < 16; i++)
		for (k = 0; k < 5; k++)
			if (reg && reg_names[i][k] == reg)
				return reg_names[i][0];
	return reg;
}

/* movzbl %sil,%esi and the like: the argument keeps the value of its type. */
static bool is_widen(const cs_x86 *x)
{
	const cs_x86_op *to = &x->operands[0], *from = &x->operands[1];

	return x->op_count == 2 && to->type == X86_OP_REG && from->type == X86_OP_REG &&
	       to->size >= 4 && from->size < to->size && whole_reg(to->reg) == whole_reg(from->reg) &&
	       whole_reg(to->reg) != X86_REG_RSP && from->reg != X86_REG_AH &&
	       from->reg != X86_REG_BH && from->reg != X86_REG_CH && from->reg != X86_REG_DH;
}

static enum xpt_insn_kind kind_of_mov(const cs_x86 *x)
{
	if (x->op_count != 2)
		return XPT_INSN_OTHER;
	if (x->operands[0].type == X86_OP_REG && x->operands[0].size == 8 &&
	    is_rip_mem(&x->operands[1]))
		return XPT_INSN_LOAD;
	return is_rip_mem(&x->operands[0]) ? XPT_INSN_STORE : XPT_INSN_OTHER;
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
	case X86_INS_CALL:
		return kind_of_call(x);
	case X86_INS_LCALL:
	case X86_INS_LJMP:
	case X86_INS_RETF:
	case X86_INS_RETFQ:
	case X86_INS_IRET:
	case X86_INS_IRETD:
	case X86_INS_IRETQ:
	case X86_INS_SYSRET:
	case X86_INS_SYSEXIT:
		return XPT_INSN_FAR;
	case X86_INS_RET:
		return XPT_INSN_RET;
	case X86_INS_UD2:
	case X86_INS_INT3:
	case X86_INS_HLT:
		return XPT_INSN_STOP;
	case X86_INS_MOV:
	case X86_INS_MOVABS:
		return is_set_result(insn->id, x) ? XPT_INSN_SET_RESULT : kind_of_mov(x);
	case X86_INS_XOR:
		return is_set_result(insn->id, x) ? XPT_INSN_SET_RESULT : XPT_INSN_OTHER;
	case X86_INS_MOVZX:
	case X86_INS_MOVSX:
	case X86_INS_MOVSXD:
		return is_widen(x) ? XPT_INSN_WIDEN : XPT_INSN_OTHER;
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

/* Finds the operands that are needed to follow a function's jumps. */
static void find_operands(const cs_insn *insn, struct xpt_insn *in)
{
	const cs_x86 *x = &insn->detail->x86;
	const cs_x86_op *op = &x->operands[0];

	if (insn->id == X86_INS_CMP && x->op_count == 2 && x->operands[1].type == X86_OP_IMM) {
		in->is_compare = true;
		in->value = (uint64_t)x->operands[1].imm;
	}
	if (in->kind == XPT_INSN_JMP_OTHER && x->op_count == 1 && op->type == X86_OP_MEM &&
	    op->mem.base == X86_REG_INVALID && op->mem.index != X86_REG_INVALID &&
	    op->mem.scale == 8 && op->mem.segment == X86_REG_INVALID)
		in->table = (uint64_t)op->mem.disp;
	if (in->kind == XPT_INSN_JCC)
		in->cond = (x->opcode[0] & 0xf0) == 0x70 ? x->opcode[0] & 0x0f :
			   x->opcode[0] == 0x0f && (x->opcode[1] & 0xf0) == 0x80 ?
			   x->opcode[1] & 0x0f : 16;
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
	find_operands(dec->insn, &in);
	if (in.kind == XPT_INSN_LOAD)
		in.reg = whole_reg(dec->insn->detail->x86.operands[0].reg);
	*ret_insn = in;
	return true;
}

/* Instructions that only compute; others are not looked into. */
static bool only_computes(unsigned id)
{
	switch (id) {
	case X86_INS_NOP: case X86_INS_MOV: case X86_INS_MOVABS: case X86_INS_MOVZX: case X86_INS_MOVSX:
	case X86_INS_MOVSXD: case X86_INS_LEA: case X86_INS_CMP: case X86_INS_TEST: case X86_INS_XOR:
	case X86_INS_AND: case X86_INS_OR: case X86_INS_ADD: case X86_INS_SUB: case X86_INS_SHL:
	case X86_INS_SHR: case X86_INS_SAR: case X86_INS_PXOR: case X86_INS_XORPS:
		return true;
	default:
		return false;
	}
}

/* The registers of the first six arguments, and the stack pointer (System V ABI, AMD64, 3.2.3). */
static bool holds_argument(unsigned reg)
{
	switch (whole_reg(reg)) {
	case X86_REG_RDI: case X86_REG_RSI: case X86_REG_RDX: case X86_REG_RCX: case X86_REG_R8:
	case X86_REG_R9: case X86_REG_RSP:
		return true;
	default:
		return false;
	}
}

static bool keeps_operands(unsigned id, const cs_x86 *x)
{
	for (unsigned i = 0; i < x->op_count; i++) {
		const cs_x86_op *op = &x->operands[i];

		if (op->type == X86_OP_MEM && id != X86_INS_LEA && id != X86_INS_NOP &&
		    (op->access & CS_AC_WRITE || !is_rip_mem(op)))
			return false;
		if (op->type == X86_OP_REG && (op->access & CS_AC_WRITE || !op->access) && holds_argument(op->reg) &&
		    !is_widen(x) && id != X86_INS_CMP && id != X86_INS_TEST)
			return false;
	}
	return true;
}

bool xpt_decoder__keeps_arguments(struct xpt_decoder *dec, const void *code, size_t n, size_t *ret_len)
{
	struct xpt_insn in;

	if (!xpt_decoder__next(dec, code, n, 0, &in))
		return false;
	*ret_len = in.len;
	if (in.kind == XPT_INSN_ENDBR || in.kind == XPT_INSN_NOP)
		return true;
	return only_computes(dec->insn->id) && keeps_operands(dec->insn->id, &dec->insn->detail->x86);
}

bool xpt_insn__leaves(enum xpt_insn_kind kind)
{
	switch (kind) {
	case XPT_INSN_JMP: case XPT_INSN_JMP_SLOT: case XPT_INSN_JMP_OTHER: case XPT_INSN_RET:
	case XPT_INSN_STOP: case XPT_INSN_CALL: case XPT_INSN_CALL_SLOT: case XPT_INSN_FAR:
		return true;
	default:
		return false;
	}
}

bool xpt_insn__is_push(const void *code, size_t len)
{
	const uint8_t *p = code;

	if (len == 2 && (p[0] & 0xf0) == 0x40)		/* REX */
		p++, len--;
	return len == 1 && (p[0] & 0xf8) == 0x50;
}

static bool has_reg(const cs_regs regs, uint8_t n, unsigned reg)
{
	uint8_t i;

	for (i = 0; i < n; i++)
		if (whole_reg(regs[i]) == reg)
			return true;
	return false;
}

/* mov %reg,memory, where the register is not part of the address. */
static bool is_plain_store(const cs_insn *insn, unsigned reg)
{
	const cs_x86 *x = &insn->detail->x86;

	return insn->id == X86_INS_MOV && x->op_count == 2 &&
	       x->operands[0].type == X86_OP_MEM && x->operands[1].type == X86_OP_REG &&
	       x->operands[1].reg == reg && whole_reg(x->operands[0].mem.base) != reg &&
	       whole_reg(x->operands[0].mem.index) != reg;
}

enum xpt_reg_use xpt_decoder__use(struct xpt_decoder *dec, const void *code, size_t n,
				  unsigned reg, size_t *ret_len)
{
	cs_insn *insn = dec->insn;
	const uint8_t *p = code;
	uint8_t nr_read = 0, nr_written = 0;
	cs_regs read, written;
	uint64_t at = 0;

	if (!cs_disasm_iter(dec->cs, &p, &n, &at, insn) || !insn->size ||
	    cs_regs_access(dec->cs, insn, read, &nr_read, written, &nr_written) != 0)
		return XPT_REG_USED;
	*ret_len = insn->size;
	if (is_plain_store(insn, reg))
		return XPT_REG_STORED;
	if (has_reg(read, nr_read, reg) || cs_insn_group(dec->cs, insn, X86_GRP_JUMP) ||
	    cs_insn_group(dec->cs, insn, X86_GRP_CALL) ||
	    cs_insn_group(dec->cs, insn, X86_GRP_RET) || cs_insn_group(dec->cs, insn, X86_GRP_INT))
		return XPT_REG_USED;
	if (!has_reg(written, nr_written, reg))
		return XPT_REG_UNUSED;
	/* Only a plain mov surely replaces all of it. */
	return insn->id == X86_INS_MOV && insn->detail->x86.operands[0].size >= 4 ?
	       XPT_REG_OVERWRITTEN : XPT_REG_USED;
}
