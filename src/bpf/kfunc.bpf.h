/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A kernel function returns, and the programs for both ends of it: for
 * trampolines (fentry) and for kprobes, each as a pair and as a session. For
 * call.bpf.c, behind finish().
 */
#ifndef XPT_BPF_KFUNC_BPF_H
#define XPT_BPF_KFUNC_BPF_H

#include "bpf/kenter.bpf.h"

/*
 * In sessions, whether it is the return: the engine replaces this call by one of
 * bpf_session_is_return(), whose prototype differs between kernels. Nothing else
 * here may call the helper that stands for it.
 */
static long (*xpt_is_return)(void *ctx) = (void *)BPF_FUNC_get_numa_node_id;

/* The topmost open call of that function, popped with all above it; or NULL. */
static __always_inline struct xpt_frame *kernel_pop(struct xpt_thread *t, __u32 fn)
{
	__u32 i, depth = t->depth;

	for (i = 0; i < XPT_MAX_DEPTH; i++) {
		struct xpt_frame *f;

		if (!depth)
			break;
		depth--;
		f = xpt_frame_at(t, depth);
		if (f->sp > XPT_KSTACK_BYTES)
			break;	/* a library's call: what it made has ended */
		if (f->call.rec.fn == fn && f->sp) {
			t->depth = depth;
			if (i)
				xpt_lost(XPT_LOSS_KERNEL_CUT, i);
			return f;
		}
	}
	if (!xpt_stopping)
		xpt_lost(XPT_LOSS_EXIT_WITHOUT_ENTRY, 1);
	return NULL;
}

static __always_inline bool is_errno(__u64 v)
{
	return v >= (__u64)-4095;
}

static __always_inline void set_kernel_result(struct xpt_rec_call *call,
					      const struct xpt_wire_fn *spec, __u64 raw)
{
	__u8 kind = spec->ret;

	if (kind == XPT_RET_NEGATIVE || kind == XPT_RET_STATUS)
		call->ret = (__s32)raw;
	else
		call->ret = kind == XPT_RET_NONE ? 0 : xpt_narrow(raw, spec->ret_width);
	if ((kind == XPT_RET_NEGATIVE && call->ret < 0) || (kind == XPT_RET_STATUS && call->ret) ||
	    ((kind == XPT_RET_LONG || kind == XPT_RET_ERR_PTR) && is_errno(raw)))
		call->flags |= XPT_CALL_FAILED;
}

static __noinline int kernel_leave(__u64 place, __u32 fn, __u64 ret)
{
	__u64 now = bpf_ktime_get_ns();
	struct xpt_thread *t = xpt_thread_of((__u32)bpf_get_current_pid_tgid());
	const struct xpt_wire_fn *spec = bpf_map_lookup_elem(&xpt_fns, &fn);
	struct xpt_frame *f;

	if (!place || !t || !spec || t->busy)
		return 0;
	if (t->skipped) {	/* the last that did not fit returns first */
		t->skipped--;
		return 0;
	}
	xpt_busy(t, 1);
	f = kernel_pop(t, fn);
	if (f) {
		f->call.dur_ns = now - f->call.start_ns;
		set_kernel_result(&f->call, spec, ret);
		finish(t, spec, f);
	}
	xpt_busy(t, 0);
	return 0;
}

static __always_inline int leave_kernel(void *ctx, __u64 ret)
{
	return kernel_leave(place_of(address_of(ctx)), bpf_get_attach_cookie(ctx), ret);
}

/*
 * Templates: the engine loads their instructions again for each module or
 * function. What they are attached to here is only something that is there.
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
	leave_kernel(ctx, ret);
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
	leave_kernel(ctx, ret);
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
	return leave_kernel(ctx, xpt_retval(ctx));
}

SEC("?kprobe")
int xpt_kp_session(struct pt_regs *ctx)
{
	if (!xpt_is_return(ctx))
		return enter_kernel(ctx, xpt_sp(ctx), true);
	return leave_kernel(ctx, xpt_retval(ctx));
}

#endif
