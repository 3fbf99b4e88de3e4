/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends records. The reader sleeps until a batch is ready: it is woken at every multiple of cfg.wake_bytes, and looks
 * by itself from time to time. If the ring is full, ordinary calls are dropped and counted; errors, starts and ends
 * of processes go into a second ring, of which no thread can use all. No user can use all of either (user.bpf.h). The
 * reader merges both in order of time.
 */
#ifndef XPT_BPF_SEND_SEND_BPF_H
#define XPT_BPF_SEND_SEND_BPF_H

#include "bpf/maps.bpf.h"
#include "bpf/send/urgent.bpf.h"
#include "bpf/send/user.bpf.h"
#include "wire/life.h"

#define XPT_LOOK_EVERY 16	/* a power of two */

/* Returns the bytes that wait in the ring, and in *ret_flags whether `size` more are worth a wake-up. */
static __always_inline __u64 xpt_waiting(__u64 size, __u64 *ret_flags)
{
	__u64 avail = bpf_ringbuf_query(&xpt_ring, BPF_RB_AVAIL_DATA);
	bool wake = (avail ^ (avail + size)) & ~((__u64)cfg.wake_bytes - 1);

	*ret_flags = wake ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
	return avail;
}

/*
 * Sends a record that must not be lost, within the current user's shares of both rings. t, loss: as in
 * xpt_send_urgent().
 */
static __always_inline void xpt_send_within_share(struct xpt_thread *t, const void *rec, __u64 size,
						  __u64 flags, enum xpt_loss loss)
{
	if (cfg.users && xpt_over_share(0, size))
		xpt_send_second(t, rec, size, loss);
	else
		xpt_send_important(t, rec, size, flags, loss);
}

/* Sends tasks, and calls that were cut off. loss: the loss to count if there is no room. */
static __always_inline void xpt_send(const void *rec, __u64 size, enum xpt_loss loss)
{
	__u64 flags;

	xpt_waiting(size, &flags);
	xpt_send_within_share(NULL, rec, size, flags, loss);
}

/*
 * Sends a call; important ones (errors) may use the second ring. The fill level of the ring costs a helper call, so a
 * thread asks for it only at every 16th record, as if the others had this size, too; and at each record while the
 * ring is full.
 */
static __always_inline void xpt_send_call(struct xpt_thread *t, const void *rec, __u64 size,
					  bool important)
{
	__u64 flags = BPF_RB_NO_WAKEUP;

	if (t->full || !(t->seq & (XPT_LOOK_EVERY - 1))) {
		t->full = xpt_waiting(size * XPT_LOOK_EVERY, &flags) + size > cfg.ring_bytes;
		if (cfg.users && !t->full)
			t->full = xpt_over_share(0, size * XPT_LOOK_EVERY);
	}
	t->seq++;
	if (!t->full && !bpf_ringbuf_output(&xpt_ring, (void *)rec, size, flags))
		return;
	if (important) {
		xpt_send_second(t, rec, size, XPT_LOSS_RING_FULL);
		return;
	}
	xpt_lost(XPT_LOSS_RING_FULL, 1);
	if (cfg.users)
		xpt_note_cut();
}

/* The life of a task's process (struct xpt_sent_task): all its threads have it. */
static __always_inline __u64 xpt_life(struct task_struct *task)
{
	return BPF_CORE_READ(task, group_leader, start_time) + BPF_CORE_READ(task, self_exec_id);
}

static __always_inline bool was_out_of_memory(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, signal, oom_mm);
}

static __always_inline void xpt_send_task(__u32 event, __u32 tgid, __u32 tid, __u32 ppid,
					  __s32 code, __u32 cut)
{
	struct xpt_sent_task t = {
		.task.rec = { .kind = XPT_REC_TASK, .size = sizeof(t) },
		.task.ts_ns = bpf_ktime_get_ns(),
		.task.tgid = tgid,
		.task.tid = tid,
		.task.ppid = ppid,
		.task.event = event,
		.task.code = code,
		.task.cut = cut,
		.task.flags = event == XPT_TASK_EXIT && was_out_of_memory() ? XPT_TASK_OOM : 0,
		.task.cgroup = bpf_get_current_cgroup_id(),
		.task.uid = (__u32)bpf_get_current_uid_gid(),
	};

	bpf_get_current_comm(t.task.comm, sizeof(t.task.comm));
	if (event != XPT_TASK_FORK)	/* the parent sends that */
		t.life = xpt_life((void *)bpf_get_current_task());
	if (cfg.users)
		t.owner = xpt_current_owner();
	/* Addresses get names while the process lives: look at it at once. */
	if (cfg.stacks && event == XPT_TASK_THREAD)
		xpt_send_within_share(NULL, &t, sizeof(t), BPF_RB_FORCE_WAKEUP, XPT_LOSS_TASKS_LOST);
	else
		xpt_send(&t, sizeof(t), XPT_LOSS_TASKS_LOST);
}

#endif
