/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Switches of threads (--sched), seen where the scheduler makes them. All of
 * the machine's switches come here, so a switch outside of traced calls must
 * cost little: a look at the array of slots. Nothing here takes a lock or
 * sends.
 *
 * The scheduler holds the lock of the thread's queue at each of these places,
 * so the sums of one thread change in one place at a time. With it interrupts
 * are off, so these programs cannot be preempted, on no kernel.
 */
#ifndef XPT_BPF_KERNEL_SCHED_SWITCH_BPF_H
#define XPT_BPF_KERNEL_SCHED_SWITCH_BPF_H

#include "bpf/kern_min.h"
#include "bpf/kernel/sched.bpf.h"
#include "bpf/threads/thread.bpf.h"

/* The thread's entry if it has one; most have none, and most of those end at the first look. */
static __always_inline struct xpt_thread *sched_thread(const struct task_struct *task)
{
	__u32 tid = task->pid, i = xpt_slot_place(tid, 0);

	if (!tid || i >= XPT_SLOTS_MAX || (xpt_slot_tid[i] != tid && !xpt_slot_passed[i]))
		return NULL;
	if (xpt_slot_tid[i] != tid)
		i = xpt_slot_behind(tid);
	return bpf_map_lookup_elem(&xpt_slots, &i);
}

/* A state ends: its time goes where it belongs. */
static __always_inline void sched_pass(struct xpt_thread_sched *s, __u64 now, __u32 next)
{
	__u64 ns = now - s->since_ns;

	if (s->state == XPT_CPU_RUNNABLE)
		s->sum.runq_ns += ns;
	else if (s->state == XPT_CPU_BLOCKED)
		s->sum.blocked_ns += ns;
	s->since_ns = now;
	s->state = next;
}

static __always_inline void sched_out(struct xpt_thread *t, bool sleeps)
{
	if (sleeps)
		t->sched.sum.voluntary++;
	else
		t->sched.sum.involuntary++;
	sched_pass(&t->sched, bpf_ktime_get_ns(), sleeps ? XPT_CPU_BLOCKED : XPT_CPU_RUNNABLE);
}

SEC("?tp_btf/sched_switch")
int xpt_sched_switch(unsigned long long *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	bool sleeps = !(__u8)ctx[0] && (__u32)ctx[3];	/* not preempted, and does not want to run */
	struct xpt_thread *t = sched_thread(prev);

	if (t && t->depth)	/* between calls it is not needed */
		sched_out(t, sleeps);
	t = sched_thread(next);
	if (t && t->sched.state > XPT_CPU_ON)
		sched_pass(&t->sched, bpf_ktime_get_ns(), XPT_CPU_ON);
	return 0;
}

SEC("?tp_btf/sched_wakeup")
int xpt_sched_wakeup(unsigned long long *ctx)
{
	struct xpt_thread *t = sched_thread((void *)ctx[0]);

	if (t && t->sched.state == XPT_CPU_BLOCKED)
		sched_pass(&t->sched, bpf_ktime_get_ns(), XPT_CPU_RUNNABLE);
	return 0;
}

#endif
