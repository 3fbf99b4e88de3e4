/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The life of a thread's entry: made at its first traced call, given up with
 * everything that it holds when the thread ends or its process executes
 * another program.
 */
#ifndef XPT_BPF_THREAD_BPF_H
#define XPT_BPF_THREAD_BPF_H

#include "bpf/count.bpf.h"
#include "bpf/frame.bpf.h"
#include "bpf/send.bpf.h"

static __noinline struct xpt_thread *xpt_new_thread(__u32 tgid, __u32 tid)
{
	const struct xpt_zeroes *zero = xpt_zeroes();
	struct xpt_thread *t;

	if (!zero)
		return NULL;
	bpf_map_update_elem(&xpt_threads, &tid, &zero->thread, BPF_ANY);
	t = bpf_map_lookup_elem(&xpt_threads, &tid);
	if (!t) {
		xpt_lost(XPT_LOSS_THREADS_FULL, 1);
		return NULL;
	}
	t->tgid = tgid;
	xpt_send_task(XPT_TASK_THREAD, tgid, tid, 0, 0, 0);
	return t;
}

/* Sends the calls that a thread leaves behind as INFLIGHT and forgets the thread. */
__noinline __u32 xpt_end_thread(__u32 tid, __u32 why)
{
	struct xpt_thread *t = bpf_map_lookup_elem(&xpt_threads, &tid);
	__u64 now = bpf_ktime_get_ns();
	__u32 depth, i;

	if (!t)
		return 0;
	depth = t->depth;
	for (i = 0; i < XPT_MAX_DEPTH; i++) {
		struct xpt_frame *f = xpt_frame_at(t, i);
		__u32 n;

		if (i >= depth)
			break;
		n = xpt_close_values(f);
		f->call.rec.kind = XPT_REC_INFLIGHT;
		f->call.dur_ns = now - f->call.start_ns;
		f->call.ret = 0;
		xpt_send(&f->call, sizeof(f->call) + n * 8, XPT_LOSS_RING_FULL);
	}
	if (depth)
		xpt_lost(why, depth);
	for (i = 0; i < XPT_ACCS; i++)
		xpt_flush(&t->acc[i]);
	bpf_map_delete_elem(&xpt_threads, &tid);
	return depth;
}

#endif
