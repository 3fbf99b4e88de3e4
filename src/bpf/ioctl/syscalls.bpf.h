/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs for the begin and the end of ioctl, mmap, poll and ppoll, in one of
 * three ways, cheapest first: on the system call itself, on its tracepoints, on
 * those of all system calls. Part of call.bpf.c, whose ioctl_leave() they call.
 */
#ifndef XPT_BPF_IOCTL_SYSCALLS_BPF_H
#define XPT_BPF_IOCTL_SYSCALLS_BPF_H

#include "bpf/arch.bpf.h"
#include "bpf/ioctl/ioctl.bpf.h"

#define XPT_MAP_ANONYMOUS 0x20		/* include/uapi/asm-generic/mman-common.h */

static __always_inline __u32 call_of(__u32 nr)
{
	return nr == XPT_NR_IOCTL ? XPT_IOCTL_COMMAND :
	       nr == XPT_NR_MMAP ? XPT_IOCTL_MMAP : XPT_IOCTL_POLL;
}

static __always_inline int enter_mmap(__u64 len, __u64 prot, __u64 flags, __u64 fd, __u64 off)
{
	struct xpt_ioctl_args a = { .call = XPT_IOCTL_MMAP, .fd = fd };

	if (flags & XPT_MAP_ANONYMOUS)	/* most are: their descriptor means nothing */
		return 0;
	a.length = len;
	a.offset = off;
	a.prot = prot;
	a.flags = flags;
	return ioctl_enter(&a);
}

static __always_inline int enter_other(__u32 nr, __u64 arg0, __u64 arg1, __u64 arg2)
{
	struct xpt_ioctl_args a = { .call = call_of(nr), .fd = arg0 };

	if (nr == XPT_NR_IOCTL) {
		a.cmd = arg1;
		a.arg = arg2;
	} else {
		a.fds = arg0;
		a.nfds = arg1;
		a.timespec = nr == XPT_NR_PPOLL;
		a.timeout = nr == XPT_NR_PPOLL || (__s32)arg2 >= 0 ? arg2 : -1;
	}
	return ioctl_enter(&a);
}

static __always_inline int enter_regs(__u32 nr, const struct pt_regs___x86 *regs)
{
	if (nr == XPT_NR_MMAP)
		return enter_mmap(regs->si, regs->dx, regs->r10, regs->r8, regs->r9);
	return enter_other(nr, regs->di, regs->si, regs->dx);
}

/*
 * Programs on the system call itself, so that other system calls cost nothing. These programs need no stack of their
 * own (bpf/stack.bpf.h): the kernel never runs one twice at a time on a CPU.
 */
#define on_system_call(name, nr)                                                                   \
	SEC("?fentry/__x64_sys_" #name)                                                            \
	int xpt_##name##_fentry(unsigned long long *ctx)                                           \
	{                                                                                          \
		return enter_regs(nr, (void *)ctx[0]);                                             \
	}                                                                                          \
	SEC("?fexit/__x64_sys_" #name)                                                             \
	int xpt_##name##_fexit(unsigned long long *ctx)                                            \
	{                                                                                          \
		return ioctl_leave(call_of(nr), ctx[1]);                                           \
	}

on_system_call(ioctl, XPT_NR_IOCTL)
on_system_call(mmap, XPT_NR_MMAP)
on_system_call(poll, XPT_NR_POLL)
on_system_call(ppoll, XPT_NR_PPOLL)

/*
 * The calls' own tracepoints: all others pay for a look at a bitmap. They need tracefs.
 * The kernel refuses a program that reads more arguments than its call has.
 */
SEC("?tp/syscalls/sys_enter_ioctl")
int xpt_tp_enter(struct xpt_tp_enter *ctx)
{
	xpt_own_stack_tp(ctx);
	enter_other(ctx->nr, ctx->arg[0], ctx->arg[1], ctx->arg[2]);
	return 0;
}

SEC("?tp/syscalls/sys_enter_mmap")
int xpt_tp_enter_mmap(struct xpt_tp_mmap *ctx)
{
	xpt_own_stack_tp(ctx);
	enter_mmap(ctx->len, ctx->prot, ctx->flags, ctx->fd, ctx->off);
	return 0;
}

SEC("?tp/syscalls/sys_exit_ioctl")
int xpt_tp_leave(struct xpt_tp_exit *ctx)
{
	xpt_own_stack_tp(ctx);
	ioctl_leave(call_of(ctx->nr), ctx->ret);
	return 0;
}

static __always_inline bool is_ours(__u64 nr)
{
	return nr == XPT_NR_IOCTL || nr == XPT_NR_MMAP || nr == XPT_NR_POLL || nr == XPT_NR_PPOLL;
}

/* All system calls come here, so the number is first; it is read without a helper. */
SEC("?tp_btf/sys_enter")
int xpt_sys_enter(unsigned long long *ctx)
{
	if (is_ours(ctx[1]))
		enter_regs(ctx[1], (void *)ctx[0]);
	return 0;
}

SEC("?tp_btf/sys_exit")
int xpt_sys_exit(unsigned long long *ctx)
{
	struct pt_regs___x86 *regs = (void *)ctx[0];

	if (is_ours(regs->orig_ax))
		ioctl_leave(call_of(regs->orig_ax), ctx[1]);
	return 0;
}

#endif
