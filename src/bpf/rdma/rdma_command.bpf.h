/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The data of the tracepoint mlx5_cmd of the driver mlx5_core about a failed
 * command to the firmware. A thread that waits for its command fires the
 * tracepoint; for commands that no thread waits for, the interrupt does.
 */
#ifndef XPT_BPF_RDMA_RDMA_COMMAND_BPF_H
#define XPT_BPF_RDMA_RDMA_COMMAND_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "wire/rdma_command.h"

#define PF_KTHREAD 0x00200000	/* include/linux/sched.h */

__u64 xpt_rdma_command_full_ns;	/* of those outside of calls: see too_many() */

/*
 * (const char *name, u16 opcode, u16 op_mod, const char *text, u8 status, u32 syndrome,
 * int err), each in a word of its own.
 */
static __always_inline void rdma_command(struct xpt_wire_rdma_command *c,
					 struct bpf_raw_tracepoint_args *ctx)
{
	c->name[0] = c->text[0] = '\0';
	bpf_probe_read_kernel_str(c->name, sizeof(c->name), (const void *)ctx->args[0]);
	bpf_probe_read_kernel_str(c->text, sizeof(c->text), (const void *)ctx->args[3]);
	c->opcode = (__u16)ctx->args[1];
	c->op_mod = (__u16)ctx->args[2];
	c->status = (__u8)ctx->args[4];
	c->syndrome = (__u32)ctx->args[5];
	c->err = (__s32)ctx->args[6];
}

/*
 * The kernel keeps a tracepoint's arguments on the stack: on that of the thread, or of
 * the interrupt that came to it. at: room for the address, where it becomes a number.
 */
static __always_inline bool rdma_in_stack(void *ctx, __u64 *at, __u64 stack)
{
	*(void *volatile *)at = ctx;
	return *(volatile __u64 *)at - stack < XPT_KSTACK_BYTES;
}

#endif
