/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which process the current thread belongs to: its number is used again, when it began is not. */
#ifndef XPT_BPF_PROCESS_BPF_H
#define XPT_BPF_PROCESS_BPF_H

#include "bpf/kern_min.h"
#include <bpf/bpf_core_read.h>

/* Returns when the process began. Not inlined: it needs a stack of its own, because that of the callers is full. */
static __noinline __u64 xpt_process_began(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, group_leader, start_time);
}

#endif
