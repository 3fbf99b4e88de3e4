// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See code.h. capstone decodes; an instruction with its operands becomes one of a dozen operations. Moves of 32
 * bits carry no pointer; between registers they are kept all the same, because a long becomes an int there.
 */
#include <capstone/capstone.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rdma/graph/code.h"

/* Immediates that can be an errno, and no mask of an alignment. */
enum { ERRNO_MIN = -140, ERRNO_MAX = -2, MAX_FUNCTION = 1 << 20 };

struct xpt_code {
	csh cs;
	cs_insn *insn;
	struct xpt_code_insn *out;
	uint32_t cap;
	uint8_t reg[X86_REG_ENDING];	/* capstone's number: ours */
};

#define FAMILY(r, q, d, w, b) \
	do { c->reg[X86_REG_##q] = c->reg[X86_REG_##d] = c->reg[X86_REG_##w] = \
	     c->reg[X86_REG_##b] = XPT_REG_##r; } while (0)

static void fill_registers(struct xpt_code *c)
{
	int i;

	for (i = 0; i < X86_REG_ENDING; i++)
		c->reg[i] = XPT_REG_NONE;
	FAMILY(RAX, RAX, EAX, AX, AL);
	FAMILY(RBX, RBX, EBX, BX, BL);
	FAMILY(RCX, RCX, ECX, CX, CL);
	FAMILY(RDX, RDX, EDX, DX, DL);
	FAMILY(RSI, RSI, ESI, SI, SIL);
	FAMILY(RDI, RDI, EDI, DI, DIL);
	FAMILY(RBP, RBP, EBP, BP, BPL);
	FAMILY(RSP, RSP, ESP, SP, SPL);
	FAMILY(R8, R8, R8D, R8W, R8B);
	FAMILY(R9, R9, R9D, R9W, R9B);
	FAMILY(R10, R10, R10D, R10W, R10B);
	FAMILY(R11, R11, R11D, R11W, R11B);
	FAMILY(R12, R12, R12D, R12W, R12B);
	FAMILY(R13, R13, R13D, R13W, R13B);
	FAMILY(R14, R14, R14D, R14W, R14B);
	FAMILY(R15, R15, R15D, R15W, R15B);
	c->reg[X86_REG_AH] = XPT_REG_RAX;
	c->reg[X86_REG_BH] = XPT_REG_RBX;
	c->reg[X86_REG_CH] = XPT_REG_RCX;
	c->reg[X86_REG_DH] = XPT_REG_RDX;
}

int xpt_code__new(struct xpt_code **ret_code)
{
	struct xpt_code *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &c->cs)) {
		free(c);
		return -ENOMEM;
	}
	cs_option(c->cs, CS_OPT_DETAIL, CS_OPT_ON);
	c->insn = cs_malloc(c->cs);
	if (!c->insn) {
		xpt_code__free(c);
		return -ENOMEM;
	}
	fill_registers(c);
	*ret_code = c;
	return 0;
}

void xpt_code__free(struct xpt_code *c)
{
	if (!c)
		return;
	if (c->insn)
		cs_free(c->insn, 1);
	cs_close(&c->cs);
	free(c->out);
	free(c);
}

static uint8_t reg_of(const struct xpt_code *c, const cs_x86_op *op)
{
	return op->type == X86_OP_REG ? c->reg[op->reg] : XPT_REG_NONE;
}

/* disp(base) without index or segment. */
static bool plain_memory(const struct xpt_code *c, const cs_x86_op *op)
{
	return op->type == X86_OP_MEM && op->mem.segment == X86_REG_INVALID &&
	       op->mem.index == X86_REG_INVALID && c->reg[op->mem.base] != XPT_REG_NONE &&
	       op->mem.disp == (int32_t)op->mem.disp;
}

static uint16_t mask_of(const struct xpt_code *c, const cs_regs regs, uint8_t nr)
{
	uint16_t mask = 0;
	uint8_t i;

	for (i = 0; i < nr; i++)
		if (c->reg[regs[i]] != XPT_REG_NONE)
			mask |= (uint16_t)(1u << c->reg[regs[i]]);
	return mask;
}

/* "xor eax,eax" sets a register, whatever was in it. */
static bool is_clearing(const struct xpt_code *c)
{
	const cs_x86 *x = &c->insn->detail->x86;

	return (c->insn->id == X86_INS_XOR || c->insn->id == X86_INS_SUB) && x->op_count == 2 &&
	       x->operands[0].type == X86_OP_REG && x->operands[1].type == X86_OP_REG &&
	       x->operands[0].reg == x->operands[1].reg;
}

/* Which registers an instruction reads and writes; if it is not known: all of them. */
static void read_access(const struct xpt_code *c, struct xpt_code_insn *o)
{
	cs_regs read, write;
	uint8_t nr_read = 0, nr_write = 0;

	o->clobbers = o->reads = 0xffff;
	if (cs_regs_access(c->cs, c->insn, read, &nr_read, write, &nr_write))
		return;
	o->clobbers = mask_of(c, write, nr_write);
	o->reads = is_clearing(c) ? 0 : mask_of(c, read, nr_read);
}

static bool power_of_two(int64_t v)
{
	return v > 0 && !(v & (v - 1));
}

/*
 * mov, or, and take errnos as immediates, lea as displacements where it adds two
 * registers (with one it compares ranges); `and` with a power of two aligns.
 */
static int16_t errno_of(const struct xpt_code *c)
{
	const cs_x86 *x = &c->insn->detail->x86;
	const cs_x86_op *op = &x->operands[1];
	int64_t v;

	if (x->op_count != 2 || x->operands[0].size < 4)
		return 0;
	if (c->insn->id == X86_INS_LEA && op->type == X86_OP_MEM && x->operands[0].size == 4 &&
	    op->mem.index != X86_REG_INVALID)
		v = op->mem.disp;
	else if (op->type == X86_OP_IMM && (c->insn->id == X86_INS_MOV ||
		 c->insn->id == X86_INS_MOVABS || c->insn->id == X86_INS_OR ||
		 c->insn->id == X86_INS_AND))
		v = x->operands[0].size == 4 ? (int32_t)op->imm : op->imm;
	else
		return 0;
	if (c->insn->id == X86_INS_AND && power_of_two(-v))
		return 0;
	return v >= ERRNO_MIN && v <= ERRNO_MAX ? (int16_t)v : 0;
}

static void read_move(const struct xpt_code *c, struct xpt_code_insn *o)
{
	const cs_x86_op *to = &c->insn->detail->x86.operands[0];
	const cs_x86_op *from = &c->insn->detail->x86.operands[1];

	if (to->size == 4 && to->type == X86_OP_REG && from->type == X86_OP_REG) {
		o->op = XPT_CODE_MOVE32;
		o->dst = reg_of(c, to);
		o->src = reg_of(c, from);
	}
	if (to->size != 8)
		return;
	if (to->type == X86_OP_REG && from->type == X86_OP_REG) {
		o->op = XPT_CODE_MOVE;
	} else if (to->type == X86_OP_REG && plain_memory(c, from)) {
		o->op = XPT_CODE_LOAD;
		o->disp = (int32_t)from->mem.disp;
		o->src = c->reg[from->mem.base];
		o->dst = reg_of(c, to);
		return;
	} else if (plain_memory(c, to)) {
		o->op = XPT_CODE_STORE;
		o->disp = (int32_t)to->mem.disp;
		o->dst = c->reg[to->mem.base];
		o->src = reg_of(c, from);
		return;
	}
	o->dst = reg_of(c, to);
	o->src = reg_of(c, from);
}

/* A register's low half, as a signed number, becomes all of one: an int that is returned as a long or a pointer. */
static void read_extension(const struct xpt_code *c, struct xpt_code_insn *o)
{
	const cs_x86 *x = &c->insn->detail->x86;

	if (c->insn->id == X86_INS_CDQE) {
		o->op = XPT_CODE_EXTEND;
		o->dst = o->src = XPT_REG_RAX;
	} else if (x->op_count == 2 && x->operands[0].size == 8 && x->operands[1].type == X86_OP_REG) {
		o->op = XPT_CODE_EXTEND;
		o->dst = reg_of(c, &x->operands[0]);
		o->src = reg_of(c, &x->operands[1]);
	}
}

static void read_add(const struct xpt_code *c, struct xpt_code_insn *o)
{
	const cs_x86 *x = &c->insn->detail->x86;
	const cs_x86_op *by = &x->operands[1];
	int64_t v = by->imm;

	if (x->op_count != 2 || x->operands[0].type != X86_OP_REG || x->operands[0].size != 8)
		return;
	if (c->insn->id == X86_INS_LEA && plain_memory(c, by)) {
		o->op = XPT_CODE_ADD;
		o->src = c->reg[by->mem.base];
		o->disp = (int32_t)by->mem.disp;
	} else if (c->insn->id != X86_INS_LEA && by->type == X86_OP_IMM && v > INT32_MIN &&
		   v <= INT32_MAX) {
		o->op = XPT_CODE_ADD;
		o->src = reg_of(c, &x->operands[0]);
		o->disp = (int32_t)(c->insn->id == X86_INS_SUB ? -v : v);
	}
	o->dst = reg_of(c, &x->operands[0]);
}

static void read_transfer(const struct xpt_code *c, bool call, struct xpt_code_insn *o)
{
	const cs_x86_op *op = &c->insn->detail->x86.operands[0];

	if (op->type == X86_OP_IMM) {
		o->op = call ? XPT_CODE_CALL : XPT_CODE_JUMP;
		o->target = (uint64_t)op->imm;
	} else if (op->type == X86_OP_REG) {
		o->op = call ? XPT_CODE_CALL_REG : XPT_CODE_JUMP_REG;
		o->src = reg_of(c, op);
	} else {
		o->op = call ? XPT_CODE_CALL_MEM : XPT_CODE_JUMP_MEM;
		o->src = plain_memory(c, op) ? c->reg[op->mem.base] : XPT_REG_NONE;
		o->disp = (int32_t)op->mem.disp;
	}
}

static void reduce_insn(const struct xpt_code *c, struct xpt_code_insn *o)
{
	*o = (struct xpt_code_insn){ .offset = (uint32_t)c->insn->address,
				     .len = (uint8_t)c->insn->size, .dst = XPT_REG_NONE,
				     .src = XPT_REG_NONE };
	read_access(c, o);
	o->errno_ = errno_of(c);
	if (cs_insn_group(c->cs, c->insn, CS_GRP_CALL))
		read_transfer(c, true, o);
	else if (cs_insn_group(c->cs, c->insn, CS_GRP_RET))
		o->op = XPT_CODE_RETURN;
	else if (c->insn->id == X86_INS_JMP)
		read_transfer(c, false, o);
	else if (cs_insn_group(c->cs, c->insn, CS_GRP_JUMP)) {
		read_transfer(c, false, o);
		o->op = XPT_CODE_BRANCH;
	} else if (!strncmp(c->insn->mnemonic, "cmov", 4)) {
		o->op = XPT_CODE_MAYBE;
		o->dst = reg_of(c, &c->insn->detail->x86.operands[0]);
		o->src = reg_of(c, &c->insn->detail->x86.operands[1]);
	} else if (c->insn->id == X86_INS_MOVSXD || c->insn->id == X86_INS_CDQE) {
		read_extension(c, o);
	} else if (c->insn->id == X86_INS_MOV) {
		read_move(c, o);
	} else if (c->insn->id == X86_INS_LEA || c->insn->id == X86_INS_ADD ||
		   c->insn->id == X86_INS_SUB) {
		read_add(c, o);
	} else if (c->insn->id == X86_INS_PUSH) {
		o->op = XPT_CODE_PUSH;
		o->src = reg_of(c, &c->insn->detail->x86.operands[0]);
	} else if (c->insn->id == X86_INS_POP) {
		o->op = XPT_CODE_POP;
		o->dst = reg_of(c, &c->insn->detail->x86.operands[0]);
	}
}

int xpt_code__read(struct xpt_code *c, const uint8_t *bytes, size_t n, uint32_t offset,
		   const struct xpt_code_insn **ret_insns, uint32_t *ret_nr)
{
	uint64_t address = offset;
	uint32_t nr = 0;

	if (n > MAX_FUNCTION)
		n = MAX_FUNCTION;
	while (n && cs_disasm_iter(c->cs, &bytes, &n, &address, c->insn)) {
		if (nr == c->cap) {
			uint32_t cap = c->cap ? c->cap * 2 : 1024;
			void *p = realloc(c->out, cap * sizeof(*c->out));

			if (!p)
				return -ENOMEM;
			c->out = p;
			c->cap = cap;
		}
		reduce_insn(c, &c->out[nr++]);
	}
	*ret_insns = c->out;
	*ret_nr = nr;
	return 0;
}
