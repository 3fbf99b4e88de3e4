/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Major page faults (--sched): which of them happen inside traced calls. The kernel asks for each one
 * before it writes a sample, so faults of other programs, and outside of calls, take no room in the rings.
 */
#ifndef XPT_BPF_KERNEL_MAJOR_FAULT_BPF_H
#define XPT_BPF_KERNEL_MAJOR_FAULT_BPF_H

#include "bpf/threads/thread.bpf.h"

volatile __u64 xpt_major_faults = 0;	/* inside calls: samples written, or dropped because a ring was full */

/* Attached to a perf event; returns 1 if the sample is to be written. */
SEC("?perf_event")
int xpt_major_fault(void *ctx)
{
	const struct xpt_thread *t = xpt_thread_of((__u32)bpf_get_current_pid_tgid());

	if (!t || !t->depth)
		return 0;
	__sync_fetch_and_add(&xpt_major_faults, 1);
	return 1;
}

#endif
