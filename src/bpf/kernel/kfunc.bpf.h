/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs for both ends of a kernel function: for trampolines (fentry) and for
 * kprobes, each as a pair and as a session. For call.bpf.c, after finish().
 */
#ifndef XPT_BPF_KERNEL_KFUNC_BPF_H
#define XPT_BPF_KERNEL_KFUNC_BPF_H

#include "bpf/kernel/is_return.bpf.h"
#include "bpf/kernel/kenter.bpf.h"
#include "bpf/kernel/kleave.bpf.h"

/*
 * Templates: the engine loads their instructions again for each module or
 * function. The function that they are attached to here is only a placeholder
 * that exists.
 */
SEC("?fentry/__x64_sys_ioctl")
int xpt_kfn_enter(unsigned long long *ctx)
{
	enter_kernel(ctx, 0, false);
	return 0;
}

SEC("?fexit/__x64_sys_ioctl")
int xpt_kfn_leave(unsigned long long *ctx)
{
	__u64 ret = 0;

	bpf_get_func_ret(ctx, &ret);
	leave_kernel(ctx, 0, ret);
	return 0;
}

SEC("?fexit/__x64_sys_ioctl")
int xpt_kfn_session(unsigned long long *ctx)
{
	__u64 ret = 0;

	if (!xpt_is_return(ctx)) {
		enter_kernel(ctx, 0, false);
		return 0;
	}
	bpf_get_func_ret(ctx, &ret);
	leave_kernel(ctx, 0, ret);
	return 0;
}

SEC("?kprobe")
int xpt_kp_enter(struct pt_regs *ctx)
{
	enter_kernel(ctx, xpt_sp(ctx), true);
	return 0;
}

SEC("?kprobe")
int xpt_kp_leave(struct pt_regs *ctx)
{
	return leave_kernel(ctx, xpt_sp(ctx), xpt_retval(ctx));
}

SEC("?kprobe")
int xpt_kp_session(struct pt_regs *ctx)
{
	if (!xpt_is_return(ctx))
		return enter_kernel(ctx, xpt_sp(ctx), true);
	return leave_kernel(ctx, xpt_sp(ctx), xpt_retval(ctx));
}

#endif
