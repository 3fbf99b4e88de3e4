/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every run of an uprobe program needs a stack of its own. From 6.13 on the
 * kernel gives programs that use more than 63 bytes one stack per CPU, trusting
 * that none is interrupted by itself; but programs of uprobes can be preempted,
 * and then threads overwrite each other's variables: wrong records, and crashes
 * of the kernel. A program that has a tail call somewhere gets none of those
 * stacks, even where that call can never be reached and is removed.
 */
#ifndef XPT_BPF_STACK_BPF_H
#define XPT_BPF_STACK_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} xpt_nowhere SEC(".maps");

const volatile __u32 xpt_never = 0;

/* The first statement of every program that is attached to user functions. */
#define xpt_own_stack(ctx)                                                                         \
	do {                                                                                       \
		if (xpt_never)                                                                     \
			bpf_tail_call(ctx, &xpt_nowhere, 0);                                       \
	} while (0)

#endif
