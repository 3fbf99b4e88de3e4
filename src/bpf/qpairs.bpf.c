// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * SPDK's probes of queue pairs, whose arguments lie where libbpf found them in the
 * probes' notes. A few events per connection, so there is nothing to save: all go
 * into one ring with the names as they are.
 */
#include <asm/ptrace.h>
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/usdt.bpf.h>
#include "bpf/stack.bpf.h"
#include "wire/qpair.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} xpt_qpair_ring SEC(".maps");

volatile __u64 xpt_qpair_lost;

static __always_inline __u64 arg(struct pt_regs *ctx, __u64 i)
{
	long v = 0;

	bpf_usdt_arg(ctx, i, &v);
	return (__u64)v;
}

static __always_inline struct xpt_wire_qpair *begin(struct pt_regs *ctx, __u32 kind)
{
	struct xpt_wire_qpair *q = bpf_ringbuf_reserve(&xpt_qpair_ring, sizeof(*q), 0);

	if (!q) {
		__sync_fetch_and_add(&xpt_qpair_lost, 1);
		return NULL;
	}
	q->kind = kind;
	q->pid = bpf_get_current_pid_tgid() >> 32;
	q->mono_ns = bpf_ktime_get_ns();
	q->tsc = arg(ctx, 0);
	q->qpair = arg(ctx, 1);
	q->thread = q->qid = 0;
	q->subnqn_len = q->hostnqn_len = 0;
	return q;
}

static __always_inline void with_thread(struct pt_regs *ctx, __u32 kind)
{
	struct xpt_wire_qpair *q = begin(ctx, kind);

	if (!q)
		return;
	q->thread = arg(ctx, 2);
	bpf_ringbuf_submit(q, 0);
}

SEC("usdt")
int xpt_qpair_add(struct pt_regs *ctx)
{
	xpt_own_stack(ctx);
	with_thread(ctx, XPT_QPAIR_ADD);
	return 0;
}

SEC("usdt")
int xpt_qpair_remove(struct pt_regs *ctx)
{
	xpt_own_stack(ctx);
	with_thread(ctx, XPT_QPAIR_REMOVE);
	return 0;
}

SEC("usdt")
int xpt_qpair_connect(struct pt_regs *ctx)
{
	struct xpt_wire_qpair *q;

	xpt_own_stack(ctx);
	q = begin(ctx, XPT_QPAIR_CONNECT);
	if (!q)
		return 0;
	q->qid = arg(ctx, 2);
	q->subnqn_len = bpf_probe_read_user_str(q->subnqn, sizeof(q->subnqn), (void *)arg(ctx, 3));
	q->hostnqn_len = bpf_probe_read_user_str(q->hostnqn, sizeof(q->hostnqn), (void *)arg(ctx, 4));
	bpf_ringbuf_submit(q, 0);
	return 0;
}

SEC("usdt")
int xpt_qpair_fini(struct pt_regs *ctx)
{
	struct xpt_wire_qpair *q;

	xpt_own_stack(ctx);
	q = begin(ctx, XPT_QPAIR_FINI);
	if (q)
		bpf_ringbuf_submit(q, 0);
	return 0;
}
