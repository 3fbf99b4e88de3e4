/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of a thread: created at its first traced call, and released with everything that it holds when the thread
 * ends or its process executes another program.
 */
#ifndef XPT_BPF_THREADS_THREAD_BPF_H
#define XPT_BPF_THREADS_THREAD_BPF_H

#include "bpf/count/count.bpf.h"
#include "bpf/kernel/sched.bpf.h"
#include "bpf/send/lane.bpf.h"
#include "bpf/send/send.bpf.h"
#include "bpf/threads/frame.bpf.h"
#include "bpf/threads/slot.bpf.h"

/* Stack pointers farther apart are of different stacks: a signal handler may have its own. */
#define XPT_STACK_SPAN (64u << 20)

/* Releases the slot of a thread whose counts have been flushed, as the last write to it. */
static __always_inline void xpt_forget_thread(struct xpt_thread *t, __u32 tid)
{
	__u32 i = xpt_slot_of(tid);

	xpt_free_lane(t, tid);
	if (cfg.users)
		xpt_thread_gone(t->user);
	t->user = 0;
	t->depth = t->seq = t->full = t->urgent_bytes = t->urgent_pos = 0;
	t->busy = t->skipped = 0;
	t->signal = 0;
	t->sched.state = 0;
	if (i < XPT_SLOTS_MAX)
		__sync_val_compare_and_swap(&xpt_slot_tid[i], tid, 0);
}

static __noinline struct xpt_thread *xpt_new_thread(__u32 tgid, __u32 tid)
{
	__u32 user = cfg.users ? xpt_user_of_thread() : 1;
	struct xpt_thread *t = user ? xpt_add_thread(tid) : NULL;

	if (!t) {
		xpt_lost(XPT_LOSS_THREADS_FULL, 1);
		if (cfg.users && user)
			xpt_thread_gone(user);
		return NULL;
	}
	t->user = user;
	t->tgid = tgid;
	t->began_ns = xpt_process_began();
	xpt_send_task(XPT_TASK_THREAD, tgid, tid, 0, 0, 0);
	return t;
}

/* Returns the user stack pointer of a thread that ends or gets a signal, from its last entry into the kernel. */
static __always_inline __u64 user_sp(void)
{
	struct pt_regs___x86 *regs = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());

	return BPF_CORE_READ(regs, sp);
}

/*
 * Sends the open calls of a thread that ends, and releases its state. sp: its stack pointer, 0 if it is not known or
 * another program's. A call whose frame is below that was left before: cancelled threads end at the outermost end of
 * their stack. Return addresses can still be read there on 6.16 and later.
 */
__noinline __u32 xpt_end_thread(__u32 tid, __u32 why, __u64 sp)
{
	struct xpt_thread *t = xpt_thread_of(tid);
	__u64 now = bpf_ktime_get_ns();
	__u32 depth, i;

	if (!t)
		return 0;
	xpt_busy(t, 1);
	for (i = 0; i < XPT_MAX_DEPTH && t->depth; i++) {
		struct xpt_frame *top = xpt_frame_at(t, t->depth - 1);

		if ((top->sp >= sp || sp - top->sp > XPT_STACK_SPAN) &&
		    (!sp || !xpt_is_overwritten(top)))
			break;
		t->depth--;
		xpt_send_left(top);
	}
	depth = t->depth;
	for (i = 0; i < XPT_MAX_DEPTH; i++) {
		struct xpt_frame *f = xpt_frame_at(t, i);

		if (i >= depth)
			break;
		xpt_send_open(f, now, f->call.start_ns == t->signal_ns ? t->signal : 0);
	}
	if (depth)
		xpt_lost(why, depth);
	for (i = 0; i < XPT_ACCS; i++)
		xpt_flush(&t->acc[i]);
	xpt_forget_thread(t, tid);
	return depth;
}

#endif
