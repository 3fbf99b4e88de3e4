/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sending records. The reader sleeps until a good batch is ready: it is woken
 * at every multiple of cfg.wake_bytes and looks by itself from time to time.
 * Ordinary calls leave cfg.ring_spare bytes free, so that a flood of them
 * cannot push out errors and the coming and going of processes.
 */
#ifndef XPT_BPF_SEND_BPF_H
#define XPT_BPF_SEND_BPF_H

#include "bpf/maps.bpf.h"

static __always_inline void xpt_send(const void *rec, __u64 size, bool important)
{
	__u64 avail = bpf_ringbuf_query(&xpt_ring, BPF_RB_AVAIL_DATA);
	__u64 flags = BPF_RB_NO_WAKEUP;

	if (!important && avail + size > cfg.ring_bytes - cfg.ring_spare) {
		xpt_lost(XPT_LOSS_RING_FULL, 1);
		return;
	}
	if ((avail ^ (avail + size)) & ~((__u64)cfg.wake_bytes - 1))
		flags = BPF_RB_FORCE_WAKEUP;
	if (bpf_ringbuf_output(&xpt_ring, (void *)rec, size, flags))
		xpt_lost(XPT_LOSS_RING_FULL, 1);
}

static __always_inline void xpt_send_task(__u32 what, __u32 tgid, __u32 tid, __u32 ppid,
					  __s32 code, __u32 cut)
{
	struct xpt_rec_task t = {
		.rec = { .kind = XPT_REC_TASK, .size = sizeof(t) },
		.ts_ns = bpf_ktime_get_ns(),
		.tgid = tgid,
		.tid = tid,
		.ppid = ppid,
		.what = what,
		.code = code,
		.cut = cut,
		.cgroup = bpf_get_current_cgroup_id(),
	};

	bpf_get_current_comm(t.comm, sizeof(t.comm));
	xpt_send(&t, sizeof(t), true);
}

#endif
