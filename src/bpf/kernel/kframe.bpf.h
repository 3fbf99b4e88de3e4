/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel functions as calls: frames on the thread's stack of open calls, above
 * the library's call and the ioctl that lead to them.
 *
 * A frame's sp is its offset in the thread's kernel stack, from 1, so it is below every user stack. By these offsets
 * a call that begins shows which frames have ended without a return. A return belongs to the topmost frame of its
 * function, because kernel functions return in order. Code on another stack is an interrupt and no work of this
 * thread. A BPF program of xputrace may call a traced function while it changes a thread's frames: xpt_busy()
 * prevents that the probe changes them, too.
 */
#ifndef XPT_BPF_KERNEL_KFRAME_BPF_H
#define XPT_BPF_KERNEL_KFRAME_BPF_H

#include "bpf/ioctl/ioctl.bpf.h"
#include "bpf/kern_min.h"
#include "bpf/threads/frame.bpf.h"
#include "bpf/threads/thread.bpf.h"

#define XPT_PF_EXITING 4	/* include/linux/sched.h */

/* Returns the address of ctx as a number, because the verifier forbids arithmetic on it. */
static __always_inline __u64 address_of(void *ctx)
{
	__u64 d = (__u64)ctx, task = (__u64)bpf_get_current_task_btf();

	asm volatile("%0 -= %1" : "+r"(d) : "r"(task));
	return d + bpf_get_current_task();
}

/* Returns the offset of an address in this thread's kernel stack, from 1; 0 if it is not there. */
static __always_inline __u64 place_of(__u64 at)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 off = at - (__u64)BPF_CORE_READ(task, stack);

	return off < XPT_KSTACK_BYTES ? off + 1 : 0;
}

static __always_inline bool is_kernel_frame(const struct xpt_frame *f)
{
	return f->sp - 1 < XPT_KSTACK_BYTES;
}

/* Drops frames whose return was not seen: the stack is no longer as deep as their place. */
static __always_inline void drop_kernel_frames(struct xpt_thread *t, __u64 place, __u32 fn)
{
	__u32 i;

	for (i = 0; i < XPT_MAX_DEPTH && t->depth; i++) {
		const struct xpt_frame *top = xpt_frame_at(t, t->depth - 1);

		if (!is_kernel_frame(top) || top->sp > place ||
		    (top->sp == place && top->call.rec.fn != fn))
			break;
		t->depth--;
		xpt_lost(XPT_LOSS_KERNEL_CUT, 1);
	}
}

/* Marks open calls of the same class and layer as OUTER. */
static __always_inline void mark_outer_kernel(struct xpt_thread *t, __u32 depth, __u8 cls)
{
	__u32 i;

	for (i = 0; i < XPT_MAX_DEPTH; i++) {
		struct xpt_frame *f = xpt_frame_at(t, i);

		if (i >= depth)
			break;
		if (f->cls == cls && is_kernel_frame(f))
			f->call.flags |= XPT_CALL_OUTER;
	}
}

/* A thread that is ending makes no entry: it would never be removed. */
static __always_inline struct xpt_thread *thread_in_kernel(void)
{
	__u64 id = bpf_get_current_pid_tgid();
	__u32 tgid = id >> 32, tid = (__u32)id;
	struct xpt_thread *t = xpt_thread_of(tid);
	struct task_struct *task;

	if (tgid == xpt_cost_tgid)
		return NULL;
	if (t || !may_be_wanted(tgid))
		return t;
	task = (void *)bpf_get_current_task();
	if (BPF_CORE_READ(task, flags) & XPT_PF_EXITING || !is_wanted(tgid))
		return NULL;
	return xpt_new_thread(tgid, tid);
}

#endif
