/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls that did not return: those that an exception, a forced unwind or longjmp left, and those that were open when
 * their thread ended.
 */
#ifndef XPT_BPF_THREADS_LEFT_BPF_H
#define XPT_BPF_THREADS_LEFT_BPF_H

#include "bpf/arch.bpf.h"
#include "bpf/bound.bpf.h"
#include "bpf/send/send.bpf.h"

static __always_inline struct xpt_frame *xpt_frame_at(struct xpt_thread *t, __u32 i)
{
	return &t->frame[xpt_wrap(i, XPT_MAX_DEPTH)];
}

/* Clamps n in the register that is used later, where the verifier can see it. */
#define xpt_bound_vals(n)                                                                          \
	do {                                                                                       \
		asm volatile("" : "+r"(n));                                                        \
		if ((n) > XPT_MAX_VALS)                                                            \
			(n) = XPT_MAX_VALS;                                                        \
		asm volatile("" : "+r"(n));                                                        \
	} while (0)

/* Returns the number of words after the header, and sets the record's size. */
static __always_inline __u32 xpt_close_values(struct xpt_frame *f)
{
	__u32 n = f->call.nr_vals;

	xpt_bound_vals(n);
	if (f->stack) {
		f->val[n] = f->stack;
		f->call.flags |= XPT_CALL_STACK;
		n++;
	}
	if (cfg.sched && f->sched) {
		f->val[n] = f->sched;
		f->call.flags |= XPT_CALL_SCHED;
		n++;
	}
	f->call.rec.size = sizeof(f->call) + n * 8;
	return n;
}

/* Sends a call that did not return before `now` as INFLIGHT, with the signal that it got inside
 * of it. Global, so that the verifier looks at it once and not for each frame. */
__noinline int xpt_send_open(struct xpt_frame *f, __u64 now, __u32 signal)
{
	__u32 n;

	if (!f)
		return 0;
	n = xpt_close_values(f);
	f->call.rec.kind = XPT_REC_INFLIGHT;
	f->call.dur_ns = now - f->call.start_ns;
	f->call.ret = signal;
	xpt_send(&f->call, sizeof(f->call) + n * 8, XPT_LOSS_RING_FULL);
	return 0;
}

/* Counts a call that was left without a return, and sends it like a failed one. */
__noinline int xpt_send_left(struct xpt_frame *f)
{
	const struct xpt_wire_fn *spec;
	__u32 fn;

	if (!f)
		return 0;
	xpt_lost(XPT_LOSS_CUT_LONGJMP, 1);
	fn = f->call.rec.fn;
	spec = bpf_map_lookup_elem(&xpt_fns, &fn);
	if (!cfg.events || !spec || spec->flags & XPT_FN_COUNT_ONLY ||
	    f->sp < XPT_KSTACK_BYTES)	/* a place in the kernel's stack */
		return 0;
	f->call.flags |= XPT_CALL_LEFT;
	return xpt_send_open(f, bpf_ktime_get_ns(), 0);
}

/* Sends the frames from `from` to below `to`. */
__noinline int xpt_send_all_left(struct xpt_thread *t, __u32 from, __u32 to)
{
	__u32 i;

	if (!t)
		return 0;
	for (i = 0; i < XPT_MAX_DEPTH; i++)
		if (i >= from && i < to)
			xpt_send_left(xpt_frame_at(t, i));
	return 0;
}

/*
 * Whether something else lies where the return address of a call was: that, or the
 * address that return probes put there, which may be those of another program.
 */
__noinline int xpt_is_overwritten(const struct xpt_frame *f)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 now = 0;

	if (!f || f->cls == XPT_CLASS_IOCTL || f->sp < XPT_KSTACK_BYTES ||
	    bpf_probe_read_user(&now, sizeof(now), (const void *)f->sp) || now == f->ret_addr)
		return 0;
	return now != BPF_CORE_READ(task, mm, uprobes_state.xol_area, vaddr);
}

#endif
