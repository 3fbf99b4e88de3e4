/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads a function's arguments before its first instruction, and its return value. x86-64: System V psABI 3.2.3, six
 * integer registers, then the stack above the return address.
 */
#ifndef XPT_BPF_ARCH_BPF_H
#define XPT_BPF_ARCH_BPF_H

#include <linux/ptrace.h>
#include <linux/types.h>

#if defined(__TARGET_ARCH_x86)
#define XPT_REG_ARGS 6
#define XPT_NR_POLL 7	/* arch/x86/entry/syscalls/syscall_64.tbl */
#define XPT_NR_MMAP 9
#define XPT_NR_IOCTL 16
#define XPT_NR_PPOLL 271
#define XPT_KSTACK_BYTES 16384u	/* THREAD_SIZE, arch/x86/include/asm/page_64_types.h */
#define XPT_RET_POPS 8	/* ret removes the return address from the stack */
#define xpt_ip(ctx) ((ctx)->rip)
#define xpt_sp(ctx) ((ctx)->rsp)
#define xpt_retval(ctx) ((ctx)->rax)
#define xpt_return_at(ctx) ((const void *)(ctx)->rsp)	/* holds the return address */
#define xpt_stack_args(ctx) ((const void *)((ctx)->rsp + 8))

static __always_inline void xpt_reg_args(const struct pt_regs *ctx, __u64 *arg)
{
	arg[0] = ctx->rdi;
	arg[1] = ctx->rsi;
	arg[2] = ctx->rdx;
	arg[3] = ctx->rcx;
	arg[4] = ctx->r8;
	arg[5] = ctx->r9;
}

/* Whether a conditional jump with that condition (XPT_AT_CC) will be taken; SDM volume 1, B.1. */
static __always_inline int xpt_condition(const struct pt_regs *ctx, __u32 cc)
{
	__u64 fl = ctx->eflags;
	__u32 c = fl & 1, p = fl >> 2 & 1, z = fl >> 6 & 1, s = fl >> 7 & 1, o = fl >> 11 & 1;
	__u32 holds = o | c << 1 | z << 2 | (c | z) << 3 | s << 4 | p << 5 | (s ^ o) << 6 |
		      (z | (s ^ o)) << 7;

	return (holds >> (cc >> 1 & 7) ^ cc) & 1;
}
#else
#error "this architecture's calling convention is not described here"
#endif

#endif
