/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * System calls on devices (ioctl, mmap, poll) as calls: a frame on the thread's
 * stack of open calls, above the API call that makes the system call. A thread is in one system call at a time,
 * so the frame is the topmost when the call returns.
 */
#ifndef XPT_BPF_IOCTL_IOCTL_BPF_H
#define XPT_BPF_IOCTL_IOCTL_BPF_H

#include "bpf/ioctl/ioctl_args.bpf.h"
#include "bpf/ioctl/ioctl_device.bpf.h"
#include "bpf/kern_min.h"
#include "bpf/maps.bpf.h"
#include "bpf/select.bpf.h"
#include "bpf/threads/thread.bpf.h"

#define XPT_TS_COMPAT 2		/* arch/x86/include/asm/thread_info.h: a 32-bit system call */

static __always_inline bool xpt_is_ioctl(__u32 fn)
{
	return fn - 1 < cfg.ioctl_fns;
}

/* Whether it can be worth while to look at the descriptor of a thread without an entry. */
static __always_inline bool may_be_wanted(__u32 tgid)
{
	return tgid != cfg.own_tgid && (cfg.all || cfg.select & XPT_SELECT_OPEN ||
					bpf_map_lookup_elem(&xpt_targets, &tgid));
}

static __noinline int ioctl_enter(struct xpt_ioctl_args *a)
{
	__u64 id = bpf_get_current_pid_tgid(), dev = 0;
	struct task_struct *task = (void *)bpf_get_current_task();
	__u32 tgid = id >> 32, tid = (__u32)id, table;
	struct xpt_thread *t = xpt_thread_of(tid);
	struct xpt_frame *f;

	if (xpt_stopping || (!t && !may_be_wanted(tgid)))
		return 0;
	table = watched(a, &dev);
	if (!table || BPF_CORE_READ(task, thread_info.status) & XPT_TS_COMPAT)
		return 0;
	if (!t || t->tgid != tgid) {
		if (t)	/* another's with this id, whose end was not seen */
			xpt_end_thread(tid, XPT_LOSS_CUT_EXIT, 0);
		t = is_wanted(tgid) ? xpt_new_thread(tgid, tid) : NULL;
	}
	if (!t)
		return 0;
	if (t->depth && xpt_is_ioctl(xpt_frame_at(t, t->depth - 1)->call.rec.fn))
		t->depth--;	/* its end was not seen */
	if (t->depth >= XPT_MAX_DEPTH) {
		xpt_lost(XPT_LOSS_DEPTH_FULL, 1);
		return 0;
	}
	xpt_busy(t, 1);
	f = xpt_frame_at(t, t->depth);
	f->sp = 0;	/* dead for every call that begins later, and no return is meant */
	f->call.start_ns = 0;
	f->call.tgid = t->tgid;
	f->call.tid = tid;
	f->call.depth = t->depth;
	f->call.flags = t->depth ? XPT_CALL_NESTED : 0;
	f->call.str_len = 0;
	f->cls = XPT_CLASS_IOCTL;
	f->stack = 0;
	f->ret_addr = 0;
	xpt_sched_begin(t, f);
	fill_ioctl(f, table, dev, a);
	if (f->call.rec.fn) {
		t->depth++;
		f->call.start_ns = bpf_ktime_get_ns();
	}
	xpt_busy(t, 0);
	return 0;
}

/* Kernel functions whose return was not seen lie above an ioctl that ends. */
static __always_inline void drop_above_ioctl(struct xpt_thread *t)
{
	__u32 i, depth = t->depth;

	for (i = 0; i < XPT_MAX_DEPTH && depth; i++) {
		const struct xpt_frame *f = xpt_frame_at(t, depth - 1);

		if (xpt_is_ioctl(f->call.rec.fn)) {
			t->depth = depth;
			if (i)
				xpt_lost(XPT_LOSS_KERNEL_CUT, i);
			return;
		}
		if (f->sp > XPT_KSTACK_BYTES)
			return;
		depth--;
	}
}

/* Stores the system call's result in the form of the record: of ioctl and poll an int, of mmap an address. */
static __always_inline void set_syscall_result(struct xpt_frame *f, __u32 call, __s64 ret)
{
	bool mmap = call == XPT_IOCTL_MMAP;

	f->call.ret = mmap ? ret : (__s32)ret;
	if (mmap ? ret < 0 && ret >= -4095 : f->call.ret < 0)
		f->call.flags |= XPT_CALL_FAILED;
}

/* The open call of this thread on a device, popped, with its result; or NULL. */
static __always_inline struct xpt_frame *ioctl_pop(struct xpt_thread *t, __u32 call, __s64 ret)
{
	__u64 now = bpf_ktime_get_ns(), status;
	struct xpt_frame *f;

	if (cfg.kernel_fns)
		drop_above_ioctl(t);
	if (!t->depth)
		return NULL;
	f = xpt_frame_at(t, t->depth - 1);
	if (!xpt_is_ioctl(f->call.rec.fn) || f->origin != call)
		return NULL;
	t->depth--;
	f->call.dur_ns = now - f->call.start_ns;
	set_syscall_result(f, call, ret);
	status = f->val[XPT_IOCTL_VAL_STATUS];
	if (f->call.nr_vals == XPT_IOCTL_VALS && status && f->call.ret >= 0)
		read_word(f, XPT_IOCTL_VAL_STATUS, status, 4);
	return f;
}

#endif
