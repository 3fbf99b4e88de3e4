/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads registers by the numbers in locations of arguments (wire/point.h), and numbers of less than
 * eight bytes. Has no maps, so that programs of any object may include it.
 */
#ifndef XPT_BPF_VALUES_REGS_BPF_H
#define XPT_BPF_VALUES_REGS_BPF_H

#include <linux/ptrace.h>
#include <linux/types.h>
#include "wire/point.h"

/* The low bytes of v that width names, sign-extended if it asks for that. */
static __always_inline __u64 xpt_narrow(__u64 v, __u8 width)
{
	__u32 shift = (64 - ((width & 0x0f) << 3)) & 63;

	if (width & 0x80)
		return (__u64)((__s64)(v << shift) >> shift);
	return v << shift >> shift;
}

#if defined(__TARGET_ARCH_x86)
/* In the order of XPT_REG_*. */
static __always_inline void xpt_all_regs(const struct pt_regs *ctx, __u64 *reg)
{
	reg[XPT_REG_RAX] = ctx->rax;
	reg[XPT_REG_RCX] = ctx->rcx;
	reg[XPT_REG_RDX] = ctx->rdx;
	reg[XPT_REG_RBX] = ctx->rbx;
	reg[XPT_REG_RSP] = ctx->rsp;
	reg[XPT_REG_RBP] = ctx->rbp;
	reg[XPT_REG_RSI] = ctx->rsi;
	reg[XPT_REG_RDI] = ctx->rdi;
	reg[XPT_REG_R8] = ctx->r8;
	reg[XPT_REG_R9] = ctx->r9;
	reg[XPT_REG_R10] = ctx->r10;
	reg[XPT_REG_R11] = ctx->r11;
	reg[XPT_REG_R12] = ctx->r12;
	reg[XPT_REG_R13] = ctx->r13;
	reg[XPT_REG_R14] = ctx->r14;
	reg[XPT_REG_R15] = ctx->r15;
	reg[XPT_REG_SITE] = ctx->rip;
	reg[XPT_REG_ZERO] = 0;
}
#else
#error "this architecture's registers are not described here"
#endif

struct xpt_regs {
	__u64 reg[XPT_REG__MAX];
};

static __always_inline __u64 xpt_reg(const struct xpt_regs *regs, __u8 i)
{
	return i < XPT_REG__MAX ? regs->reg[i] : 0;
}

#endif
