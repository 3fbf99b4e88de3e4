/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The entry of a kernel function: makes its frame and captures its arguments. They come from registers (kprobes) or
 * from the trampoline (fentry), in both cases as words.
 */
#ifndef XPT_BPF_KERNEL_KENTER_BPF_H
#define XPT_BPF_KERNEL_KENTER_BPF_H

#include "bpf/hooks/hook_follow.bpf.h"
#include "bpf/kernel/kframe.bpf.h"
#include "bpf/values/capture.bpf.h"

/* Makes the incomplete frame of a call that begins, and marks the thread busy. Returns the thread, or NULL. */
static __noinline struct xpt_thread *kernel_enter(__u64 place, __u32 fn)
{
	const struct xpt_wire_fn *spec;
	struct xpt_thread *t;
	struct xpt_frame *f;
	__u32 depth;

	if (!place || xpt_stopping)
		return NULL;
	t = thread_in_kernel();
	spec = bpf_map_lookup_elem(&xpt_fns, &fn);
	if (!t || !spec || t->busy)
		return NULL;
	drop_kernel_frames(t, place, fn);
	depth = t->depth;
	if (depth >= XPT_MAX_DEPTH) {
		xpt_lost(XPT_LOSS_DEPTH_FULL, 1);
		t->skipped++;
		return NULL;
	}
	xpt_busy(t, 1);
	t->skipped = 0;
	f = xpt_frame_at(t, depth);
	f->sp = place;
	f->call.rec.fn = fn;
	f->call.tgid = t->tgid;
	f->call.tid = (__u32)bpf_get_current_pid_tgid();
	f->call.depth = depth;
	f->call.start_ns = 0;
	f->call.flags = depth ? XPT_CALL_NESTED : 0;
	f->call.str_len = 0;
	f->call.valid = 0;
	f->call.nr_vals = spec->nr_caps;
	f->cls = spec->cls;
	f->stack = 0;
	f->ret_addr = 0;
	xpt_sched_begin(t, f);
	if (depth)
		mark_outer_kernel(t, depth, spec->cls);
	return t;
}

static __always_inline void kernel_entered(struct xpt_thread *t)
{
	struct xpt_frame *f = xpt_frame_at(t, t->depth);

	t->depth++;
	f->call.start_ns = bpf_ktime_get_ns();
	xpt_busy(t, 0);
}

static __always_inline void capture_btf(void *ctx, struct xpt_frame *f, const struct xpt_wire_fn *spec)
{
	__u32 i;

	for (i = 0; i < XPT_MAX_VALS && i < spec->nr_caps; i++) {
		__u64 v = 0;

		if (bpf_get_func_arg(ctx, spec->cap[i].arg, &v))
			continue;
		f->val[i] = xpt_narrow(v, spec->cap[i].width);
		f->call.valid |= 1 << i;
	}
}

static __always_inline void capture_regs(struct pt_regs *ctx, struct xpt_frame *f,
					 const struct xpt_wire_fn *spec)
{
	__u64 args[8] = { 0 };	/* as many as a mask lets through */
	__u32 i;

	xpt_reg_args(ctx, args);
	for (i = 0; i < XPT_MAX_VALS && i < spec->nr_caps; i++) {
		f->val[i] = xpt_narrow(args[spec->cap[i].arg & 7], spec->cap[i].width);
		f->call.valid |= 1 << i;
	}
}

/* regs: arguments are in registers, else the trampoline has them. Returns 0 if the return is needed. */
static __always_inline int enter_kernel(void *ctx, __u64 sp, bool regs)
{
	__u32 fn = bpf_get_attach_cookie(ctx);
	__u64 at = address_of(ctx), place = place_of(at);
	const struct xpt_wire_fn *spec;
	struct xpt_thread *t;

	if (place && regs)
		place = place_of(sp);
	t = kernel_enter(place, fn);
	if (!t)
		return 1;
	spec = bpf_map_lookup_elem(&xpt_fns, &fn);
	if (spec && regs)
		capture_regs(ctx, xpt_frame_at(t, t->depth), spec);
	else if (spec)
		capture_btf(ctx, xpt_frame_at(t, t->depth), spec);
	if (cfg.hook_steps && spec && spec->hook)
		xpt_hook_follow(xpt_frame_at(t, t->depth), fn);
	if (cfg.stacks && spec && spec->flags & XPT_FN_STACK)
		xpt_frame_at(t, t->depth)->stack = xpt_take_stack_in_kernel(ctx);
	kernel_entered(t);
	return 0;
}

#endif
