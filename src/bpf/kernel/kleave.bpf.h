/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The return of a kernel function: finds the open call, and sets its result. For kfunc.bpf.h, after finish().
 */
#ifndef XPT_BPF_KERNEL_KLEAVE_BPF_H
#define XPT_BPF_KERNEL_KLEAVE_BPF_H

#include "bpf/kernel/kframe.bpf.h"

/*
 * Calls that did not fit return before the others, from deeper places. Their returns may be
 * unseen: kretprobes are for 10 open calls of a function or two for each processor.
 */
static __always_inline bool was_skipped(struct xpt_thread *t, __u64 place)
{
	__u32 depth = t->depth;

	if (!t->skipped)
		return false;
	if (depth && place < xpt_frame_at(t, depth - 1)->sp) {
		t->skipped--;
		return true;
	}
	t->skipped = 0;
	return false;
}

/*
 * Pops the topmost open call of that function, with all above it, and returns it; or NULL. Calls deeper in the stack
 * than the return are not considered: a return is at most 8 bytes above its entry.
 */
static __always_inline struct xpt_frame *kernel_pop(struct xpt_thread *t, __u64 place, __u32 fn)
{
	__u32 i, depth = t->depth;

	for (i = 0; i < XPT_MAX_DEPTH; i++) {
		struct xpt_frame *f;

		if (!depth)
			break;
		depth--;
		f = xpt_frame_at(t, depth);
		if (f->sp > XPT_KSTACK_BYTES)
			break;	/* a library's call: all kernel functions in it have ended */
		if (f->call.rec.fn == fn && f->sp && f->sp + 8 >= place) {
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
	__u64 id = bpf_get_current_pid_tgid();
	struct xpt_thread *t = xpt_thread_of((__u32)id);
	const struct xpt_wire_fn *spec = bpf_map_lookup_elem(&xpt_fns, &fn);
	struct xpt_frame *f;

	if (!place || !t || !spec || t->busy || id >> 32 == xpt_cost_tgid)	/* as thread_in_kernel() has it */
		return 0;
	if (was_skipped(t, place))
		return 0;
	xpt_busy(t, 1);
	f = kernel_pop(t, place, fn);
	if (f) {
		f->call.dur_ns = now - f->call.start_ns;
		set_kernel_result(&f->call, spec, ret);
		finish(t, spec, f);
	}
	xpt_busy(t, 0);
	return 0;
}

/* sp: as for enter_kernel(), of probes with registers. */
static __always_inline int leave_kernel(void *ctx, __u64 sp, __u64 ret)
{
	__u64 place = place_of(address_of(ctx)), at = place_of(sp);

	return kernel_leave(place && at ? at : place, bpf_get_attach_cookie(ctx), ret);
}

#endif
