/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values of registers at the indirect calls of a function: which member of which struct the called pointer was
 * loaded from. Types come in by the function's arguments and the results of the functions that it calls, and travel
 * through moves, the stack and members of structs.
 */
#ifndef XPT_RDMA_GRAPH_FLOW_H
#define XPT_RDMA_GRAPH_FLOW_H

#include "rdma/graph/code.h"
#include "rdma/graph/types.h"

enum xpt_value_kind {
	XPT_VALUE_TOP,		/* not reached yet */
	XPT_VALUE_NONE,		/* anything */
	XPT_VALUE_PTR,		/* to byte off of struct id */
	XPT_VALUE_FN,		/* the function pointer at byte off of struct id */
	XPT_VALUE_LOADED,	/* 8 bytes at byte off of something unknown; id 1: of memory that an
				 * unknown pointer's first 8 bytes point to */
	XPT_VALUE_LONG,		/* the 64-bit result of function id; off 1: its low half, extended */
	XPT_VALUE_CALLBACK,	/* a function pointer of prototype id, which the caller gave */
};

struct xpt_value {
	uint8_t kind;
	uint32_t id;
	int32_t off;
};

enum xpt_transfer {
	XPT_NO_TRANSFER, XPT_TO_SELF,	/* not outside: a jump within the function */
	XPT_TO_NOTHING,		/* __fentry__ and the like: changes no register */
	XPT_TO_FUNCTION, XPT_TO_POINTER,	/* direct; indirect: reg, or memory */
	XPT_TO_CALLER,		/* returns */
};

/* Where an instruction goes, by the relocation there. */
struct xpt_flow_call {
	uint8_t to;		/* enum xpt_transfer */
	uint8_t reg;		/* XPT_TO_POINTER: holds the address; XPT_REG_NONE: it is in memory */
	uint32_t fn;		/* XPT_TO_FUNCTION: for the caller's use, handed back in on_narrow */
	bool returns_long;
	uint32_t ret_struct;	/* the struct that the result points to; 0: not known */
};

struct xpt_flow {
	const struct xpt_types *types;	/* NULL: all structs are unknown */
	uint32_t proto;		/* the function's own FUNC_PROTO, 0: not known */
	bool returns_int;
	const struct xpt_code_insn *insns;
	const struct xpt_flow_call *calls;	/* one for each instruction */
	uint32_t nr;
	void *ctx;
	/* An indirect call: the instruction, and the known value of the pointer. */
	void (*on_site)(void *ctx, uint32_t insn, const struct xpt_value *v);
	/* The function may return the low half of the result of the long function fn. */
	void (*on_narrow)(void *ctx, uint32_t fn);
};

int xpt_flow__run(const struct xpt_flow *f);	/* 0 or -ENOMEM */

#endif
